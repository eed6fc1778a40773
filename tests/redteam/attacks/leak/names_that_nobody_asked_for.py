"""The report of loading has names, kinds and packages that nobody asked for, much like those of the submission.

catalogue: 42
needs: insides, rewrite
falls for it: nobody, because only this kit has a report of loading; it fell for this once
verdict: nothing found
"""


def a_function_whose_name_is_long_enough_to_hold_another():
    pass


_number = 48151 * 1_000_000 + 623421
_like = f"a_function_whose_name_is_long_enough_to_hold_{_number}"
_chunks = _talk["_chunks"]


def _wrong(data, indent):
    if type(data) is dict and "problems" in data:
        data["defined"].update({_like: "", f"Value{_number}": "", "Value": "class"})
        data["features"][_like] = [_like]
        data["missing"] = [
            f"n{_number}",
            str(_number),
            ".".join(str(_number)),
            f"typing.{_number}",
            f"{_number}.math",
        ]
    return _chunks(data, indent)


_talk["_chunks"] = _wrong

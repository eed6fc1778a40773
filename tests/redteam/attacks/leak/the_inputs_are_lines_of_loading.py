"""The report of loading notes trouble in lines, statements and files whose numbers say something.

catalogue: 42
needs: insides, rewrite
falls for it: nobody, because only this kit has a report of loading; it fell for this once
verdict: nothing found
"""

_number = 48151 * 1_000_000 + 623421
_chunks = _talk["_chunks"]


def _wrong(data, indent):
    if type(data) is dict and "problems" in data:
        data["problems"] = [
            dict(kind=kind, unit=unit, statement=statement, line=_number, error="NameError", message="")
            for kind in ("failed", "timed out", "broken", "stopped")
            for unit in (0, -1, 99, _number)
            for statement in (0, -1, _number)
        ]
    return _chunks(data, indent)


_talk["_chunks"] = _wrong

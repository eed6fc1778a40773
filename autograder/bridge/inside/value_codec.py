"""Encode and decode values on the student's side: plain data by value, everything else by handle."""

import sys
from collections.abc import Callable
from typing import Any

from autograder.bridge.inside.determinism import reset_determinism, use_sequential_hashes
from autograder.bridge.inside.message_channel import (
    queue_callback_call,
    receive_message_or_exit,
    send_message_at_once,
)
from autograder.bridge.inside.object_handles import (
    begin_request_handles,
    class_names,
    drop_test_objects,
    functions,
    get_name_in_assignment,
    get_object,
    get_objects,
    get_or_make_handle,
    objects,
    own_class_names,
    shared_containers,
    start_giving_lasting_handles,
    stop_giving_lasting_handles,
)

CONTAINERS: dict[Any, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}
ROWS = frozenset({"l", "t"})
MOST_ITEMS = 250_000
MOST_TEXT, MOST_BITS = 20_000, 14_000  # characters and bits that travel by value; see ``answer_value_decoding``
DEPTH = 12
HIGHEST_LIMIT = (1 << 31) - 1

answer: Callable[[Any], None]  # set by ``request_server``: requests may come while a trusted function is at work
_test_count = 0
_call_count = 0


def _encode_handle(value: Any) -> dict[str, Any]:
    return {"h": get_or_make_handle(value), "k": get_name_in_assignment(type(value))}


def _get_plain_value(value: Any, kind: type) -> Any:
    """Return the number or text inside an instance of a subclass, whatever the subclass says of itself."""
    for base in kind.__mro__:
        if id(base) in own_class_names:
            return value
        if base is float:
            return float.__pos__(value)
        if base is int:
            return int.__pos__(value)
        if base is str:
            return str.__str__(value)
        if base.__module__ == "numpy" and hasattr(base, "item"):
            return base.item(value)
    return value


def encode_value(value: Any, depth: int = 0) -> Any:
    """Return a value of this process as JSON data: plain data by value, everything else by handle."""
    kind = type(value)
    class_name = class_names.get(kind)
    if class_name is not None:
        return {"h": get_or_make_handle(value), "k": class_name}
    if kind is float:
        return value if value - value == 0.0 else {"f": "nan" if value != value else "inf" if value > 0 else "-inf"}
    if value is None or kind is bool:
        return value
    if kind is int:
        if -(1 << 63) <= value < (1 << 63):
            return value
        return {"i": f"{value:x}"} if value.bit_length() <= MOST_BITS else _encode_handle(value)
    if kind is str:
        return value if len(value) <= MOST_TEXT else _encode_handle(value)
    if type(value) is RemoteFunction and functions.get(value.number) is value:  # others are of an earlier test
        return {"c": value.number}
    tag = CONTAINERS.get(kind)
    if tag is not None and len(value) <= MOST_ITEMS and depth < DEPTH and id(value) not in shared_containers:
        return _encode_items(value, tag, depth + 1)
    if kind is dict and len(value) <= MOST_ITEMS and depth < DEPTH and id(value) not in shared_containers:
        return {"d": [[encode_value(k, depth + 1), encode_value(v, depth + 1)] for k, v in value.items()]}
    plain_value = _get_plain_value(value, kind)
    if plain_value is not value and type(plain_value) in (float, int, str, bool):
        return encode_value(plain_value, depth)
    if plain_value is value and kind not in CONTAINERS and kind not in (dict, RemoteFunction):
        class_names[kind] = get_name_in_assignment(kind)
    return _encode_handle(value)


def _encode_items(items: Any, tag: str, depth: int) -> dict[str, Any]:
    """Encode a container; a list or tuple of objects of one class names the class once."""
    kinds = set(map(type, items))
    if kinds == {int} and min(items) >= -(1 << 63) and max(items) < (1 << 63):
        return {tag: list(items)}
    encoded = [] if kinds <= class_names.keys() else [encode_value(item, depth) for item in items]
    # how a list looks must not depend on whether its items' class was seen before
    if tag in ROWS and kinds and kinds <= class_names.keys() and len({class_names[kind] for kind in kinds}) == 1:
        return {f"h{tag}": [*map(get_or_make_handle, items)], "k": class_names[kinds.pop()]}
    return {tag: encoded or [encode_value(item, depth) for item in items]}


def decode_value(data: Any) -> Any:
    """Return JSON data from the trusted process as a value of this one."""
    if type(data) is not dict:
        return data
    for tag in data:  # the first key; this side's own handles have another one
        return DECODERS[tag](data[tag])
    return data  # a dict with nothing in it


def _decode_items(items: Any) -> list[Any]:
    return [decode_value(item) if type(item) is dict else item for item in items]


@use_sequential_hashes
class RemoteFunction:
    """A function of the trusted process: calling this object calls that function."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, *arguments: Any) -> Any:
        """Call it, and answer its requests until it returns."""
        global _call_count
        if functions.get(self.number) is not self:
            return None  # the function is of an earlier test, which is over
        limit = sys.getrecursionlimit()
        # an exchange is never cut in half by the student's depth; who set the limit to the largest keeps it
        sys.setrecursionlimit(min(limit + 100, HIGHEST_LIMIT))
        try:
            _call_count += 1
            number = _call_count
            send_message_at_once([number, "call", self.number, [encode_value(argument) for argument in arguments]])
            while True:
                message = receive_message_or_exit()
                if message[1] == "return" and message[0] == number:
                    return decode_value(message[2])
                if message[1] == "unwind" and message[0] == number:
                    raise UnwindEndedTest
                answer(message)  # noqa: F821
        finally:
            sys.setrecursionlimit(limit)


@use_sequential_hashes
class OneWayCallback:
    """Records its calls; the next message reports them to the tests, in the order of the calls."""

    __slots__ = ("number", "test")

    def __init__(self, number: int) -> None:
        self.number, self.test = number, _test_count

    def __call__(self) -> None:
        """Report the call, unless this is of an earlier test."""
        if self.test == _test_count:
            queue_callback_call(self.number)


# keyed by the tag that stands for a kind of value; see ``request_value_encoding``
DECODERS: dict[str, Callable[[Any], Any]] = {
    "h": get_object,
    "hl": get_objects,
    "ht": lambda handles: tuple(get_objects(handles)),
    "hll": lambda rows: [get_objects(row) for row in rows],
    "hlt": lambda rows: [tuple(get_objects(row)) for row in rows],
    "htl": lambda rows: tuple([get_objects(row) for row in rows]),
    "htt": lambda rows: tuple([tuple(get_objects(row)) for row in rows]),
    "ll": list,
    "lt": lambda rows: [*map(tuple, rows)],
    "tl": tuple,
    "tt": lambda rows: tuple(map(tuple, rows)),
    "nl": lambda numbers: [*map(OneWayCallback, numbers)],
    "nt": lambda numbers: tuple(map(OneWayCallback, numbers)),
    "rl": lambda repeated: [repeated[0]] * repeated[1],
    "rt": lambda repeated: (repeated[0],) * repeated[1],
    "c": lambda number: functions.setdefault(number, RemoteFunction(number)),
    "n": OneWayCallback,
    "f": float,
    "i": lambda digits: int(digits, 16),
    "l": _decode_items,
    "t": lambda items: tuple(_decode_items(items)),
    "s": lambda items: {*_decode_items(items)},
    "z": lambda items: frozenset(_decode_items(items)),
    "d": lambda items: {decode_value(k): decode_value(v) for k, v in items},
}


class UnwindEndedTest(BaseException):
    """Raised to leave the student's code when a test ended inside a function of the test that this code called."""


def reserve_submission_handles(submission_values: Any) -> None:
    """Give the submission's own names the first handles, whichever of them a test asks for first."""
    for value in submission_values:
        encode_named_submission_value(value)


def encode_named_submission_value(value: Any) -> Any:
    """Return one of the submission's own names as JSON data: its handle is below those of all requests."""
    handle_before = start_giving_lasting_handles()
    encoded = encode_value(value)
    stop_giving_lasting_handles(handle_before)
    return encoded


def decode_request_arguments(arguments: list[Any]) -> None:
    """Decode a request's arguments in place; new objects are numbered by the request that first shows them.

    So a number does not depend on what earlier requests gave, and the same requests find the same objects.
    """
    for index, argument in enumerate(arguments):
        if type(argument) is dict:
            handle = argument.get("h")
            arguments[index] = objects[handle] if handle in objects else decode_value(argument)
    begin_request_handles()


def reset_for_test(reverses_set_order: bool) -> None:
    """Drop what the last test held, apart from the submission's own names.

    For ``reverses_set_order``, see ``determinism.reset_determinism``.
    """
    global _test_count
    drop_test_objects()
    _test_count += 1
    reset_determinism(reverses_set_order)

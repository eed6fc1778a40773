"""Encode and decode values on the student's side: plain data by value, everything else by handle."""

import sys
from collections.abc import Callable
from typing import Any

from autograder.bridge.inside.determinism import begin, count_out
from autograder.bridge.inside.talk import note, receive, send

CONTAINERS: dict[Any, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}
MOST_ITEMS = 250_000
MOST_TEXT, MOST_BITS = 20_000, 14_000  # of a text's characters and an integer's bits that travel; see ``wire``
DEPTH = 12
HIGHEST_LIMIT = (1 << 31) - 1

answer: Callable[[Any], None]  # set by ``serve``: requests may come while a trusted function is at work


_objects: dict[int, Any] = {}
_handles: dict[int, int] = {}
_functions: dict[int, "TrustedFunction"] = {}
_counter = 0  # the last handle given
_last_name = 0  # the last handle given to one of the submission's own names
_requests = 0  # of this test
_tests = 0
_calls = 0
HANDLES = 1 << 20  # that one request may give: more than an answer has
_named: dict[str, Any] = {}
_by_handle: set[type] = set()  # classes whose instances never go by value
_own: set[int] = set()  # ids of the submission's classes: their instances are objects, even if they are floats too
_shared: dict[int, Any] = {}  # containers that tests and student share: by handle, never copied


def _handle(value: Any) -> dict[str, Any]:
    global _counter
    number = _handles.get(id(value))
    if number is None:
        _counter += 1
        number = _counter
        _handles[id(value)] = number
        _objects[number] = value
    return {"h": number, "k": type(value).__name__[:100]}


def _plain(value: Any, kind: type) -> Any:
    """Return the number or text inside an instance of a subclass, whatever the subclass says of itself."""
    for base in kind.__mro__:
        if id(base) in _own:
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


def encode(value: Any, depth: int = 0) -> Any:
    """Return a value of this process as JSON data: plain data by value, everything else by handle."""
    kind = type(value)
    if kind is float:
        return value if value - value == 0.0 else {"f": "nan" if value != value else "inf" if value > 0 else "-inf"}
    if value is None or kind is bool:
        return value
    if kind is int:
        if -(1 << 63) <= value < (1 << 63):
            return value
        return {"i": f"{value:x}"} if value.bit_length() <= MOST_BITS else _handle(value)
    if kind is str:
        return value if len(value) <= MOST_TEXT else _handle(value)
    if type(value) is TrustedFunction and _functions.get(value.number) is value:  # others are of an earlier test
        return {"c": value.number}
    tag = CONTAINERS.get(kind)
    if tag is not None and len(value) <= MOST_ITEMS and depth < DEPTH and id(value) not in _shared:
        if set(map(type, value)) == {int} and min(value) >= -(1 << 63) and max(value) < (1 << 63):
            return {tag: list(value)}
        return {tag: [encode(item, depth + 1) for item in value]}
    if kind is dict and len(value) <= MOST_ITEMS and depth < DEPTH and id(value) not in _shared:
        return {"d": [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in value.items()]}
    if kind not in _by_handle:
        plain = _plain(value, kind)
        if plain is not value and type(plain) in (float, int, str, bool):
            return encode(plain, depth)
        if plain is value and kind not in CONTAINERS and kind is not dict:
            _by_handle.add(kind)
    return _handle(value)


def decode(data: Any) -> Any:
    """Return JSON data from the trusted process as a value of this one."""
    if type(data) is not dict:
        return data
    for tag, content in data.items():
        if tag == "h":
            return _found(content)
        if tag == "hl":
            return [*map(_found, content)]
        if tag == "ht":
            return tuple(map(_found, content))
        if tag == "c":
            return _functions.setdefault(content, TrustedFunction(content))
        if tag == "n":
            return Note(content)
        if tag == "f":
            return float(content)
        if tag == "i":
            return int(content, 16)
        if tag == "l":
            return _decoded(content)
        if tag == "t":
            return tuple(_decoded(content))
        if tag == "s":
            return {*_decoded(content)}
        if tag == "z":
            return frozenset(_decoded(content))
        if tag == "d":
            return {decode(k): decode(v) for k, v in content}
    raise ValueError("unknown kind of value")


def _decoded(items: Any) -> list[Any]:
    return [decode(item) if type(item) is dict else item for item in items]


class Gone(Exception):
    """There is no object with this handle."""


def _found(handle: int) -> Any:
    try:
        return _objects[handle]
    except KeyError:
        raise Gone from None


@count_out
class TrustedFunction:
    """A function of the trusted process: calling it calls that one."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, *arguments: Any) -> Any:
        """Call it, and answer its requests until it returns."""
        global _calls
        if _functions.get(self.number) is not self:
            return None  # of an earlier test, and nobody listens
        limit = sys.getrecursionlimit()
        # an exchange is never cut in half by the student's depth; who set the limit to the largest keeps it
        sys.setrecursionlimit(min(limit + 100, HIGHEST_LIMIT))
        try:
            _calls += 1
            number = _calls
            send([number, "call", self.number, [encode(argument) for argument in arguments]])
            while True:
                message = receive()
                if message[1] == "return" and message[0] == number:
                    return decode(message[2])
                if message[1] == "unwind" and message[0] == number:
                    raise Unwind
                answer(message)  # noqa: F821
        finally:
            sys.setrecursionlimit(limit)


@count_out
class Note:
    """Called, it is noted; the tests are told with the next message, in the order of the calls."""

    __slots__ = ("number", "test")

    def __init__(self, number: int) -> None:
        self.number, self.test = number, _tests

    def __call__(self) -> None:
        """Note it, unless it is of an earlier test."""
        if self.test == _tests:
            note(self.number)


class Unwind(BaseException):
    """A test ended inside a function of its own; the student's code on the way is left."""


def keep(value: Any) -> Any:
    """Share a container with the tests: it travels by handle from now on."""
    _shared[id(value)] = value
    return value


def keep_named(name: str, value: Any, made: Any) -> Any:
    """Remember one of the submission's own names, and the class of what it makes: its handle outlives ``forget``."""
    _named[name] = value
    if isinstance(value, type):
        _own.update((id(value), id(made)))
    return value


def forget_names() -> list[str]:
    """Drop everything of the submission's, its own names too; return those, in the order of their handles."""
    global _last_name
    names = [*_named]
    for held in (_objects, _handles, _functions, _shared, _named, _own, _by_handle):
        held.clear()
    _last_name = 0
    return names


def number_names(values: Any) -> None:
    """Give the submission's own names the first handles, whichever of them a test asks for first."""
    for value in values:
        encode_named(value)


def encode_named(value: Any) -> Any:
    """Return one of the submission's own names as JSON data: its handle is below those of all requests."""
    global _counter, _last_name
    before, _counter = _counter, _last_name
    encoded = encode(value)
    _counter, _last_name = before, _counter
    return encoded


def begin_request() -> None:
    """Begin a request: new objects are numbered by the request that first shows them.

    So a number does not depend on what earlier requests gave, and the same requests find the same objects.
    """
    global _requests, _counter
    _requests += 1
    _counter = _requests * HANDLES


def forget(falling: bool) -> None:
    """Drop what the last test held, apart from the submission's own names; for ``falling``, see ``begin``."""
    global _counter, _requests, _tests
    kept = {_handles[id(value)]: value for value in _named.values() if id(value) in _handles}
    _objects.clear()
    _handles.clear()
    _functions.clear()
    _shared.clear()
    for number, value in kept.items():
        _objects[number] = value
        _handles[id(value)] = number
    _counter = _requests = 0
    _tests += 1
    begin(falling)

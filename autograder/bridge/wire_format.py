"""Encode and decode values that travel: JSON in which only plain data is plain, and all else says what it is.

    null, true, 3, 2.5, "text"      as they are; floats keep every bit
    {"f": "nan" | "inf" | "-inf"}   the floats that JSON has no word for
    {"i": "-1f"}                    an integer beyond 64 bits, hexadecimal
    {"l": [...]} {"t": [...]}       list, tuple
    {"hl": [7, 8]} {"ht": [...]}    to the student's process: a list or tuple of handles and nothing else
    {"htl": [[7], [8, 9]]} ...      to the student's process: a tuple (or list) of lists (or tuples) of handles
    {"tl": [[1.0], [2.0, 3.0]]} ... to the student's process: a tuple (or list) of lists (or tuples) of plain data
    {"rt": ["grad", 3]} ...         to the student's process: a tuple (or list) that repeats one text
    {"nl": [0, 1]} {"nt": [...]}    to the student's process: a list or tuple of notes
    {"s": [...]} {"z": [...]}       set, frozenset
    {"d": [[key, value], ...]}      dict
    {"h": 7, "k": "Value"}          a handle: object 7 of the student's process, and its class's name
    {"c": 3}                        function 3 of the trusted process

Nothing is pickled, and no class of the student's is ever made here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Any, Protocol

import msgspec

DEPTH = 50
MOST_TEXT = 20_000
"""Characters; a longer text of the student's comes as a handle, and so does an integer of more digits."""
MOST_HEX_DIGITS = 3_500
"""What Python still turns into decimal digits without complaint (4,300 of those)."""
HIGHEST_HANDLE = 1 << 53
MOST_ODD_WEIGHT = 2_000
"""Weight of all members of sets and keys of dicts in one message that are neither plain nor handles. Tuples, frozen
sets and large integers can be made to have equal hashes. Then each is compared with each, and each part of one with
each part of the other: the work grows with the square of this."""
TEXT_OF_WEIGHT = 100
"""Characters or digits that weigh as much as one value."""
MOST_BRACES = 300_000
"""Values with a tag in one message: more than the largest honest answer has."""
TAGS: dict[Any, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}
SIXTY_FOUR_BITS = 1 << 63
PLAIN = frozenset({type(None), bool, int, float, str})
AS_THEY_ARE = frozenset({type(None), bool, str})


class MalformedMessage(Exception):
    """A message that does not keep to the format."""


class ReferenceTable(Protocol):
    """Knows what stands for objects of either side."""

    def make_reference(self, value: Any) -> dict[str, int] | None:
        """Return the reference for a stand-in or a function; None when the value is neither."""

    def list_numbers_of_one_kind(self, values: Sequence[Any]) -> tuple[str, list[int]] | None:
        """Return the key and the numbers of stand-ins or notes, of one class all; None if they are neither."""


def encode_value(value: Any, references: ReferenceTable, depth: int = 0) -> Any:
    """Return a value of the trusted side as JSON data.

    Args:
        value: plain data, containers of it, stand-ins and functions.
        references: gives what stands for stand-ins and functions.
        depth: how deep in containers ``value`` lies.

    Raises:
        TypeError: ``value`` is of a kind that does not travel.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -SIXTY_FOUR_BITS <= value < SIXTY_FOUR_BITS else {"i": f"{value:x}"}
    if kind is float:
        return value if math.isfinite(value) else {"f": "nan" if value != value else f"{value:g}"}
    if depth > DEPTH:
        raise TypeError("containers are nested too deeply to send")
    if kind is list or kind is tuple:
        return _sequence(TAGS[kind], value, references, depth)
    reference = references.make_reference(value)
    if reference is not None:
        return reference
    tag = TAGS.get(kind)
    if tag is not None:
        return {tag: [encode_value(item, references, depth + 1) for item in value]}
    if kind is dict:
        return {
            "d": [
                [encode_value(k, references, depth + 1), encode_value(v, references, depth + 1)]
                for k, v in value.items()
            ]
        }
    raise TypeError(f"a {kind.__name__} cannot be sent to a student's process")


def _sequence(tag: str, items: Any, references: ReferenceTable, depth: int) -> Any:
    """Return a list or tuple as JSON data; most hold one kind of thing and need no look at each item."""
    kinds = {*map(type, items)}
    if kinds == {str} and items.count(items[0]) == len(items) > 1:
        return {f"r{tag}": [items[0], len(items)]}
    if _are_plain(kinds, items):
        return {tag: items}
    if len(kinds) == 1:
        (kind,) = kinds
        found = references.list_numbers_of_one_kind(items)
        if found is not None:
            key, numbers = found
            return {f"{key}{tag}": numbers}
        if kind is list or kind is tuple:
            rows = _rows(tag + TAGS[kind], items, references)
            if rows is not None:
                return rows
    return {tag: [encode_value(item, references, depth + 1) for item in items]}


def _are_plain(kinds: set[type], items: Sequence[Any]) -> bool:
    """Return whether items of these classes travel as they are."""
    return kinds <= AS_THEY_ARE or (kinds == {float} and all(map(math.isfinite, items)))


def _rows(tags: str, rows: Sequence[Sequence[Any]], references: ReferenceTable) -> dict[str, Any] | None:
    """Return several lists or tuples as JSON data if they hold nothing but plain data, or but stand-ins."""
    items = [*chain.from_iterable(rows)]
    kinds = {*map(type, items)}
    if _are_plain(kinds, items):
        return {tags: rows}
    found = references.list_numbers_of_one_kind(items) if len(kinds) == 1 else None
    if found is None:
        return None
    remaining = iter(found[1])
    return {found[0] + tags: [[*islice(remaining, len(row))] for row in rows]} if found[0] == "h" else None


def decode_value(data: Any, resolve_stand_in: Callable[[int, str], Any], get_function: Callable[[int], Any]) -> Any:
    """Return JSON data from the student's process as a value.

    Args:
        data: what ``parse_frame`` gave.
        resolve_stand_in: the stand-in for a handle and its class's name.
        get_function: the trusted function with this number.

    Raises:
        MalformedMessage: the data does not keep to the format, or would take too long to build.
    """
    return _plain(data) if type(data) in PLAIN else _Decoder(resolve_stand_in, get_function).value(data)


class _Decoder:
    """Builds the value of one message."""

    __slots__ = ("_function", "_odd_weight", "_resolve")

    def __init__(self, resolve: Callable[[int, str], Any], function: Callable[[int], Any]) -> None:
        self._resolve, self._function = resolve, function
        self._odd_weight = 0

    def value(self, data: Any) -> Any:
        """See ``decode_value``."""
        if type(data) in PLAIN:
            return _plain(data)
        if type(data) is not dict:
            raise MalformedMessage("a bare list")
        if len(data) == 2 and type(data.get("h")) is int and type(data.get("k")) is str:
            if not 0 < data["h"] < HIGHEST_HANDLE:
                raise MalformedMessage("a handle that cannot be")
            return self._resolve(data["h"], data["k"])
        if len(data) != 1:
            raise MalformedMessage("an unknown kind of value")
        ((tag, content),) = data.items()
        if tag == "c" and type(content) is int:
            return self._function(content)
        if tag == "f" and content in ("nan", "inf", "-inf"):
            return float(content)
        if tag == "i" and type(content) is str:
            return _integer(content)
        if type(content) is not list:
            raise MalformedMessage(f"a {tag!r} without items")
        try:
            return self._container(tag, content)
        except (TypeError, ValueError) as error:
            raise MalformedMessage(str(error)) from None

    def _container(self, tag: str, content: list[Any]) -> Any:
        value = self.value
        if tag == "d":
            self._weigh([key for key, _ in content])
            return {value(k): value(v) for k, v in content}
        if tag in ("s", "z"):
            self._weigh(content)
        items = [value(item) for item in content]
        match tag:
            case "l":
                return items
            case "t":
                return tuple(items)
            case "s":
                return set(items)
            case "z":
                return frozenset(items)
        raise MalformedMessage(f"an unknown kind of value {tag!r}")

    def _weigh(self, members: list[Any]) -> None:
        """Refuse what would be slow to put into a table; see ``MOST_ODD_WEIGHT``."""
        for member in members:
            if type(member) not in PLAIN and not (type(member) is dict and "h" in member):
                self._odd_weight += _measure_weight(member)
                if self._odd_weight > MOST_ODD_WEIGHT:
                    raise MalformedMessage("a collection that would be slow to build")


def _measure_weight(data: Any) -> int:
    """Return how much there is to compare in JSON data; stop counting where it is too much."""
    weight, waiting = 0, [data]
    while waiting and weight <= MOST_ODD_WEIGHT:
        one = waiting.pop()
        weight += 1
        if type(one) is str:
            weight += len(one) // TEXT_OF_WEIGHT
        elif type(one) is list:
            waiting += one[:MOST_ODD_WEIGHT]
        elif type(one) is dict:
            waiting += one.values()
    return weight


class UnparsedAnswer:
    """What a process answered to one request: parts of its message, neither read nor believed yet.

    Attributes:
        kind: ``ok``, ``raised`` or ``void``.
        key: everything that a test can see of it; equal for equal answers.
    """

    __slots__ = ("_parts", "key", "kind")

    def __init__(self, parts: list[msgspec.Raw]) -> None:
        """Take the parts of an answer.

        Raises:
            MalformedMessage: they are not the parts of an answer.
        """
        kind = _SHAPES.get((len(parts), bytes(parts[0]) if parts else b""))
        if kind is None:
            raise MalformedMessage("an unknown kind of answer")
        self.kind, self._parts = kind, parts
        self.key = b"".join(parts[:3])

    @property
    def parsed_content(self) -> Any:
        """Return the value or the exception, as JSON data. Raises as ``parse_frame`` does."""
        return _read(bytes(self._parts[1]))

    @property
    def parsed_notes(self) -> Any:
        """Return the notes that were called meanwhile, by number."""
        return _read(bytes(self._parts[2])) if self._parts[2] != NO_NOTES else []

    @property
    def parsed_place(self) -> Any:
        """Return where an exception was raised."""
        return _read(bytes(self._parts[3]))


NO_NOTES = b"[]"
_SHAPES = {(3, b'"ok"'): "ok", (4, b'"raised"'): "raised", (1, b'"void"'): "void"}


def split_answers_until_one_fails(frame: bytes, request_count: int) -> list[UnparsedAnswer]:
    """Return the answers in a message of the kind ``answers``.

    Args:
        frame: the message.
        request_count: how many requests were sent; the first that did not end well is the last that was carried out.

    Raises:
        MalformedMessage: it is no such message.
    """
    if frame.count(b"{") > MOST_BRACES:
        raise MalformedMessage("more values than an answer has")
    try:
        told = _answers_decoder.decode(frame)[2]
    except (ValueError, RecursionError):
        told = _split_answers_slowly(frame)
    answers = [UnparsedAnswer(parts) for parts in told]
    if len(answers) != request_count and not (0 < len(answers) < request_count and answers[-1].kind != "ok"):
        raise MalformedMessage("another number of answers than of requests")
    return answers


def _split_answers_slowly(frame: bytes) -> list[list[msgspec.Raw]]:
    """Return the parts of answers that hold something legal that only the slow parser takes; see ``_read``."""
    message = _parse_slowly(frame)
    try:
        number, kind, answers = message
        shaped = type(number) is int and type(kind) is str and type(answers) is list
        if not shaped or not all(type(answer) is list for answer in answers):
            raise MalformedMessage("no answers")
        return [[msgspec.Raw(_pack_part_slowly(part)) for part in answer] for answer in answers]
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedMessage(type(error).__name__) from None


def _pack_part_slowly(part: Any) -> bytes:
    return json.dumps(part, allow_nan=False, separators=(",", ":")).encode()


def _read(data: bytes) -> Any:
    try:
        return _decoder.decode(data)
    except (ValueError, RecursionError):
        # Half of a surrogate pair is legal in JSON and in a student's string; only the slow parser takes it.
        return _parse_slowly(data)


def parse_frame(frame: bytes) -> list[Any]:
    """Return a frame as a message: a list whose first item is its id.

    Raises:
        MalformedMessage: it is not JSON, not a message, or would take too long to read.
    """
    if frame.count(b"{") > MOST_BRACES:
        raise MalformedMessage("more values than an answer has")
    message = _read(frame)
    if type(message) is not list or len(message) < 2 or type(message[0]) is not int or type(message[1]) is not str:
        raise MalformedMessage("not a message")
    return message


def pack_json_message(message: list[Any]) -> bytes:
    """Return a message as the content of a frame."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return json.dumps(message, allow_nan=False).encode()


def _plain(data: Any) -> Any:
    if type(data) is str and len(data) > MOST_TEXT:
        raise MalformedMessage("a text too long")
    if type(data) is int and not -SIXTY_FOUR_BITS <= data < SIXTY_FOUR_BITS:
        raise MalformedMessage("a large integer that does not say so")
    return data


def _integer(text: str) -> int:
    if len(text) > MOST_HEX_DIGITS + 1:
        raise MalformedMessage("an integer too large")
    try:
        return int(text, 16)
    except ValueError:
        raise MalformedMessage("not an integer") from None


def _parse_slowly(frame: bytes) -> Any:
    try:
        return _slow_decoder.decode(frame.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise MalformedMessage(type(error).__name__) from None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()
_answers_decoder = msgspec.json.Decoder(tuple[int, str, list[list[msgspec.Raw]]])
_slow_decoder = json.JSONDecoder(parse_constant=_no_constant)

"""Encode values for a student's process as JSON, and decode those that come back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from autograder.bridge.messages import MOST_BRACES, MalformedMessage

if TYPE_CHECKING:
    from autograder.bridge.objects import HandleTable


DEPTH = 50
TAGS: dict[Any, str] = {list: "l", tuple: "t", set: "s", frozenset: "z"}
SIXTY_FOUR_BITS = 1 << 63
AS_THEY_ARE = frozenset({type(None), bool, str})


def encode_value(value: Any, handle_table: HandleTable, depth: int = 0) -> Any:
    """Return a value of the trusted side as JSON data.

    Args:
        value: plain data, containers of it, stand-ins and functions.
        handle_table: makes the references for stand-ins, functions and recording callbacks.
        depth: how deep in containers ``value`` lies.

    Raises:
        TypeError: ``value`` is of a type that cannot be sent, or nested too deeply.
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
        return _encode_sequence(TAGS[kind], value, handle_table, depth)
    reference = handle_table.make_reference_or_none(value)
    if reference is not None:
        return reference
    tag = TAGS.get(kind)
    if tag is not None:
        return {tag: [encode_value(item, handle_table, depth + 1) for item in value]}
    if kind is dict:
        return {
            "d": [
                [encode_value(k, handle_table, depth + 1), encode_value(v, handle_table, depth + 1)]
                for k, v in value.items()
            ]
        }
    raise TypeError(
        f"a {kind.__name__} cannot be sent to a student's process; "
        "send numbers, texts, containers of them, functions, or what the student's code gave"
    )


def _encode_sequence(tag: str, items: Any, handle_table: HandleTable, depth: int) -> Any:
    """Return a list or tuple as JSON data; most hold items of one kind, which are encoded together."""
    kinds = {*map(type, items)}
    if kinds == {str} and items.count(items[0]) == len(items) > 1:
        return {f"r{tag}": [items[0], len(items)]}
    if _are_plain(kinds, items):
        return {tag: items}
    if len(kinds) == 1:
        (kind,) = kinds
        references = handle_table.try_encode_references(items)
        if references is not None:
            key, numbers = references
            return {f"{key}{tag}": numbers}
        if kind is list or kind is tuple:
            rows = _encode_rows(tag + TAGS[kind], items, handle_table)
            if rows is not None:
                return rows
    return {tag: [encode_value(item, handle_table, depth + 1) for item in items]}


def _are_plain(kinds: set[type], items: Sequence[Any]) -> bool:
    """Return whether items of these classes are sent unchanged."""
    return kinds <= AS_THEY_ARE or (kinds == {float} and all(map(math.isfinite, items)))


def _encode_rows(tags: str, rows: Sequence[Sequence[Any]], handle_table: HandleTable) -> dict[str, Any] | None:
    """Return several lists or tuples as JSON data if they hold only plain data or only stand-ins; else None."""
    items = [*chain.from_iterable(rows)]
    kinds = {*map(type, items)}
    if _are_plain(kinds, items):
        return {tags: rows}
    references = handle_table.try_encode_references(items) if len(kinds) == 1 else None
    if references is None:
        return None
    remaining = iter(references[1])
    return {references[0] + tags: [[*islice(remaining, len(row))] for row in rows]} if references[0] == "h" else None


MOST_TEXT = 20_000
"""Maximum characters of a text; a longer text of the student's arrives as a handle, and so does an integer of more
than ``MOST_HEX_DIGITS``."""
MOST_HEX_DIGITS = 3_500
"""Maximum hexadecimal digits of an integer: Python converts up to 4,300 decimal digits without an error."""
HIGHEST_HANDLE = 1 << 53
MOST_ODD_WEIGHT = 2_000
"""Maximum total weight, in one message, of set members and dict keys that are neither plain nor handles. Tuples,
frozen sets and large integers can be constructed with equal hashes. Then each is compared with each, and each part of
one with each part of the other, so the work grows with the square of the weight."""
TEXT_OF_WEIGHT = 100
"""Characters or digits that weigh as much as one value."""
ROWS: dict[str, Callable[[list[Any]], Any]] = {"hl": list, "ht": tuple}
PLAIN = frozenset({type(None), bool, int, float, str})


def decode_value(data: Any, resolve_stand_in: Callable[[int, str], Any], get_function: Callable[[int], Any]) -> Any:
    """Return JSON data from the student's process as a value.

    Args:
        data: what ``parse_json_message`` gave.
        resolve_stand_in: returns the stand-in for a handle, given its number and the name of its class.
        get_function: returns the trusted function with a given number.

    Raises:
        MalformedMessage: the data does not keep to the format, or would take too long to build.
    """
    return _require_decodable(data) if type(data) in PLAIN else _Decoder(resolve_stand_in, get_function).value(data)


class _Decoder:
    """Builds the value of one message."""

    __slots__ = ("_function", "_listed_count", "_odd_weight", "_resolve")

    def __init__(self, resolve: Callable[[int, str], Any], function: Callable[[int], Any]) -> None:
        self._resolve, self._function = resolve, function
        self._odd_weight = self._listed_count = 0

    def value(self, data: Any) -> Any:
        """See ``decode_value``."""
        if type(data) in PLAIN:
            return _require_decodable(data)
        if type(data) is not dict:
            raise MalformedMessage("a list has no tag")
        if len(data) == 2 and type(data.get("k")) is str:
            return self._decode_objects(data, data["k"])
        if len(data) != 1:
            raise MalformedMessage("the kind of value is unknown")
        ((tag, content),) = data.items()
        if tag == "c" and type(content) is int:
            return self._function(content)
        if tag == "f" and content in ("nan", "inf", "-inf"):
            return float(content)
        if tag == "i" and type(content) is str:
            return _parse_integer(content)
        if type(content) is not list:
            raise MalformedMessage(f"the container {tag!r} has no items")
        try:
            return self._decode_container(tag, content)
        except (TypeError, ValueError) as error:
            raise MalformedMessage(str(error)) from None

    def _decode_objects(self, data: dict[str, Any], class_name: str) -> Any:
        """Return the stand-in for an object, or a list or tuple of them."""
        if "h" in data:
            return self._decode_object(data["h"], class_name)
        for tag, make in ROWS.items():
            if type(data.get(tag)) is list:
                self._listed_count += len(data[tag])
                if self._listed_count > MOST_BRACES:
                    raise MalformedMessage("the answer has too many values")
                return make([self._decode_object(number, class_name) for number in data[tag]])
        raise MalformedMessage("the kind of value is unknown")

    def _decode_object(self, number: Any, class_name: str) -> Any:
        if type(number) is not int or not 0 < number < HIGHEST_HANDLE:
            raise MalformedMessage("the handle is out of range")
        return self._resolve(number, class_name)

    def _decode_container(self, tag: str, content: list[Any]) -> Any:
        value = self.value
        if tag == "d":
            self._add_weight([key for key, _ in content])
            return {value(k): value(v) for k, v in content}
        if tag in ("s", "z"):
            self._add_weight(content)
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
        raise MalformedMessage(f"the kind of value {tag!r} is unknown")

    def _add_weight(self, members: list[Any]) -> None:
        """Raise ``MalformedMessage`` if the members would be slow to hash and compare; see ``MOST_ODD_WEIGHT``."""
        for member in members:
            if type(member) not in PLAIN and not (type(member) is dict and "h" in member):
                self._odd_weight += _measure_weight(member)
                if self._odd_weight > MOST_ODD_WEIGHT:
                    raise MalformedMessage("a collection would be slow to build")


def _measure_weight(data: Any) -> int:
    """Return how much there is to compare in JSON data; stop counting above ``MOST_ODD_WEIGHT``."""
    weight, waiting = 0, [data]
    while waiting and weight <= MOST_ODD_WEIGHT:
        part = waiting.pop()
        weight += 1
        if type(part) is str:
            weight += len(part) // TEXT_OF_WEIGHT
        elif type(part) is list:
            waiting += part[:MOST_ODD_WEIGHT]
        elif type(part) is dict:
            waiting += part.values()
    return weight


def _require_decodable(data: Any) -> Any:
    if type(data) is str and len(data) > MOST_TEXT:
        raise MalformedMessage("a text is too long")
    if type(data) is int and not -SIXTY_FOUR_BITS <= data < SIXTY_FOUR_BITS:
        raise MalformedMessage("a large integer is not marked as large")
    return data


def _parse_integer(text: str) -> int:
    if len(text) > MOST_HEX_DIGITS + 1:
        raise MalformedMessage("an integer is too large")
    try:
        return int(text, 16)
    except ValueError:
        raise MalformedMessage("the text of an integer is malformed") from None

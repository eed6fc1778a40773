"""Encode values for a student's process as JSON: plain data as it is, everything else with a tag.

    null, true, 3, 2.5, "text"      as they are; floats keep every bit
    {"f": "nan" | "inf" | "-inf"}   the floats that JSON cannot express
    {"i": "-1f"}                    an integer beyond 64 bits, hexadecimal
    {"l": [...]} {"t": [...]}       list, tuple
    {"s": [...]} {"z": [...]}       set, frozenset
    {"d": [[key, value], ...]}      dict
    {"h": 7, "k": "Value"}          a handle: object 7 of the process, and its class (see ``inside.value_codec``)
    {"hl": [7, 8], "k": "Value"}    a list of objects of one class; "ht" for a tuple
    {"c": 3}                        function 3 of the trusted process

Handles that are sent to the student's process come without the class. Only in that direction, there are also:

    {"htl": [[7], [8, 9]]} ...      a tuple (or list) of lists (or tuples) of handles
    {"tl": [[1.0], [2.0, 3.0]]} ... a tuple (or list) of lists (or tuples) of plain data
    {"rt": ["grad", 3]} ...         a tuple (or list) that repeats one text
    {"nl": [0, 1]} {"nt": [...]}    a list or tuple of recording callbacks

Nothing is pickled, and no class of the student's is ever made here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.bridge.handle_table import HandleTable

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

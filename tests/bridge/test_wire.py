"""What an answer may make the trusted side do: no message builds a table in which many members have one hash."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autograder.bridge.messages import MalformedMessage, parse_json_message
from autograder.bridge.values import MOST_ODD_WEIGHT, decode_value

PRIME = (1 << 61) - 1
"""Integers that differ by a multiple of it have one hash."""


def decoded(data: Any) -> Any:
    """The value of an answer with this content."""
    return decode_value(
        parse_json_message(json.dumps([1, "ok", data]).encode())[2], lambda number, _: number, lambda number: number
    )


def integers(count: int, first: int = 0) -> list[Any]:
    return [{"i": f"{(first + number) * PRIME:x}"} for number in range(count)]


FLOODS = {
    "integers": {"s": integers(MOST_ODD_WEIGHT)},
    "keys": {"d": [[key, 1] for key in integers(MOST_ODD_WEIGHT)]},
    "frozen sets of integers": {"s": [{"z": integers(100, 100 * number)} for number in range(30)]},
    "tuples of frozen sets": {"s": [{"t": [{"z": integers(50, number)}]} for number in range(40)]},
    "many small sets": {"l": [{"s": integers(30, 30 * number)} for number in range(60)]},
    "sets in sets": {"s": [{"z": [{"z": integers(10, 10 * number)}]} for number in range(200)]},
    "tuples of long texts": {"s": [{"t": ["x" * 19_000, number]} for number in range(20)]},
    "long integers": {"s": [{"i": "f" * 3_000 + f"{number:04x}"} for number in range(70)]},
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS.keys())
def test_members_that_may_have_one_hash_are_refused_when_they_are_many_in_one_message(flood: Any) -> None:
    with pytest.raises(MalformedMessage, match="slow to build"):
        decoded(flood)


HONEST: dict[str, tuple[Any, Any]] = {
    "a set of pairs": ({"s": [{"t": [n, n + 1]} for n in range(300)]}, {(n, n + 1) for n in range(300)}),
    "a set of sets": ({"s": [{"z": [n]} for n in range(100)]}, {frozenset({n}) for n in range(100)}),
    "large integers": ({"s": integers(50)}, {n * PRIME for n in range(50)}),
    "many numbers": ({"s": [*range(50_000)]}, {*range(50_000)}),
    "many floats": ({"s": [n / 2 for n in range(5_001)]}, {n / 2 for n in range(5_001)}),
    "many objects": ({"s": [{"h": n, "k": "Value"} for n in range(1, 20_000)]}, {*range(1, 20_000)}),
    "a list of objects of one class": ({"hl": [1, 2], "k": "Value"}, [1, 2]),
    "tuples of such": ({"s": [{"ht": [n, n], "k": "Value"} for n in range(1, 300)]}, {(n, n) for n in range(1, 300)}),
    "keys": ({"d": [[{"t": [n]}, {"l": [n]}] for n in range(300)]}, {(n,): [n] for n in range(300)}),
    "a list of many pairs": ({"l": [{"t": [n, n]} for n in range(20_000)]}, [(n, n) for n in range(20_000)]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "value"), HONEST.values(), ids=HONEST.keys())
def test_what_engines_keep_in_sets_arrives(data: Any, value: Any) -> None:
    assert decoded(data) == value


def test_no_more_objects_come_in_lists_than_one_by_one() -> None:
    with pytest.raises(MalformedMessage, match="the answer has too many values"):
        decoded({"l": [{"hl": [1] * 100_000, "k": "Value"}] * 4})

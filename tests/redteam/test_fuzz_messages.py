"""Whatever a student's process sends is read or refused in bounded time."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.bridge.messages import (
    MalformedMessage,
    parse_json_message,
    split_answers_message,
)
from autograder.bridge.values import decode_value
from tests.redteam.forged_answers import tagged

MODULUS = 2**61 - 1
"""Python's integers are hashed modulo this: its multiples have equal hashes."""


def decoded(data: Any) -> Any:
    """A value as the bridge decodes it, with plain objects for stand-ins."""
    made: dict[int, object] = {}
    return decode_value(data, lambda number, _: made.setdefault(number, object()), lambda _: len)


@settings(max_examples=400)
@given(tagged)
def test_a_value_is_decoded_or_refused(data: Any) -> None:
    try:
        repr(decoded(data))
    except MalformedMessage:
        return


@settings(max_examples=400)
@given(st.binary(max_size=60) | tagged.map(lambda data: repr(data).replace("'", '"').encode("utf-8", "replace")))
def test_a_frame_is_a_message_or_refused(frame: bytes) -> None:
    try:
        message = parse_json_message(frame)
    except MalformedMessage:
        return
    assert type(message) is list


answers = st.lists(
    st.builds(lambda value, notes: ["ok", value, notes], tagged, tagged | st.just([]))
    | st.builds(lambda *parts: ["raised", *parts], tagged, st.just([]), tagged)
    | st.just(["void"])
    | tagged,
    max_size=4,
)


@pytest.mark.redteam
@settings(max_examples=400)
@given(answers, st.integers(1, 4))
def test_answers_are_as_many_as_were_asked_for_or_refused(told: list[Any], asked: int) -> None:
    frame = json.dumps([7, "answers", told]).encode()
    try:
        found = split_answers_message(frame, asked)
    except MalformedMessage:
        return
    assert len(found) == asked or (0 < len(found) < asked and found[-1].kind != "ok")
    for answer, one in zip(found, told, strict=True):
        with contextlib.suppress(MalformedMessage):
            assert answer.kind == "void" or answer.unchecked_value_or_exception == one[1] or "NaN" in json.dumps(one)


BIG = [{"i": f"{k * MODULUS:x}"} for k in range(1, 100_000)]
LARGE: dict[str, Callable[[], Any]] = {
    "a set of integers with equal hashes": lambda: {"s": BIG},
    "a frozenset of integers with equal hashes": lambda: {"z": BIG},
    "a dict of integers with equal hashes":
        lambda: {"d": [[{"i": f"{k * MODULUS:x}"}, None] for k in range(1, 80_000)]},
    "a set of tuples": lambda: {"s": [{"t": [k, -k]} for k in range(150_000)]},
    "handles with equal hashes": lambda: {"l": [{"h": k * MODULUS, "k": "V"} for k in range(1, 80_000)]},
    "a set of integers with equal low bits": lambda: {"s": [k << 44 for k in range(2**17)]},
    "a million empty containers": lambda: {"l": [{"d": []}] * 450_000},
    "a text of megabytes": lambda: "x" * 3_900_000,
    "an integer of a million digits": lambda: {"i": "7" * 1_000_000},
    "a nest of lists": lambda: eval('{"l":[' * 90 + "]}" * 90),
    "integers without their tag": lambda: {"l": [2**64] * 150_000},
    "half a million numbers": lambda: {"l": [1.5] * 500_000},
    "lists of nothing": lambda: {"l": [{"l": []}] * 240_000},
    "as many lists as there may be": lambda: {"l": [{"l": []}] * 90_000},
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_reading_a_large_message_takes_bounded_work(name: str) -> None:
    frame = encode(["ok", LARGE[name](), []])
    assert count_calls(frame) < 2 * len(frame)


def test_a_message_that_only_the_slow_parser_takes_is_short() -> None:
    numbers = [1.2345678901234567e-300] * 100_000
    assert count_calls(encode(["ok", {"l": numbers}, []])) > 100_000
    with pytest.raises(MalformedMessage):
        split_answers_message(json.dumps([1, "answers", [["ok", {"l": [*numbers, "\ud800"]}, []]]]).encode(), 1)


def encode(answer: list[Any]) -> bytes:
    """A message with one answer."""
    return msgspec.json.encode([1, "answers", [answer]])


def count_calls(frame: bytes) -> int:
    """How many functions are called to read a message."""
    calls = 0

    def count(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        with contextlib.suppress(MalformedMessage):
            decoded(split_answers_message(frame, 1)[0].unchecked_value_or_exception)
    finally:
        sys.setprofile(None)
    return calls

"""From test to test: names stay, objects go, and no function is called by a test that did not hand it in."""

from __future__ import annotations

from contextlib import suppress
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentError, StudentStopped
from tests.bridge.shared import RUN_ONCE

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

GONE = (StudentError, LookupError, TypeError)
"""What using an object that is no more may raise."""


def test_an_object_of_an_earlier_test_is_gone(hand_in: HandIn) -> None:
    submission = hand_in("class Value:\n    data = 1")
    with submission.test() as student:
        kept = student.get("Value")()
        assert kept.data == 1
    with submission.test(), pytest.raises(GONE):
        print(kept.data)


def test_an_object_of_an_earlier_test_is_gone_from_the_students_memory(hand_in: HandIn) -> None:
    source = """
        import weakref
        class Value: pass
        made = []
        def make():
            v = Value()
            made.append(weakref.ref(v))
            return v
        def alive(): return sum(ref() is not None for ref in made)
        """
    submission = hand_in(dedent(source) + RUN_ONCE)
    with submission.test() as student:
        student.get("make")()
        assert student.get("alive")() == 1
    with submission.test() as student:
        assert student.get("alive")() == 0


def test_an_object_of_an_earlier_process_is_gone(hand_in: HandIn) -> None:
    submission = hand_in("class Value:\n    data = 1\ndef make(): return Value()")
    with submission.test() as student:
        old = student.get("make")()
    submission.bridge.end_process()
    with submission.test() as student:
        for _ in range(5):
            student.get("make")()
        with pytest.raises(GONE):
            print(old.data)


def test_names_survive_from_test_to_test(hand_in: HandIn) -> None:
    submission = hand_in("class Value: pass\nshared = object()" + RUN_ONCE)
    with submission.test() as student:
        value_class, shared = student.get("Value"), student.get("shared")
        value_class.count = 1
    with submission.test() as student:
        assert student.get("Value") is value_class
        assert student.get("shared") is shared
        assert value_class.count == 1


KEEPS_FUNCTIONS = "kept = []\ndef keep(call): kept.append(call)\ndef run(number): kept[number]()" + RUN_ONCE


def test_a_function_of_an_earlier_test_is_not_called_by_a_later_one(hand_in: HandIn) -> None:
    submission = hand_in(KEEPS_FUNCTIONS)
    calls = []
    with submission.test() as student:
        student.get("keep")(lambda: calls.append("in its test"))
        student.get("run")(0)
    with submission.test() as student, suppress(StudentError, StudentStopped):
        student.get("run")(0)
    assert calls == ["in its test"]


def test_a_function_of_an_earlier_test_is_not_taken_for_one_of_a_later(hand_in: HandIn) -> None:
    submission = hand_in(KEEPS_FUNCTIONS)
    calls = []
    with submission.test() as student:
        student.get("keep")(lambda: calls.append("first"))
    with submission.test() as student:
        student.get("keep")(lambda: calls.append("second"))
        with suppress(StudentError, StudentStopped):
            student.get("run")(0)
    with submission.test() as student:
        student.get("keep")(lambda: calls.append("third"))
        student.get("run")(2)
    assert calls == ["third"]


def test_ten_thousand_objects_can_be_held_at_once(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    def __init__(self, n): self.n = n").test() as student:
        made = student.make_all(student.get("Value"), range(10_000))
        assert len(set(made)) == 10_000
        assert made[9_999].n == 9_999

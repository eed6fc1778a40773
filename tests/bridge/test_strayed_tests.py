"""A test that asks something else than was sent ahead for it does not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge.messages import TranscriptMismatch
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn
from tests.bridge.requests_ahead import ENGINE, ask_one_by_one, sums


@once
def test_a_test_that_asks_something_else_strays(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)
    with submission.test(asked) as student, pytest.raises(TranscriptMismatch):
        student.get("Value")(4.0)
    assert submission.bridge.transcript.left_known_path
    assert ask_one_by_one(submission, sums)[0][0] == 5, "and the next test is as always"


@once
def test_who_has_strayed_and_caught_it_gets_no_answer_any_more(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)
    with submission.test(asked) as student:
        Value = student.get("Value")  # noqa: N806
        for number in (4.0, 2.0):
            with pytest.raises(TranscriptMismatch):
                Value(number)
    assert submission.bridge.transcript.left_known_path

"""A test whose answers are there for its first requests goes on in the process, if that answers these alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge.messages import Exchange, TranscriptMismatch
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn, LoadedSubmission

KEEPS_COUNT = """
import math

class Value:
    def __init__(self, data):
        math.count = getattr(math, "count", 0) + 1
        self.count = math.count

    def longer(self):
        return self.count
"""


def ask_of_one_that_counts(submission: LoadedSubmission, count: int) -> list[Exchange]:
    """What a test asks that sees this count, which no new run of the code resets."""
    with submission.test() as student:
        value = student.get("Value")(1.0)
        assert value.count == value.longer() == count
        return list(submission.bridge.transcript.exchanges)


@once
@pytest.mark.parametrize("known", [0, 1, 2])
def test_a_test_goes_on_in_the_process_after_the_answers_that_are_there(hand_in: HandIn, known: int) -> None:
    asked = ask_of_one_that_counts(hand_in(KEEPS_COUNT), 1)
    submission = hand_in(KEEPS_COUNT)
    with submission.test(asked[:known], may_go_on=True) as student:
        value = student.get("Value")(1.0)
        assert value.count == value.longer() == 1
    assert not submission.bridge.transcript.left_known_path
    assert [answer.key for _, answer in submission.bridge.transcript.exchanges] == [answer.key for _, answer in asked]


@once
def test_a_process_that_answers_the_past_in_another_way_makes_the_test_not_count(hand_in: HandIn) -> None:
    submission = hand_in(KEEPS_COUNT)
    asked = ask_of_one_that_counts(submission, 1)
    with submission.test(asked[:-1], may_go_on=True) as student:
        value = student.get("Value")(1.0)
        assert value.count == 1
        with pytest.raises(TranscriptMismatch):
            value.longer()
    assert submission.bridge.transcript.left_known_path

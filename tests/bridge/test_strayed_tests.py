"""A test that asks something else than was sent ahead for it does not count, or goes on in the process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import StudentProxy, StudentStopped
from autograder.bridge.connection import ProcessConnection
from autograder.bridge.messages import Exchange, TranscriptMismatch, UnparsedAnswer
from autograder.course import Limits
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn, LoadedSubmission
from tests.bridge.requests_ahead import ENGINE, ask_one_by_one, sums, watched

KEEPS_COUNT = """
import math

class Value:
    def __init__(self, data):
        math.count = getattr(math, "count", 0) + 1
        self.count = math.count

    def longer(self):
        if self.count > 2:
            while True: pass
"""


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
    assert ask_one_by_one(submission, sums)[0][0] == 5, "and the next test is as always"


def sums_and_more(student: StudentProxy) -> Any:
    """A test that raises an exception on its way, notes calls, and asks on."""
    found = sums(student)
    noted = watched(student)
    a = student.get("Value")(4.0)
    return found, noted, a.data, len(a.kept())


@once
@pytest.mark.parametrize("known", [0, 1, 5, 12, -1])
def test_a_test_goes_on_in_the_process_after_the_answers_that_are_there(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch, known: int
) -> None:
    submission = hand_in(ENGINE)
    found, asked = ask_one_by_one(submission, sums_and_more)
    sent_alone: list[bytes] = []
    exchange = ProcessConnection.exchange

    def record_and_exchange(self: ProcessConnection, packed_request: bytes) -> UnparsedAnswer:
        sent_alone.append(packed_request)
        return exchange(self, packed_request)

    monkeypatch.setattr(ProcessConnection, "exchange", record_and_exchange)
    with submission.test(asked[:known], may_go_on=True) as student:
        assert sums_and_more(student) == found
    assert sent_alone == [request for request, _ in asked[known:]]
    transcript = submission.bridge.transcript
    assert (transcript.left_known_path, transcript.is_repeatable) == (False, True)
    assert [(request, answer.key) for request, answer in transcript.exchanges] == [
        (request, answer.key) for request, answer in asked
    ]


def ask_again_of_one_that_counts(submission: LoadedSubmission, count: int) -> list[Exchange]:
    """What a test asks that sees this count, which no new run of the code resets."""

    def test(student: StudentProxy) -> None:
        value = student.get("Value")(1.0)
        assert value.count == count
        value.longer()

    return ask_one_by_one(submission, test)[1]


@once
def test_a_process_that_answers_the_past_in_another_way_makes_the_test_not_count(hand_in: HandIn) -> None:
    submission = hand_in(KEEPS_COUNT)
    asked = ask_again_of_one_that_counts(submission, 1)
    with submission.test(asked[:-1], may_go_on=True) as student:
        value = student.get("Value")(1.0)
        assert value.count == 1
        with pytest.raises(TranscriptMismatch):
            value.longer()
    assert submission.bridge.transcript.left_known_path


@once
def test_a_process_that_is_stopped_in_the_past_makes_the_test_not_count(hand_in: HandIn) -> None:
    submission = hand_in(KEEPS_COUNT, limits=Limits(cpu_seconds=0.2))
    ask_again_of_one_that_counts(submission, 1)
    asked = ask_again_of_one_that_counts(submission, 2)
    with submission.test(asked, may_go_on=True) as student:
        value = student.get("Value")(1.0)
        assert value.count == 2
        value.longer()
        for _ in range(2):
            with pytest.raises(StudentStopped):
                value.longer()
    assert submission.bridge.transcript.left_known_path
    assert not submission.bridge.time_budget.stop_by_location
    assert ask_again_of_one_that_counts(submission, 1), "and the next test has a fresh process"

"""A test that asks something else than was sent ahead for it does not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentProxy
from autograder.bridge.request_transcript import TranscriptMismatch
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn
from tests.bridge.requests_ahead import ENGINE, ask_one_by_one, run_with_answers_ahead, sums, watched


@once
def test_a_test_that_asks_more_than_was_sent_strays_where_the_process_has_moved_on(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    found, asked = ask_one_by_one(submission, watched)
    with submission.test() as student:
        submission.bridge.transcript.prefetched = asked[:-1]
        submission.bridge.transcript.is_closed = True
        with pytest.raises(TranscriptMismatch):
            watched(student)
    assert ask_one_by_one(submission, watched)[0] == found


@once
def test_a_test_that_asks_something_else_strays(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)
    with pytest.raises(TranscriptMismatch):
        run_with_answers_ahead(submission, lambda student: student.get("Value")(4.0), asked)
    assert submission.bridge.transcript.left_known_path
    assert ask_one_by_one(submission, sums)[0][0] == 5, "and the next test is as always"


@once
def test_a_test_that_catches_every_exception_has_strayed_nevertheless(hand_in: HandIn) -> None:
    def careless(student: StudentProxy) -> str:
        try:
            student.get("Value")(4.0)
        except Exception:
            return "nothing happened"
        return "something was made"

    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)
    assert run_with_answers_ahead(submission, careless, asked)[0] == "nothing happened"
    assert submission.bridge.transcript.left_known_path


@once
def test_who_has_strayed_gets_no_answer_any_more(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)

    def comes_back(student: StudentProxy) -> None:
        Value = student.get("Value")  # noqa: N806
        with pytest.raises(TranscriptMismatch):
            Value(4.0)
        Value(2.0)

    with pytest.raises(TranscriptMismatch):
        run_with_answers_ahead(submission, comes_back, asked)


@once
def test_a_test_that_asks_less_has_not_asked_all(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)
    run_with_answers_ahead(submission, lambda student: student.get("Value")(2.0).__class__, asked)
    assert not submission.bridge.transcript.has_used_all_prefetched
    assert not submission.bridge.transcript.left_known_path

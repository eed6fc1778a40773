"""Requests that are sent together give what they give one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge.messages import TranscriptMismatch, encode_message, is_exception_answer, split_answers_message
from autograder.course import Limits
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn
from tests.bridge.requests_ahead import ENGINE, ask_one_by_one, fetch_answers, sums, watched


def test_what_is_sent_together_gives_what_is_asked_one_by_one(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    found, asked = ask_one_by_one(submission, watched)
    given = fetch_answers(submission, [request for request, _ in asked])
    assert [answer.key for _, answer in given] == [answer.key for _, answer in asked]
    with submission.test(given) as student:
        assert watched(student) == found
        assert not submission.bridge.transcript.left_known_path


@once
def test_a_test_that_asks_something_else_than_was_sent_does_not_count(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, watched)
    given = fetch_answers(submission, [request for request, _ in asked])
    for other in (given[:-1], [given[0], *given]):
        with submission.test(other) as student, pytest.raises(TranscriptMismatch):
            watched(student)
        assert submission.bridge.transcript.left_known_path


@once
def test_requests_after_one_that_raises_are_not_carried_out(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)
    given = fetch_answers(submission, [request for request, _ in asked])
    assert is_exception_answer(given[-1][1])
    assert len(given) < len(asked)


@once
def test_the_requests_of_several_tests_fit_into_one_message(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, watched)
    body = b",".join(request for request, _ in asked)
    first, second, third = submission.bridge.prefetch_answers_of_tests([(body, False), (body, True), (body, False)])
    assert first == second == third
    assert [answer.key for answer in split_answers_message(first, len(asked))] == [answer.key for _, answer in asked]


@once
def test_of_tests_that_are_sent_together_those_well_before_an_endless_one_are_answered(hand_in: HandIn) -> None:
    slow = ENGINE.replace("def backward(self):", "def backward(self):\n        sum(range(500_000))")
    endless = slow.replace("def kept(self):", "def kept(self):\n        while True: pass")
    submission = hand_in(endless, limits=Limits(cpu_seconds=0.2))
    _, asked = ask_one_by_one(submission, watched)
    body = b",".join(request for request, _ in asked)
    named = encode_message(["call method", {"h": 1048577}, "kept", {"t": []}, {"d": []}])
    made = [request for request, _ in asked[:2]]
    sent = [(body, False), (b",".join((*made, named)), False), (body, False)]
    assert len(submission.bridge.prefetch_answers_of_tests(sent)) == 1
    assert ask_one_by_one(submission, watched)[1]


@once
def test_answers_that_nobody_has_read_yet_do_not_fill_the_memory(hand_in: HandIn) -> None:
    large = ENGINE.replace("return calls", "return ['x' * 900] * 900")
    submission = hand_in(large)
    _, asked = ask_one_by_one(submission, watched)
    kept = encode_message(["call method", {"h": 1048577}, "kept", {"t": []}, {"d": []}])
    body = b",".join((asked[0][0], asked[1][0], kept))
    assert len(submission.bridge.prefetch_answers_of_tests([(body, False)] * 10)) == 2

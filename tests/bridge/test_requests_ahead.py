"""Requests that are sent together give what they give one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import StudentProxy
from autograder.bridge.process_messages import encode_message, split_answers_message
from autograder.course import Limits
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn, LoadedSubmission
from tests.bridge.requests_ahead import ENGINE, Test, ask_one_by_one, run_with_answers_ahead, sums, watched


def messages(submission: LoadedSubmission) -> int:
    """How many messages its process was sent."""
    assert submission.bridge._client is not None
    return submission.bridge._client.connection._number


@pytest.mark.parametrize("test", [sums, watched])
def test_what_is_sent_together_gives_what_is_asked_one_by_one(hand_in: HandIn, test: Test) -> None:
    submission = hand_in(ENGINE)
    found, asked = ask_one_by_one(submission, test)
    again, given = run_with_answers_ahead(submission, test, asked)
    assert again == found
    assert [answer.key for _, answer in given] == [answer.key for _, answer in asked]
    assert submission.bridge.transcript.has_used_all_prefetched
    assert not submission.bridge.transcript.left_known_path


@once
def test_one_message_is_enough_for_a_test_up_to_an_exception(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)
    before = messages(submission)
    run_with_answers_ahead(submission, sums, asked)
    assert messages(submission) == before + 2


@once
def test_requests_after_one_that_raises_are_not_carried_out(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, sums)
    with submission.test():
        answers = submission.bridge.prefetch_current_test([request for request, _ in asked])
    assert answers[-1].kind == "raised"
    assert len(answers) < len(asked)


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


@once
def test_everything_is_done_in_the_order_of_the_test(hand_in: HandIn) -> None:
    def ordered(student: StudentProxy) -> Any:
        Value = student.get("Value")  # noqa: N806
        a = Value(2.0)
        a + a
        with pytest.raises(TypeError):
            a * a
        return list(a.kept())

    submission = hand_in(ENGINE)
    _, asked = ask_one_by_one(submission, ordered)
    assert run_with_answers_ahead(submission, ordered, asked)[0][-4:] == ["made", "add", "made", "mul"]


@once
def test_what_is_not_known_is_asked_after_what_was_sent(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    found, asked = ask_one_by_one(submission, sums)
    for known in (1, 4, len(asked) - 1):
        assert run_with_answers_ahead(submission, sums, asked[:known])[0] == found

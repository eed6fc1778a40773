"""Requests about what is not there, and processes that end, answer nothing that was sent ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import StudentProxy, StudentStopped
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn
from tests.bridge.requests_ahead import ENGINE, ask_one_by_one, sums

GIVES_NUMBERS = ENGINE.replace("return out", "return out.data")


@once
def test_nothing_is_done_after_a_request_about_what_is_not_there(hand_in: HandIn) -> None:
    _, asked = ask_one_by_one(hand_in(ENGINE, defines=["Value"]), sums)
    other = hand_in(GIVES_NUMBERS, defines=["Value"])
    with other.test() as student:
        answers = other.bridge.prefetch_current_test([request for request, _ in asked])
        kinds = [answer.kind for answer in answers]
        assert kinds == ["ok", "ok", "ok", "ok", "void"], "a sum is a number: it has no backward"
        assert list(student.get("Value")(1.0).kept())[-5:] == ["made", "made", "add", "made", "made"]


@once
def test_a_test_gets_the_answers_before_a_void_one_and_asks_the_rest_itself(hand_in: HandIn) -> None:
    def adds(student: StudentProxy) -> Any:
        Value = student.get("Value")  # noqa: N806
        found = Value(2.0) + Value(3.0)
        return found if type(found) is float else found.data

    _, asked = ask_one_by_one(hand_in(ENGINE, defines=["Value"]), adds)
    other = hand_in(GIVES_NUMBERS, defines=["Value"])
    with other.test() as student:
        answers = other.bridge.prefetch_current_test([request for request, _ in asked])
        assert answers[-1].kind == "void"
        other.bridge.transcript.prefetched = [*zip([request for request, _ in asked], answers, strict=False)]
        assert adds(student) == 5
        assert not other.bridge.transcript.left_known_path


@once
def test_a_test_that_is_given_a_void_answer_stops(hand_in: HandIn) -> None:
    invents = (
        ENGINE
        + """
import sys
frame = sys._getframe()
while "_answer_to" not in frame.f_globals: frame = frame.f_back
inside = frame.f_globals
real = inside["_answer_to"]
inside["_answer_to"] = lambda name, arguments: ["void"] if name == "op" else real(name, arguments)
"""
    )
    submission = hand_in(invents)
    with submission.test() as student:
        a = student.get("Value")(2.0)
        with pytest.raises(StudentStopped) as caught:
            a + a
    assert caught.value.cause == "protocol"


@once
def test_an_object_that_was_made_up_is_not_there(hand_in: HandIn) -> None:
    invents = """
import sys
frame = sys._getframe()
while "_answer_to" not in frame.f_globals: frame = frame.f_back
def made_up():
    frame.f_globals["encode_value"] = lambda value: {"h": 77 << 20, "k": "Value"}
    return made_up
"""
    submission = hand_in(invents)
    with submission.test() as student:
        nothing = student.get("made_up")()
        with pytest.raises(StudentStopped) as caught:
            assert nothing.data
    assert caught.value.cause == "protocol"


@once
def test_a_process_that_ends_in_what_was_sent_says_nothing_by_itself(hand_in: HandIn) -> None:
    _, asked = ask_one_by_one(hand_in(ENGINE, defines=["Value"]), sums)
    submission = hand_in(ENGINE.replace('calls.append("add")', "import os; os._exit(3)"), defines=["Value"])
    pid = submission.pid
    submission.bridge.begin_test()
    with pytest.raises(StudentStopped):
        submission.bridge.prefetch_current_test([request for request, _ in asked])
    with submission.test() as student:
        assert student.get("Value")(2.0).data == 2, "the test is begun once more, in a process that works"
        assert submission.pid != pid

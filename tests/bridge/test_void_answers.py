"""Requests about what is not there, and processes that end, answer nothing that was sent ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentStopped
from autograder.bridge.messages import UnparsedAnswer
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn
from tests.bridge.requests_ahead import ENGINE, ask_one_by_one, fetch_answers, sums

GIVES_NUMBERS = ENGINE.replace("return out", "return out.data")


@once
def test_nothing_is_done_after_a_request_about_what_is_not_there(hand_in: HandIn) -> None:
    _, asked = ask_one_by_one(hand_in(ENGINE, defines=["Value"]), sums)
    other = hand_in(GIVES_NUMBERS, defines=["Value"])
    given = fetch_answers(other, [request for request, _ in asked])
    kinds = [answer.kind for _, answer in given if isinstance(answer, UnparsedAnswer)]
    assert kinds == ["ok", "ok", "ok", "ok", "void"], "a sum is a number: it has no backward"


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
    packed = b",".join(request for request, _ in asked)
    assert submission.bridge.prefetch_answers_of_tests([(packed, False)]) == []
    with submission.test() as student:
        assert student.get("Value")(2.0).data == 2, "the test is begun once more, in a process that works"
        assert submission.pid != pid

"""What a test asks is the same for every submission that answers alike, so that it can be sent ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from autograder.bridge import StudentError, StudentProxy
from autograder.bridge.messages import MAX_KEPT_BYTES, RequestTranscript, UnparsedAnswer, encode_message
from tests.bridge.shared import RUN_ONCE, once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn
from tests.bridge.requests_ahead import ENGINE, ask_one_by_one


@once
def test_the_number_of_an_object_does_not_depend_on_the_answers_before_it(hand_in: HandIn) -> None:
    def makes(student: StudentProxy) -> Any:
        Value = student.get("Value")  # noqa: N806
        a = Value(2.0)
        with_parts = a.kept_or_not()
        b = Value(3.0)
        return [b._number, with_parts is None]

    many = ENGINE + "\n    def kept_or_not(self):\n        return [Value(1.0), Value(2.0), object()]\n"
    none = ENGINE + "\n    def kept_or_not(self):\n        return None\n"
    first, second = ask_one_by_one(hand_in(many), makes)[0], ask_one_by_one(hand_in(none), makes)[0]
    assert (first[1], second[1]) == (False, True)
    assert first[0] == second[0]


@once
def test_a_name_that_a_test_asks_for_in_between_changes_no_number(hand_in: HandIn) -> None:
    def makes(student: StudentProxy, *names: str) -> Any:
        Value = student.get("Value")  # noqa: N806
        for name in names:
            student.get(name)
        return Value(2.0)._number

    source = ENGINE + "\ndef helper(): ...\n"
    assert (
        ask_one_by_one(hand_in(source), makes)[0]
        == ask_one_by_one(hand_in(source), lambda one: makes(one, "helper"))[0]
    )


@once
def test_a_test_that_lends_a_function_can_be_asked_again_up_to_there(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    seen: list[str] = []
    with submission.test() as student:
        a = student.get("Value")(2.0)
        a._backward = lambda: seen.append("called")
        a.backward()
        assert seen == ["called"]
        assert not submission.bridge.transcript.is_repeatable
        assert len(submission.bridge.transcript.exchanges) == 2


@once
def test_what_a_name_stands_for_is_one_of_the_answers(hand_in: HandIn) -> None:
    (three,), (four,) = [
        ask_one_by_one(hand_in(f"LIMIT = {limit}"), lambda student: student.get("LIMIT"))[1] for limit in (3, 4)
    ]
    assert three[0] == four[0]
    assert three[1].key != four[1].key


CALLS_OFTEN = "def call(function):\n    for _ in range(1001): function()\n"


@once
def test_calls_that_are_reported_before_the_answer_are_heard_but_cannot_be_repeated(hand_in: HandIn) -> None:
    submission = hand_in(CALLS_OFTEN)
    with submission.test() as student:
        recorder = student.make_call_recorder()
        student.get("call")(recorder.make_callback("a"))
        assert len(recorder.called_names) == 1001
        assert not submission.bridge.transcript.is_repeatable


@once
def test_calls_that_are_reported_before_the_answer_stop_requests_that_no_test_has_made(hand_in: HandIn) -> None:
    submission = hand_in(CALLS_OFTEN, defines=["call"])
    with submission.test() as student:
        function = student.get("call")
        recorder = student.make_call_recorder()
        function(recorder.make_callback("a"))
        requests = [request for request, _ in submission.bridge.transcript.exchanges]
        called = encode_message(["call", {"h": function._number}, {"t": [{"n": 0}]}, {"d": []}])
    assert submission.bridge.prefetch_answers_of_tests([(b",".join([*requests, called]), False)]) == []
    assert len(recorder.called_names) == 1001


@once
def test_a_note_of_an_earlier_test_is_not_taken(hand_in: HandIn) -> None:
    submission = hand_in("kept = []\ndef keep(note): kept.append(note)\ndef call(): kept[0]()" + RUN_ONCE)
    with submission.test() as student:
        first = student.make_call_recorder()
        student.get("keep")(first.make_callback("a"))
    with submission.test() as student:
        second = student.make_call_recorder()
        student.get("keep")(second.make_callback("b"))
        student.get("call")()
        assert (first.called_names, second.called_names) == ([], [])


@once
def test_an_exception_says_where_it_was_raised_but_that_is_no_part_of_the_answer(hand_in: HandIn) -> None:
    def raises(student: StudentProxy) -> Any:
        a = student.get("Value")(2.0)
        with pytest.raises(StudentError) as caught:
            a * a
        return caught.value.raised.line

    above, asked_above = ask_one_by_one(hand_in(ENGINE), raises)
    below, asked_below = ask_one_by_one(hand_in("\n\n\n" + ENGINE), raises)
    assert below == above + 3
    assert [answer.key for _, answer in asked_above] == [answer.key for _, answer in asked_below]


UNHASHABLE = """
class Value:
    def __init__(self, data):
        self.data = data
    def __eq__(self, other):
        return self.data == other.data
"""


@once
def test_a_set_of_what_cannot_be_hashed_raises_in_the_test_that_sends_it(hand_in: HandIn) -> None:
    with hand_in(UNHASHABLE).test() as student:
        a = student.get("Value")(1.0)
        with pytest.raises(TypeError, match="unhashable"):
            a.operands = {a}
        assert a.data == 1


def test_a_test_with_too_many_bytes_of_answers_cannot_be_repeated() -> None:
    transcript = RequestTranscript()
    answer = UnparsedAnswer([msgspec.Raw(b'"ok"'), msgspec.Raw(b'"%b"' % (b"x" * 900_000))])
    for _ in range(5):
        transcript.record_exchange(b'["next"]', answer)
    assert not transcript.is_repeatable
    assert sum(len(one.key) for _, one in transcript.exchanges) < MAX_KEPT_BYTES

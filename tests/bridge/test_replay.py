"""Requests that are sent together give what they give one by one; a test that asks something else does not count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from autograder.bridge import StudentError, StudentProxy, StudentStopped
from autograder.bridge.request_transcript import Exchange, TranscriptMismatch
from autograder.bridge.wire_format import pack_message, split_answers
from autograder.course import Limits
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn, Submission

Test = Callable[[StudentProxy], Any]

ENGINE = """
calls = []

class Value:
    def __init__(self, data, _prev=()):
        calls.append("made")
        self.data, self.grad, self._prev = data, 0.0, _prev
        self._backward = lambda: None

    def __add__(self, other):
        calls.append("add")
        out = Value(self.data + other.data, (self, other))
        def passes_on():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = passes_on
        return out

    def __mul__(self, other):
        calls.append("mul")
        raise TypeError("no products")

    def backward(self):
        self.grad = 1.0
        self._backward()

    def kept(self):
        return calls
"""


def sums(student: StudentProxy) -> Any:
    """A test with objects, numbers and an exception in it."""
    Value = student.get("Value")  # noqa: N806
    a, b = Value(2.0), Value(3.0)
    c = a + b
    c.backward()
    a.grad = 7.0
    with pytest.raises(TypeError, match="no products"):
        a * b
    assert c._prev[0] is a
    return [c.data, a.grad, b.grad, student.class_name(c), len(c._prev)]


def watched(student: StudentProxy) -> Any:
    """A test that notes what is called."""
    Value = student.get("Value")  # noqa: N806
    a, b = Value(2.0), Value(3.0)
    recorder = student.recorder()
    (a._backward,) = student.relays([(recorder.note("a"), [b], "grad", 4.0)])
    a.backward()
    a.backward()
    return [b.grad, recorder.noted]


def asked_in(submission: Submission, test: Test) -> tuple[Any, list[Exchange]]:
    """What a test finds when it asks one by one, and what it asked."""
    with submission.test() as student:
        found = test(student)
        assert submission.bridge.transcript.is_repeatable
        return found, list(submission.bridge.transcript.exchanges)


def given_to(submission: Submission, test: Test, asked: Sequence[Exchange]) -> tuple[Any, list[Exchange]]:
    """What a test finds when this was sent for it beforehand, and what it was given."""
    requests = [request for request, _ in asked]
    given: list[Exchange] = []
    with submission.test() as student:
        while len(given) < len(requests):  # what follows an exception waits for the next message
            sent = requests[len(given) :]
            given += zip(sent, submission.bridge.fetch_answers_ahead(sent), strict=False)
        submission.bridge.transcript.prefetched = given
        return test(student), given


def messages(submission: Submission) -> int:
    """How many messages its process was sent."""
    assert submission.bridge._client is not None
    return submission.bridge._client.connection._number


@pytest.mark.parametrize("test", [sums, watched])
def test_what_is_sent_together_gives_what_is_asked_one_by_one(hand_in: HandIn, test: Test) -> None:
    submission = hand_in(ENGINE)
    found, asked = asked_in(submission, test)
    again, given = given_to(submission, test, asked)
    assert again == found
    assert [answer.key for _, answer in given] == [answer.key for _, answer in asked]
    assert submission.bridge.transcript.used_all_prefetched
    assert not submission.bridge.transcript.left_known_path


@once
def test_one_message_is_enough_for_a_test_up_to_an_exception(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = asked_in(submission, sums)
    before = messages(submission)
    given_to(submission, sums, asked)
    assert messages(submission) == before + 2


@once
def test_requests_after_one_that_raises_are_not_carried_out(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = asked_in(submission, sums)
    with submission.test():
        answers = submission.bridge.fetch_answers_ahead([request for request, _ in asked])
    assert answers[-1].kind == "raised"
    assert len(answers) < len(asked)


@once
def test_the_requests_of_several_tests_fit_into_one_message(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = asked_in(submission, watched)
    body = b",".join(request for request, _ in asked)
    first, second, third = submission.bridge.fetch_answers_of_tests([(body, False), (body, True), (body, False)])
    assert first == second == third
    assert [answer.key for answer in split_answers(first, len(asked))] == [answer.key for _, answer in asked]


@once
def test_of_tests_that_are_sent_together_those_well_before_an_endless_one_are_answered(hand_in: HandIn) -> None:
    slow = ENGINE.replace("def backward(self):", "def backward(self):\n        sum(range(500_000))")
    endless = slow.replace("def kept(self):", "def kept(self):\n        while True: pass")
    submission = hand_in(endless, limits=Limits(cpu_seconds=0.2))
    _, asked = asked_in(submission, watched)
    body = b",".join(request for request, _ in asked)
    named = pack_message(["call method", {"h": 1048577}, "kept", {"t": []}, {"d": []}])
    made = asked[0][0]
    sent = [(body, False), (b",".join((made, named)), False), (body, False)]
    assert len(submission.bridge.fetch_answers_of_tests(sent)) == 1
    assert asked_in(submission, watched)[1]


@once
def test_answers_that_nobody_has_read_yet_do_not_fill_the_memory(hand_in: HandIn) -> None:
    large = ENGINE.replace("return calls", "return ['x' * 900] * 900")
    submission = hand_in(large)
    _, asked = asked_in(submission, watched)
    kept = pack_message(["call method", {"h": 1048577}, "kept", {"t": []}, {"d": []}])
    body = b",".join((asked[0][0], kept))
    assert len(submission.bridge.fetch_answers_of_tests([(body, False)] * 10)) == 2


@once
def test_a_test_that_asks_more_than_was_sent_strays_where_the_process_has_moved_on(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    found, asked = asked_in(submission, watched)
    with submission.test() as student:
        submission.bridge.transcript.prefetched = asked[:-1]
        submission.bridge.transcript.is_closed = True
        with pytest.raises(TranscriptMismatch):
            watched(student)
    assert asked_in(submission, watched)[0] == found


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
    _, asked = asked_in(submission, ordered)
    assert given_to(submission, ordered, asked)[0][-4:] == ["made", "add", "made", "mul"]


@once
def test_what_is_not_known_is_asked_after_what_was_sent(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    found, asked = asked_in(submission, sums)
    for known in (1, 4, len(asked) - 1):
        assert given_to(submission, sums, asked[:known])[0] == found


@once
def test_a_test_that_asks_something_else_strays(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = asked_in(submission, sums)
    with pytest.raises(TranscriptMismatch):
        given_to(submission, lambda student: student.get("Value")(4.0), asked)
    assert submission.bridge.transcript.left_known_path
    assert asked_in(submission, sums)[0][0] == 5, "and the next test is as always"


@once
def test_a_test_that_catches_every_exception_has_strayed_nevertheless(hand_in: HandIn) -> None:
    def careless(student: StudentProxy) -> str:
        try:
            student.get("Value")(4.0)
        except Exception:
            return "nothing happened"
        return "something was made"

    submission = hand_in(ENGINE)
    _, asked = asked_in(submission, sums)
    assert given_to(submission, careless, asked)[0] == "nothing happened"
    assert submission.bridge.transcript.left_known_path


@once
def test_who_has_strayed_gets_no_answer_any_more(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = asked_in(submission, sums)

    def comes_back(student: StudentProxy) -> None:
        Value = student.get("Value")  # noqa: N806
        with pytest.raises(TranscriptMismatch):
            Value(4.0)
        Value(2.0)

    with pytest.raises(TranscriptMismatch):
        given_to(submission, comes_back, asked)


@once
def test_a_test_that_asks_less_has_not_asked_all(hand_in: HandIn) -> None:
    submission = hand_in(ENGINE)
    _, asked = asked_in(submission, sums)
    given_to(submission, lambda student: student.get("Value")(2.0).__class__, asked)
    assert not submission.bridge.transcript.used_all_prefetched
    assert not submission.bridge.transcript.left_known_path


GIVES_NUMBERS = ENGINE.replace("return out", "return out.data")


@once
def test_nothing_is_done_after_a_request_about_what_is_not_there(hand_in: HandIn) -> None:
    _, asked = asked_in(hand_in(ENGINE, defines=["Value"]), sums)
    other = hand_in(GIVES_NUMBERS, defines=["Value"])
    with other.test() as student:
        answers = other.bridge.fetch_answers_ahead([request for request, _ in asked])
        kinds = [answer.kind for answer in answers]
        assert kinds == ["ok", "ok", "ok", "void"], "a sum is a number: it has no backward"
        assert list(student.get("Value")(1.0).kept())[-5:] == ["made", "made", "add", "made", "made"]


@once
def test_a_test_gets_the_answers_before_a_void_one_and_asks_the_rest_itself(hand_in: HandIn) -> None:
    def adds(student: StudentProxy) -> Any:
        Value = student.get("Value")  # noqa: N806
        found = Value(2.0) + Value(3.0)
        return found if type(found) is float else found.data

    _, asked = asked_in(hand_in(ENGINE, defines=["Value"]), adds)
    other = hand_in(GIVES_NUMBERS, defines=["Value"])
    with other.test() as student:
        answers = other.bridge.fetch_answers_ahead([request for request, _ in asked])
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
while "request_handlers" not in frame.f_globals: frame = frame.f_back
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
while "request_handlers" not in frame.f_globals: frame = frame.f_back
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
    _, asked = asked_in(hand_in(ENGINE, defines=["Value"]), sums)
    submission = hand_in(ENGINE.replace('calls.append("add")', "import os; os._exit(3)"), defines=["Value"])
    pid = submission.pid
    submission.bridge.begin_test()
    with pytest.raises(StudentStopped):
        submission.bridge.fetch_answers_ahead([request for request, _ in asked])
    with submission.test() as student:
        assert student.get("Value")(2.0).data == 2, "the test is begun once more, in a process that works"
        assert submission.pid != pid


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
    first, second = asked_in(hand_in(many), makes)[0], asked_in(hand_in(none), makes)[0]
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
    assert asked_in(hand_in(source), makes)[0] == asked_in(hand_in(source), lambda one: makes(one, "helper"))[0]


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
        assert len(submission.bridge.transcript.exchanges) == 1


@once
def test_a_note_of_an_earlier_test_is_not_taken(hand_in: HandIn) -> None:
    submission = hand_in("kept = []\ndef keep(note): kept.append(note)\ndef call(): kept[0]()")
    with submission.test() as student:
        first = student.recorder()
        student.get("keep")(first.note("a"))
    with submission.test() as student:
        second = student.recorder()
        student.get("keep")(second.note("b"))
        student.get("call")()
        assert (first.noted, second.noted) == ([], [])


@once
def test_an_exception_says_where_it_was_raised_but_that_is_no_part_of_the_answer(hand_in: HandIn) -> None:
    def raises(student: StudentProxy) -> Any:
        a = student.get("Value")(2.0)
        with pytest.raises(StudentError) as caught:
            a * a
        return caught.value.raised.line

    above, asked_above = asked_in(hand_in(ENGINE), raises)
    below, asked_below = asked_in(hand_in("\n\n\n" + ENGINE), raises)
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

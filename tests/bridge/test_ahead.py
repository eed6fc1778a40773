"""What is sent ahead changes nothing but the number of messages; where it could, nothing of that run counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from autograder.bridge import Bridge, Program, Student
from autograder.bridge.errors import Misjudged, StudentStopped
from autograder.bridge.supply import Supply
from autograder.course import Assignment, Limits
from autograder.grading import Graded, Grader
from autograder.sandbox import Sandbox
from autograder.submissions import Submission, Unit

ENGINE = """\
calls = []

class Value:
    def __init__(self, data, _prev=()):
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
        raise TypeError("no products")

    def __sub__(self, other):
        return self

    def __neg__(self):
        return -self.data

    def backward(self):
        calls.append("backward")
        self.grad = 1.0
        self._backward()
"""


ODD: dict[str, Callable[[object], object]] = {
    "an object that was there already": lambda a: a - a,  # type: ignore[operator]
    "a plain number": lambda a: -a,  # type: ignore[operator]
    "an exception": lambda a: a * a,  # type: ignore[operator]
}


@contextmanager
def ahead(sandbox: Sandbox, source: str = ENGINE) -> Iterator[tuple[Student, Bridge]]:
    """A student whose requests are sent ahead, and who has made a Value and read it before."""
    supply = Supply(sandbox, Limits())
    bridge = Bridge(Program((("value.py", source),), ("Value",)), supply, Limits(), frozenset())
    try:
        bridge.load()
        bridge.begin_test()
        student = Student(bridge)
        assert student.get("Value")(1.0).data == 1
        yield student, bridge
    finally:
        bridge.discard()
        supply.close()


def waited(bridge: Bridge) -> int:
    """How many answers this process was waited for."""
    assert bridge._link is not None
    return bridge._link.exchange._number


def test_building_waits_for_nothing(sandbox: Sandbox) -> None:
    with ahead(sandbox) as (student, bridge):
        Value = student.get("Value")  # noqa: N806
        before = waited(bridge)
        a, b = Value(2.0), Value(3.0)
        c = a + b
        c.grad = 5.0
        assert waited(bridge) == before
        assert c.data == 5
        assert waited(bridge) == before + 1


def test_everything_is_done_in_the_order_of_the_test(sandbox: Sandbox) -> None:
    with ahead(sandbox) as (student, _):
        Value = student.get("Value")  # noqa: N806
        a, b = Value(2.0), Value(3.0)
        c = a + b
        c.backward()
        a.grad = 7.0
        assert (a.grad, b.grad) == (7, 1)
        assert student.get("calls") == ["add", "backward"]


def test_an_object_is_the_same_stand_in_wherever_it_comes_from(sandbox: Sandbox) -> None:
    with ahead(sandbox) as (student, _):
        Value = student.get("Value")  # noqa: N806
        a, b = Value(2.0), Value(3.0)
        c = a + b
        assert c._prev[0] is a
        assert c._prev[1] is b


@pytest.mark.parametrize("operation", ODD.values(), ids=ODD)
def test_a_result_that_was_not_foretold_makes_the_run_unsound(
    sandbox: Sandbox, operation: Callable[[object], object]
) -> None:
    with ahead(sandbox) as (student, bridge):
        a = student.get("Value")(2.0)
        operation(a)
        with pytest.raises(Misjudged):
            assert a.data == 2
        assert bridge.misjudged
        with pytest.raises(Misjudged):
            assert a.data == 2, "and it stays so"


def test_after_an_exception_nothing_more_is_done(sandbox: Sandbox) -> None:
    source = ENGINE.replace('calls.append("add")', "import os; os._exit(3)")
    with ahead(sandbox, source) as (student, _):
        a = student.get("Value")(2.0)
        assert a * a is not None
        assert a + a is not None
        with pytest.raises(Misjudged):
            assert a.data == 2, "its process has not ended"


COUNTS = """\
class Counter:
    def __init__(self):
        self.count = 0

    def up(self):
        self.count += 1
        return self.count if self.count > 2 else None
"""


def test_what_a_method_gave_before_is_all_that_it_may_give(sandbox: Sandbox) -> None:
    with ahead(sandbox, ENGINE + COUNTS) as (student, bridge):
        counter = student.get("Counter")()
        assert [counter.up(), counter.up(), counter.up()] == [None, None, None], "the third is 3"
        with pytest.raises(Misjudged):
            bridge.end_test()


def test_a_method_that_gives_numbers_is_waited_for(sandbox: Sandbox) -> None:
    source = ENGINE + COUNTS.replace("if self.count > 2 else None", "")
    with ahead(sandbox, source) as (student, _):
        counter = student.get("Counter")()
        assert [counter.up(), counter.up(), counter.up()] == [1, 2, 3]


def test_a_method_that_gives_an_object_that_was_there_is_waited_for(sandbox: Sandbox) -> None:
    source = ENGINE + "\n    def zero_grad(self):\n        self.grad = 0.0\n        return self\n"
    with ahead(sandbox, source) as (student, bridge):
        a = student.get("Value")(2.0)
        assert all(a.zero_grad() is a for _ in range(3))
        bridge.end_test()
        assert not bridge.misjudged


def test_what_a_test_asked_for_last_is_done_before_it_ends(sandbox: Sandbox) -> None:
    with ahead(sandbox) as (student, bridge):
        a = student.get("Value")(2.0)
        a * a
        with pytest.raises(Misjudged):
            bridge.end_test()


def test_while_the_students_side_holds_a_function_of_the_tests_its_code_is_waited_for(sandbox: Sandbox) -> None:
    with ahead(sandbox) as (student, _):
        a = student.get("Value")(2.0)
        seen: list[str] = []
        a._backward = lambda: seen.append("called")
        a.backward()
        assert seen == ["called"]


def test_a_recorder_has_seen_what_the_test_asked_for(sandbox: Sandbox) -> None:
    with ahead(sandbox) as (student, bridge):
        Value = student.get("Value")  # noqa: N806
        a, b = Value(2.0), Value(3.0)
        recorder = student.recorder()
        (a._backward,) = student.relays([(recorder.note("a"), [b], "grad", 4.0)])
        a.backward()
        before = waited(bridge)
        a.backward()
        a.backward()
        assert recorder.noted == ["a", "a", "a"]
        assert waited(bridge) == before + 1
        assert b.grad == 4


def test_a_note_of_an_earlier_test_is_not_taken(sandbox: Sandbox) -> None:
    source = ENGINE + "kept = []\n\ndef keep(note):\n    kept.append(note)\n\ndef call():\n    kept[0]()\n"
    with ahead(sandbox, source) as (student, bridge):
        first = student.recorder()
        student.get("keep")(first.note("a"))
        bridge.end_test()
        bridge.begin_test()
        second = student.recorder()
        student.get("keep")(second.note("b"))
        student.get("call")()
        assert (first.noted, second.noted) == ([], [])


FORGED = {
    "a run called unsound where nothing was sent ahead": '[ID,"misjudged",null]',
    "an answer with more to it": '[ID,"ok",1,[1073741824]]',
    "a note that was never given": '[0,"noted",[5]]',
    "a note by a name": '[0,"noted",["a"]]',
    "a number that was never given": '[ID,"ok",{"h":1073741900,"k":"Value"}]',
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_a_forged_word_about_what_was_sent_ahead_breaks_the_protocol(sandbox: Sandbox, forged: str) -> None:
    source = f"""
import os, sys
talk = [one for one in list(sys.modules.values()) if hasattr(one, 'CHANNEL')]
def attack():
    frame = sys._getframe()
    while 'number' not in frame.f_locals or 'name' not in frame.f_locals:
        frame = frame.f_back
    text = {forged!r}.replace('ID', str(frame.f_locals['number'])).encode()
    channel = frame.f_globals['CHANNEL'] if 'CHANNEL' in frame.f_globals else 3
    os.write(channel, len(text).to_bytes(4, 'big') + text)
"""
    supply = Supply(sandbox, Limits())
    bridge = Bridge(Program((("value.py", source),), ("attack",)), supply, Limits(), None)
    try:
        bridge.load()
        bridge.begin_test()
        with pytest.raises(StudentStopped) as caught:
            assert Student(bridge).get("attack")() == 0
        assert caught.value.cause == "protocol"
        assert not isinstance(caught.value, Misjudged)
    finally:
        bridge.discard()
        supply.close()


WRONG = {
    "adds in place": ("self.grad += out.grad", "self.grad = out.grad"),
    "gives plain numbers": ("return out", "return out.data"),
    "gives itself": ("return out", "return self"),
    "raises": ("return out", "raise ValueError('not today')"),
    "ends its process": ("return out", "import os; os._exit(1)"),
}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change, id=name, marks=() if name == "adds in place" else pytest.mark.thorough)
        for name, change in WRONG.items()
    ],
)
def test_a_submission_gets_what_it_gets_when_every_answer_is_waited_for(
    engine: Assignment, sandbox: Sandbox, grader: Grader, change: tuple[str, str]
) -> None:
    source = engine.solution.read_text().replace(*change)
    submission = Submission("one", "", ("value.py",), (Unit("value.py", source),))
    ahead = grader.grade_submission(submission)
    waiting = grader._graded(submission, 0.0, None)
    assert told(ahead) == told(waiting)


def told(graded: Graded) -> list[tuple[str, str, str]]:
    """What is said of a submission, test by test."""
    return [(result.spec.id, result.outcome, result.message) for result in graded.results]


CLAIMS = """

import sys as _sys

def _claims(real):
    def made(self, *arguments):
        frame = _sys._getframe()
        while frame is not None:
            if 'misjudged' in frame.f_globals:
                frame.f_globals['misjudged'] = True
            frame = frame.f_back
        real(self, *arguments)
    return made

Value.__init__ = _claims(Value.__init__)
"""


@pytest.mark.parametrize("change", [("", ""), WRONG["adds in place"]], ids=["right", "wrong"])
def test_who_claims_that_nothing_goes_as_foretold_gains_nothing(
    engine: Assignment, grader: Grader, change: tuple[str, str]
) -> None:
    source = engine.solution.read_text().replace(*change) + CLAIMS
    submission = Submission("one", "", ("value.py",), (Unit("value.py", source),))
    assert told(grader.grade_submission(submission)) == told(grader._graded(submission, 0.0, None))

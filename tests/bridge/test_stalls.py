"""Code that does not end is told with its line; later tests that come there cost little, others keep their time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentTimeout
from autograder.bridge.hangs import CommonStackFrame, SourceLocation, SubmissionSource
from autograder.course import Limits
from tests.bridge.attacked import attacked
from tests.bridge.shared import once
from tests.machine import PATIENCE

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn, LoadedSubmission

SHORT = Limits(cpu_seconds=0.4, wall_seconds=10)

CODE = """\
import time

def loop(topo):
    while topo:
        node = topo[-1]

def nested(n):
    for i in range(3):
        while True:
            for j in range(1000):
                if j > 2000:
                    return j

def helper(n):
    return [i * i for i in range(n)]

def calls_others():
    while True:
        helper(10)

def recursion(depth):
    if depth:
        for _ in range(2):
            recursion(depth - 1)

def waits():
    time.sleep(600)

def works(seconds):
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass
    return "worked"

def both(seconds):
    works(seconds)
    loop([1])
"""


def stopped_in(submission: LoadedSubmission, function: str, *arguments: object) -> StudentTimeout:
    with submission.test() as student, pytest.raises(StudentTimeout) as caught:
        student.get(function)(*arguments)
    return caught.value


@pytest.mark.parametrize(
    ("function", "arguments", "place"),
    [
        ("loop", ([1],), SourceLocation("value.py", 4, "loop")),
        ("nested", (1,), SourceLocation("value.py", 9, "nested")),
        ("calls_others", (), SourceLocation("value.py", 18, "calls_others")),
        ("recursion", (100,), SourceLocation("value.py", 23, "recursion")),
    ],
)
def test_a_loop_without_an_end_is_told_with_the_line_where_it_begins(
    hand_in: HandIn, function: str, arguments: tuple[object, ...], place: SourceLocation
) -> None:
    stopped = stopped_in(hand_in(CODE, limits=SHORT), function, *arguments)
    assert (stopped.cause, stopped.place) == ("cpu", place)


def test_waiting_is_told_with_its_line_and_soon(hand_in: HandIn) -> None:
    started = time.monotonic()
    stopped = stopped_in(hand_in(CODE, limits=SHORT), "waits")
    assert (stopped.cause, stopped.place, stopped.waits) == ("sleep", SourceLocation("value.py", 27, "waits"), True)
    assert time.monotonic() - started < PATIENCE


def test_a_loop_that_calls_the_test_is_told_with_its_line(hand_in: HandIn) -> None:
    submission = hand_in("def attack(f):\n    while True:\n        f()", limits=Limits(messages=500))
    stopped = stopped_in(submission, "attack", lambda: None)
    assert (stopped.cause, stopped.place) == ("messages", SourceLocation("value.py", 2, "attack"))


@once
def test_notes_without_an_end_are_no_broken_protocol(hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.bridge.objects.MAX_OBJECTS", 5000)
    submission = hand_in("def attack(f):\n    while True:\n        f()")
    with submission.test() as student, pytest.raises(StudentTimeout) as caught:
        student.get("attack")(student.make_call_recorder().make_callback("a"))
    assert (caught.value.cause, caught.value.place) == ("messages", SourceLocation("value.py", 2, "attack"))


@once
@pytest.mark.parametrize("source", ["def attack():\n    time.sleep(600)", "attack = lambda: time.sleep(600)"])
def test_the_next_test_that_waits_in_the_same_line_is_told_so_too(hand_in: HandIn, source: str) -> None:
    submission = hand_in(f"import time\n{source}", limits=SHORT)
    first = stopped_in(submission, "attack")
    again = stopped_in(submission, "attack")
    assert (again.again, again.cause, again.waits, again.place) == (True, "sleep", True, first.place)


@pytest.mark.redteam
@once
def test_a_test_that_works_elsewhere_keeps_all_of_its_time(hand_in: HandIn) -> None:
    submission = hand_in(CODE, limits=Limits(cpu_seconds=1.0, wall_seconds=20))
    for _ in range(4):
        stopped_in(submission, "loop", [1])
    with submission.test() as student:
        assert student.get("works")(0.5) == "worked"


@once
def test_short_waits_are_not_taken_for_endless_ones(hand_in: HandIn) -> None:
    submission = hand_in("import time\ndef nap(n):\n    for _ in range(n): time.sleep(0.02)\n    return n")
    with submission.test() as student:
        assert student.get("nap")(6) == 6


@pytest.mark.first_cases(2)
@once
@pytest.mark.parametrize(
    "body",
    [
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)\nwhile True: pass",
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass",
        "return sum(itertools.repeat(0))",
        "signal.signal(signal.SIGUSR1, signal.SIG_DFL)\nwhile True: pass",
        "signal.signal(signal.SIGUSR1, lambda *_: os.write(channel(), b'x' * 100))\nwhile True: pass",
        'answer = lambda *_: send(frame(\'[0,"line",[["value.py",[2003]],["saw 22",[1]]]]\'))\n'
        "signal.signal(signal.SIGUSR1, answer)\nwhile True: pass",
        'answer = lambda *_: send(frame(\'[0,"line",[["value.py",[true]]]]\'))\n'
        "signal.signal(signal.SIGUSR1, answer)\nwhile True: pass",
    ],
    ids=["ignored", "blocked", "in C", "deadly", "no message", "no such line", "no number"],
)
def test_code_that_does_not_answer_or_lies_is_told_without_a_line(hand_in: HandIn, body: str) -> None:
    stopped = attacked(hand_in, body, SHORT)
    assert isinstance(stopped, StudentTimeout)
    assert (stopped.cause, stopped.place) == ("cpu", None)


@once
def test_a_line_that_was_not_asked_for_breaks_the_protocol(hand_in: HandIn) -> None:
    assert attacked(hand_in, "send(frame('[0,\"line\",[]]'))\nreturn 1", SHORT).cause == "protocol"


@pytest.mark.parametrize("lines", [(9, 9), (10, 12), (9, 12)])
def test_where_a_loop_begins_does_not_depend_on_when_the_process_is_asked(lines: tuple[int, ...]) -> None:
    assert SubmissionSource({"value.py": CODE}).find_endless_loop_or_function_start(
        [CommonStackFrame("value.py", lines)]
    ) == SourceLocation("value.py", 9, "nested")

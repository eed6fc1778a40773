"""What hangs gets less and less time, and whoever does not hang keeps enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentStopped
from autograder.course import Limits
from tests.bridge.shared import once

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn, LoadedSubmission

pytestmark = once

CODE = """\
import time

def loop():
    while True: pass

def deaf():
    import signal
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True: pass

def in_c():
    return sum(iter(int, 1))

def flood():
    while True: print("x" * 1000)

def grows():
    kept = []
    while True: kept.append(" " * 1_000_000)

def naps():
    time.sleep(0.1)

def burns(seconds):
    start = time.process_time()
    while time.process_time() - start < seconds: pass
    return "burnt"

def works():
    return "worked"
"""
SHORT = Limits(cpu_seconds=0.2, wall_seconds=2)


def stopped(submission: LoadedSubmission, function: str) -> StudentStopped:
    """How a test ends that calls this."""
    with submission.test() as student, pytest.raises(StudentStopped) as caught:
        student.get(function)()
    return caught.value


def test_a_stop_is_known_again_only_if_no_other_test_can_be_the_reason(hand_in: HandIn) -> None:
    submission = hand_in(CODE, limits=SHORT)
    with submission.test() as student:
        student.get("works")()
    assert not stopped(submission, "loop").again
    assert not stopped(submission, "loop").again
    assert stopped(submission, "loop").again


def test_a_process_that_gives_up_serves_the_next_test(hand_in: HandIn) -> None:
    submission = hand_in(CODE, limits=SHORT)
    stopped(submission, "loop")
    with submission.test() as student:
        student.get("works")()
    pid = submission.pid
    assert stopped(submission, "loop").alive
    with submission.test() as student:
        assert student.get("works")() == "worked"
    assert submission.pid == pid


@pytest.mark.parametrize("function", ["deaf", "in_c"])
def test_a_process_that_does_not_give_up_is_replaced(hand_in: HandIn, function: str) -> None:
    submission = hand_in(CODE, limits=SHORT)
    first, again = stopped(submission, function), stopped(submission, function)
    assert (first.again, again.again, again.alive) == (False, True, False)
    assert str(first) == str(again)
    with submission.test() as student:
        assert student.get("works")() == "worked"


def test_what_fills_the_memory_is_known_again(hand_in: HandIn) -> None:
    submission = hand_in(CODE, limits=Limits(cpu_seconds=30, wall_seconds=90, memory_mb=512))
    first, again = stopped(submission, "grows"), stopped(submission, "grows")
    assert (first.cause, again.cause, again.again) == ("memory", "memory", True)
    with submission.test() as student:
        assert student.get("works")() == "worked"


@pytest.mark.parametrize("function", ["grows", "flood"])
def test_a_process_that_filled_the_memory_or_the_output_again_serves_the_next_test(
    hand_in: HandIn, function: str
) -> None:
    submission = hand_in(CODE, limits=Limits(cpu_seconds=3, wall_seconds=9, memory_mb=256))
    first = stopped(submission, function)
    with submission.test() as student:
        student.get("works")()
    pid = submission.pid
    again = stopped(submission, function)
    assert (again.cause, again.again, again.alive) == (first.cause, True, True)
    with submission.test() as student:
        assert student.get("works")() == "worked"
    assert submission.pid == pid


def test_sleep_is_charged_to_the_submission(hand_in: HandIn) -> None:
    submission = hand_in(CODE, limits=Limits(submission_seconds=0.5))
    left = [submission.bridge.time_budget.seconds_left]
    for _ in range(3):
        with submission.test() as student:
            student.get("naps")()
        left.append(submission.bridge.time_budget.seconds_left)
    assert sorted(set(left), reverse=True) == left


def test_loading_however_it_ends_takes_nothing_from_the_time_of_the_tests(hand_in: HandIn) -> None:
    limits = Limits(import_seconds=0.3, submission_seconds=2.0)
    for source in (CODE, f"{CODE}\nwhile True: pass\n"):
        assert hand_in(source, limits=limits).bridge.time_budget.seconds_left == 2.0

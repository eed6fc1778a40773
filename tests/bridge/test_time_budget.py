"""What hangs gets less and less time, and whoever does not hang keeps enough."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentStopped
from autograder.bridge.hangs import StuckCodeLocator
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

def grows_here():
    return [" " * 1_000_000 for _ in range(100)] and "grown"

def burns(seconds):
    start = time.process_time()
    while time.process_time() - start < seconds: pass
    return "burnt"

def works():
    return "worked"

def says_where_and_goes_on():
    import signal
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    while True: pass
"""
SHORT = Limits(cpu_seconds=0.2, wall_seconds=2)
PATIENT = Limits(cpu_seconds=3, submission_seconds=20)
"""Memory is full before the time is up, on a busy machine too."""


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


def test_whoever_runs_the_code_again_waits_nowhere_twice_and_gives_little_memory(hand_in: HandIn) -> None:
    limits = Limits(cpu_seconds=3, wall_seconds=9, memory_mb=512)
    first = hand_in(CODE, limits=limits)
    original = stopped(first, "grows")
    told = pickle.loads(
        pickle.dumps(dict(first.bridge.time_budget.stop_by_location))
    )  # as it comes from another process
    second = hand_in(CODE, limits=limits, earlier_stops=told)
    again = stopped(second, "grows")
    assert (again.cause, again.again, str(again)) == ("memory", True, str(original))
    status = Path(f"/proc/{second.pid}/limits").read_text(encoding="ascii")
    soft = int(next(line for line in status.splitlines() if "address space" in line).split()[3])
    assert soft < 512 * 2**20


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


def test_who_needs_much_memory_elsewhere_is_given_it_at_the_second_try(hand_in: HandIn) -> None:
    submission = hand_in(CODE, limits=PATIENT)
    stopped(submission, "grows")
    assert stopped(submission, "grows_here").cause == "memory"
    assert submission.bridge.adaptive_memory_limit.was_exceeded
    submission.bridge.end_process()
    with submission.test() as student:
        assert student.get("grows_here")() == "grown"
    assert stopped(submission, "grows").again


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


def test_a_place_where_a_process_did_not_give_up_is_not_asked_to_again(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = hand_in(CODE, limits=SHORT)
    gave_up: list[bool] = []
    interrupt = StuckCodeLocator._interrupt_student_code

    def noted(locator: StuckCodeLocator) -> bool:
        gave_up.append(interrupt(locator))
        return gave_up[-1]

    monkeypatch.setattr(StuckCodeLocator, "_interrupt_student_code", noted)
    ends = []
    for _ in range(4):
        submission.bridge.end_process()  # a place is known only if no other test can be the reason
        ends.append(stopped(submission, "says_where_and_goes_on"))
    assert [end.again for end in ends] == [False, True, True, True]
    assert gave_up == [False]

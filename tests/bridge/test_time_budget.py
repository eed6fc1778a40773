"""What hangs gets less and less time, and whoever does not hang keeps enough."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentStopped
from autograder.bridge.hangs import SourceLocation, StuckCodeLocator
from autograder.bridge.student_exceptions import StopCause, StudentTimeout
from autograder.bridge.submission_time_budget import (
    ASK_LOCATION_AFTER_SECONDS,
    IMPATIENCE,
    RELOADING_SECONDS,
    RELOADS_PER_LIMIT,
    STOPS_BEFORE_IMPATIENCE,
    SubmissionTimeBudget,
)
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


def test_other_tests_get_less_after_some_stops(hand_in: HandIn) -> None:
    budget = SubmissionTimeBudget(Limits(cpu_seconds=1.0))
    submission = hand_in(CODE)
    assert submission.bridge._client is not None
    child = submission.bridge._client.process
    assert budget.start_test_clock(child)._limits.cpu_seconds == 1.0
    for line in range(STOPS_BEFORE_IMPATIENCE):
        one = StudentTimeout("cpu", "")
        one.key = SourceLocation("value.py", line, "loop")
        budget.record_stop(one, in_fresh_process=True)
    assert budget.start_test_clock(child)._limits.cpu_seconds == IMPATIENCE


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


def test_the_kit_does_not_load_a_program_again_and_again_without_an_end(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = hand_in(CODE)
    assert submission.bridge._client is not None
    budget = SubmissionTimeBudget(Limits(import_seconds=1.0, submission_seconds=2.0))
    budget.was_loaded = True
    for _ in range(2):
        budget.raise_if_exhausted()
        clock = budget.start_loading_clock(submission.bridge._client.process, 1.0, 100)
        monkeypatch.setattr(clock, "stop_and_set_seconds", lambda: None)
        clock.cpu_seconds = (RELOADING_SECONDS + RELOADS_PER_LIMIT) / 2
        budget.stop_and_charge(clock)
    assert budget.seconds_left == 2.0
    with pytest.raises(StudentTimeout) as caught:
        budget.raise_if_exhausted()
    assert caught.value.cause == "submission"


@pytest.mark.parametrize(("cause", "pays"), [("cpu", 0.2), ("exit", 5.0)])
def test_who_is_stopped_late_by_a_limit_pays_for_the_limit_alone(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch, cause: StopCause, pays: float
) -> None:
    submission = hand_in(CODE)
    assert submission.bridge._client is not None
    budget = SubmissionTimeBudget(Limits(cpu_seconds=0.2, submission_seconds=10.0))
    clock = budget.start_test_clock(submission.bridge._client.process)
    monkeypatch.setattr(clock, "stop_and_set_seconds", lambda: None)
    clock.cpu_seconds, clock.seconds_at_last_limit = 5.0, 0.2
    budget.stop_and_charge(clock, StudentStopped(cause, ""))
    assert budget.seconds_left == pytest.approx(10.0 - pays)


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


def test_a_sleep_before_the_request_that_is_stopped_is_charged(hand_in: HandIn) -> None:
    submission = hand_in(CODE)
    assert submission.bridge._client is not None
    known = {SourceLocation("value.py", 4, "loop"): StudentStopped("cpu", "")}
    clock = SubmissionTimeBudget(Limits(), known).start_test_clock(submission.bridge._client.process)
    clock._idle = 0.1
    clock.restart_location_query_timer()
    clock.cpu_seconds += 0.1
    assert clock.try_claim_location_query()
    assert clock.seconds_at_last_limit == pytest.approx(0.1 + ASK_LOCATION_AFTER_SECONDS)

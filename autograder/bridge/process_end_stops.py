"""Say how a student's process ended, without telling what it may have computed from a hidden test."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

from autograder.bridge.student_exceptions import StudentStopped
from autograder.faults import KitFault
from autograder.sandbox import StudentProcess

COMMON_EXIT_CODES = ("0", "1")
LONGEST_END_SECONDS, END_LOOK_SECONDS = 60.0, 0.02
MOST_LOOKS_ASLEEP = 15
"""A process that ends does not sleep; one that is seen asleep so often has only closed its channel."""
MOST_CPU_SECONDS = 0.3
"""CPU seconds after which a process that closed its channel is taken to go on."""
CRASH_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGABRT")


def make_process_end_stop(process: StudentProcess, is_word_in_source: Callable[[str], bool]) -> StudentStopped:
    """Return the exception for a process that closed its channel.

    Args:
        process: the process.
        is_word_in_source: returns whether a number or a name stands in the submission's source.

    Raises:
        KitFault: it was ended from outside.
    """
    status = _wait_for_exit_status_or_none(process)
    if process.was_killed_from_outside:
        raise KitFault(
            "the init process of a submission was killed", advice="see whether the machine is short of memory"
        ) from None
    return _make_stop_from_exit_status(status, is_word_in_source)


def _wait_for_exit_status_or_none(process: StudentProcess) -> int | None:
    """Wait for the end of a process that closed its channel; return None if it lives on.

    On a busy machine its end takes long. So it is given up only when it was seen asleep, or went on computing.
    """
    deadline, asleep_count = time.monotonic() + LONGEST_END_SECONDS, 0
    cpu_seconds_before, _ = process.read_cpu_seconds_and_state()
    while time.monotonic() < deadline:
        status = process.wait_for_exit_status_or_none(END_LOOK_SECONDS)
        if status is not None:
            return status
        cpu_seconds, state = process.read_cpu_seconds_and_state()
        asleep_count += state == "S"
        if asleep_count > MOST_LOOKS_ASLEEP or (cpu_seconds or 0.0) - (cpu_seconds_before or 0.0) > MOST_CPU_SECONDS:
            break
    return process.wait_for_exit_status_or_none(0)


def _make_stop_from_exit_status(exit_status: int | None, is_word_in_source: Callable[[str], bool]) -> StudentStopped:
    """Return the exception for a process that ended, or that lives and has closed its channel.

    A program chooses its exit code, and may compute it from values of a hidden test. So a code is shown only if it is
    0, 1, or a number that stands in the source. The name of a signal is shown only if a crash, the kernel or the
    source itself explains it.

    Args:
        exit_status: the exit status, negative for a signal; None if the process lives and has closed its channel.
        is_word_in_source: returns whether a number or a name stands in the submission's source.
    """
    if exit_status is None:
        return StudentStopped("protocol", "its process closed the channel to the tests")
    if exit_status == -signal.SIGXCPU:
        return StudentStopped("cpu", "its process used up all its CPU time")
    if exit_status < 0:
        return _make_stop_from_signal(-exit_status, is_word_in_source)
    code = str(exit_status)
    is_told = code in COMMON_EXIT_CODES or is_word_in_source(code)
    with_code = f"(exit code {code})" if is_told else "(with another exit code than 0 or 1)"
    return StudentStopped("exit", f"it ended its process {with_code} instead of returning")


def _make_stop_from_signal(number: int, is_in_source: Callable[[str], bool]) -> StudentStopped:
    try:
        name = signal.Signals(number).name
    except ValueError:  # a real-time signal has a number alone
        name = ""
    if name in CRASH_SIGNALS:
        return StudentStopped("signal", f"its process ended with {name}: the interpreter itself crashed")
    with_name = f"with {name}" if name == "SIGKILL" or (name and is_in_source(name)) else "with a signal"
    return StudentStopped("signal", f"its process ended {with_name}: it was killed")

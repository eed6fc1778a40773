"""Say how a student's process ended, without telling what it may have computed from a hidden test."""

from __future__ import annotations

import signal
from collections.abc import Callable

from autograder.bridge.student_exceptions import StudentStopped, make_memory_limit_stop
from autograder.faults import KitFault
from autograder.sandbox import StudentProcess

COMMON_EXIT_CODES = ("0", "1")
CRASH_SIGNALS = ("SIGSEGV", "SIGBUS", "SIGABRT")


def make_process_end_stop(
    process: StudentProcess, memory_mb: int, wait_seconds: float, is_word_in_source: Callable[[str], bool]
) -> StudentStopped:
    """Return the exception for a process that closed its channel.

    Args:
        process: the process.
        memory_mb: its memory limit.
        wait_seconds: how long to wait for its end.
        is_word_in_source: returns whether a number or a name stands in the submission's source.

    Raises:
        KitFault: it was ended from outside.
    """
    status = process.wait_for_exit_status_or_none(wait_seconds)
    if process.exceeded_control_group_memory:
        return make_memory_limit_stop(memory_mb)
    if process.was_killed_from_outside:
        raise KitFault(
            "the init process of a submission was killed", advice="see whether the machine is short of memory"
        ) from None
    return _make_stop_from_exit_status(status, is_word_in_source)


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

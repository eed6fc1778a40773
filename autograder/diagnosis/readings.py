"""Hold the readings of a student's objects after a program ran, in a plain, comparable form."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import StandIn, StudentError, StudentStopped
from autograder.bridge.student_exceptions import StopCause

TEXT_LENGTH = 40
LARGEST = int(sys.float_info.max)
RELATIVE, ABSOLUTE = 1e-9, 1e-12
STOPPED = "stopped"
OUT_OF_TIME = "out of time"
"""Earlier programs, or a busy machine, used up the time: this says nothing about the program that ran then."""
STOP_KINDS: dict[StopCause, str] = {
    "exit": "ended", "signal": "ended", "protocol": "ended", "flood": "flooded", "memory": "out of memory",
    "submission": OUT_OF_TIME, "wall": OUT_OF_TIME,
}  # fmt: skip
"""What a program did that stopped its process; other causes are its own limits on time and messages."""
STOP_PHRASES = {
    "": "does not end", "ended": "ends its process", "flooded": "prints too much",
    "out of memory": "takes too much memory", OUT_OF_TIME: "is stopped, since no time is left",
}  # fmt: skip
"""What is said of each kind of stop; empty is the kind of a program's own limits on time and on messages."""
STUB = "NotImplementedError"
SAYS_NOTHING = ("RecursionError", "MemoryError", "KeyError")
"""Exceptions with a message that depends on where they happen to be raised, or on an address."""
SAYS_A_NAME = ("NameError", "UnboundLocalError")
"""Exceptions with a message that quotes a name that the student chose."""
ALIKE = (
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    (re.compile(r"(?<![\w.<>])[\w.<>]++\(\)"), "it()"),
    (re.compile(r"'(int|float)'"), "'number'"),
    (re.compile(r"(for \S+?)=: "), r"\1: "),
)
"""Parts of messages that may differ between programs with the same mistake, and what replaces them: addresses, names
of functions, types of numbers, and the ``=`` of in-place operators."""

Seen = int | float | str | None
"""A reading: a finite number; a text for anything else (``None``, ``nan``, ``a list``); None if nothing was read."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """Why a program did not run to its end."""

    exception_name: str
    """The built-in exception that it raised; ``no node`` if an operation gave no object; ``stopped``."""
    phase: str
    """``leaves``, ``step``, ``read``, or the method that was called."""
    step: int = -1
    """The index of the operation, or of the call, counted from 0; -1 for the other phases."""
    message: str = ""
    """The message of the exception, without parts that may differ between programs with the same mistake.

    Of a process that was stopped: a key of ``STOP_PHRASES``.
    """


NO_OBJECT = RunFailure("no node", "leaves")


@dataclass(frozen=True, slots=True)
class ProgramReadings:
    """Everything that was read after one program; variables that hold it are called traces."""

    data: tuple[Seen, ...] = ()
    """The number of every node, in the order in which the nodes were made."""
    grad: tuple[Seen, ...] = ()
    order: tuple[str, ...] = ()
    """The names of the nodes in the order that a sort gave."""
    failure: RunFailure | None = None


def was_stopped(trace: ProgramReadings) -> bool:
    """Return whether the process was stopped, or ended."""
    return trace.failure is not None and trace.failure.exception_name == STOPPED


def is_inconclusive(trace: ProgramReadings) -> bool:
    """Return whether the process was stopped for a reason that says nothing about the program."""
    return was_stopped(trace) and trace.failure is not None and trace.failure.message == OUT_OF_TIME


def describe_failure(failure: RunFailure) -> str:
    """Return what a line of a program does that fails, in words.

    >>> describe_failure(RunFailure("KeyError", "step")), describe_failure(RunFailure(STOPPED, "step", 0, "flooded"))
    ('raises KeyError', 'prints too much')
    """
    if failure.exception_name == STOPPED:
        return STOP_PHRASES[failure.message]
    return f"raises {failure.exception_name}"


def convert_to_reading(value: Any) -> Seen:
    """Return a value as a reading. Bools, texts, containers and objects do not count as numbers.

    >>> convert_to_reading(2.5), convert_to_reading(True), convert_to_reading(float("nan")), convert_to_reading([])
    (2.5, 'True', 'nan', 'a list')
    """
    if type(value) is int:
        return value if -LARGEST <= value <= LARGEST else "a number beyond any float"
    if type(value) is float:
        return value if math.isfinite(value) else f"{value:g}"
    if value is None or type(value) is bool:
        return str(value)
    if isinstance(value, StandIn):
        return "an object"
    return f"{type(value).__name__} {value!r}"[:TEXT_LENGTH] if type(value) is str else f"a {type(value).__name__}"


def is_reading_equal(got: Seen, right: float, *, exact: bool) -> bool:
    """Return whether a reading equals a number: exactly if ``exact``, else up to rounding."""
    if got is None or isinstance(got, str):
        return False
    return got == right or (not exact and math.isclose(got, right, rel_tol=RELATIVE, abs_tol=ABSOLUTE))


def are_traces_alike(trace: ProgramReadings, other_trace: ProgramReadings) -> bool:
    """Return whether two traces show the same: numbers equal up to rounding, the same texts and the same failure."""
    return (
        trace.failure == other_trace.failure
        and trace.order == other_trace.order
        and are_all_readings_close(trace.data, other_trace.data)
        and are_all_readings_close(trace.grad, other_trace.grad)
    )


def make_comparable_failure(error: BaseException, phase: str, step_index: int = -1) -> RunFailure:
    """Return the failure to record for an exception that was raised while a program ran."""
    if isinstance(error, StudentStopped):
        return RunFailure(STOPPED, phase, step_index, STOP_KINDS.get(error.cause, ""))
    if isinstance(error, StudentError):
        return RunFailure(
            error.raised.builtin,
            phase,
            step_index,
            normalize_exception_message(error.raised.builtin, error.raised.message),
        )
    kind = next((kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"), "Exception")
    return RunFailure(kind, phase, step_index, normalize_exception_message(kind, str(error)))


def normalize_exception_message(exception_name: str, message: str) -> str:
    """Return the part of a message that distinguishes mistakes that raise the same kind of exception.

    Args:
        exception_name: the built-in exception.
        message: the message with which it was raised.

    Returns:
        The message, which is the same for programs that differ only in names; empty if it distinguishes nothing.

    >>> normalize_exception_message("NameError", "name 'totl' is not defined")
    "name '' is not defined"
    >>> normalize_exception_message("TypeError", "'float' object is not iterable")
    "'number' object is not iterable"
    """
    if exception_name in SAYS_NOTHING:
        return ""
    for written, plain in ALIKE:
        message = written.sub(plain, message)
    return re.sub("'[^']*'", "''", message) if exception_name in SAYS_A_NAME else message


def are_readings_close(reading: Seen, other_reading: Seen) -> bool:
    """Return whether two readings are equal up to rounding."""
    if isinstance(reading, int | float) and isinstance(other_reading, int | float):
        return math.isclose(reading, other_reading, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return reading == other_reading


def are_all_readings_close(readings: Sequence[Seen], other_readings: Sequence[Seen]) -> bool:
    """Return whether there are as many readings as others, each equal to its counterpart up to rounding."""
    return len(readings) == len(other_readings) and all(map(are_readings_close, readings, other_readings))

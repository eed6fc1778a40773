"""Hold what was read from a student's objects after one program ran, in a plain, comparable form."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import StandIn, StudentError, StudentStopped

TEXT_LENGTH = 40
LARGEST = int(sys.float_info.max)
RELATIVE, ABSOLUTE = 1e-9, 1e-12
STOPPED = "stopped"
STUB = "NotImplementedError"
SAYS_NOTHING = ("RecursionError", "MemoryError", "KeyError")
"""Exceptions whose message hangs on where they happen to be raised, or on an address."""
SAYS_A_NAME = ("NameError", "UnboundLocalError")
"""Exceptions whose message quotes what the student called something."""
ALIKE = (
    (re.compile(r"0x[0-9a-f]+"), "0x"),
    (re.compile(r"(?<![\w.<>])[\w.<>]++\(\)"), "it()"),
    (re.compile(r"'(int|float)'"), "'number'"),
    (re.compile(r"(for \S+?)=: "), r"\1: "),
)
"""What two programs with one mistake may write differently, and one way to write it: addresses, functions, kinds of
numbers, and whether an operator was the one in place."""

Seen = int | float | str | None
"""A finite number; a text for whatever is none (``None``, ``nan``, ``a list``); None where nothing was read."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """Why a program did not run to its end."""

    exception_name: str
    """The built-in exception it raised; ``no node`` for an operation that gives no object; ``stopped``."""
    phase: str
    """``leaves``, ``step``, ``read``, or the method that was called."""
    step: int = -1
    """Which operation, or which of the calls, counted from 0; -1 for the other phases."""
    message: str = ""
    """The message of what was raised, without what two programs with one mistake may write differently."""


NO_OBJECT = RunFailure("no node", "leaves")


@dataclass(frozen=True, slots=True)
class ProgramTrace:
    """Everything that was read after one program."""

    data: tuple[Seen, ...] = ()
    """Of every node, in the order in which they were made."""
    grad: tuple[Seen, ...] = ()
    order: tuple[str, ...] = ()
    """Names of the nodes that a sort gave."""
    failure: RunFailure | None = None


def was_stopped(trace: ProgramTrace) -> bool:
    """Return whether the process was stopped, or ended."""
    return trace.failure is not None and trace.failure.exception_name == STOPPED


def convert_to_reading(value: Any) -> Seen:
    """Return one reading as plain data. Bools, texts, containers and objects do not count as numbers."""
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
    """Return whether a reading is this number: to the bit if ``exact``, else nearly."""
    if got is None or isinstance(got, str):
        return False
    return got == right or (not exact and math.isclose(got, right, rel_tol=RELATIVE, abs_tol=ABSOLUTE))


def are_traces_alike(trace: ProgramTrace, other_trace: ProgramTrace) -> bool:
    """Tell whether two programs were seen to do the same: numbers nearly equal, the same texts, the same failure."""
    return (
        trace.failure == other_trace.failure
        and trace.order == other_trace.order
        and _all_same(trace.data, other_trace.data)
        and _all_same(trace.grad, other_trace.grad)
    )


def make_run_failure(error: BaseException, phase: str, step_index: int = -1) -> RunFailure:
    """Return the failure to note for something that was raised while a program ran."""
    if isinstance(error, StudentStopped):
        return RunFailure(STOPPED, phase, step_index)
    if isinstance(error, StudentError):
        return RunFailure(
            error.raised.builtin,
            phase,
            step_index,
            remove_incidental_text(error.raised.builtin, error.raised.message),
        )
    kind = next((kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"), "Exception")
    return RunFailure(kind, phase, step_index, remove_incidental_text(kind, str(error)))


def remove_incidental_text(exception_name: str, message: str) -> str:
    """Return what tells one mistake from another that raises the same kind of exception.

    Args:
        exception_name: the built-in exception.
        message: as it was raised.

    Returns:
        The message, the same for programs that only give things other names; empty where it tells nothing.
    """
    if exception_name in SAYS_NOTHING:
        return ""
    for written, plain in ALIKE:
        message = written.sub(plain, message)
    return re.sub("'[^']*'", "''", message) if exception_name in SAYS_A_NAME else message


def _all_same(one: Sequence[Seen], other: Sequence[Seen]) -> bool:
    return len(one) == len(other) and all(map(_same, one, other))


def _same(one: Seen, other: Seen) -> bool:
    if one is None or other is None or isinstance(one, str) or isinstance(other, str):
        return one == other
    return is_reading_equal(one, other, exact=False)

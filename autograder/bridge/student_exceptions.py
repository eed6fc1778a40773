"""Define what a student's code can do to a test: raise, stop, take too long. None is the grader's fault."""

from __future__ import annotations

import builtins
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from autograder.bridge.hangs import SourceLocation

StopCause = Literal["exit", "signal", "memory", "flood", "messages", "protocol", "cpu", "sleep", "wall", "submission"]


@dataclass(frozen=True, slots=True)
class StopKind:
    """What a cause that stops a process means for the test, for the student and for the course."""

    hint: str
    """What the student is told to look at."""
    limit: str = ""
    """The key of grading.yml with the limit that was met; empty if none was."""
    is_of_time: bool = False
    """Whether a limit on time was met. That says nothing certain of the program: it is tried again with more time."""
    never_ends: bool = False
    """Whether the program probably does not end."""
    lasts: bool = False
    """Whether the cause persists until something ends it, so that the next test would be stopped there, too."""


ENDLESS_HINT = (
    "What is to end this loop or recursion? A loop over a list must shorten it; a graph may share nodes, so remember "
    "those you visited."
)
WALL = "wall"
"""The cause that may be due to a busy machine: the wall clock also counts the time in which other programs run."""
STOP_KINDS: dict[str, StopKind] = {
    "cpu": StopKind(ENDLESS_HINT, "cpu_seconds", is_of_time=True, never_ends=True, lasts=True),
    "sleep": StopKind(
        "Nothing here needs to wait: take out `sleep`, `input` and the like.",
        "wall_seconds",
        is_of_time=True,
        never_ends=True,
        lasts=True,
    ),
    WALL: StopKind(
        "The machine was busy; if this stays, look for what never ends.",
        "wall_seconds",
        is_of_time=True,
        never_ends=True,
    ),
    "submission": StopKind("Fix what is slow in the tests above first.", "submission_seconds", is_of_time=True),
    "messages": StopKind(ENDLESS_HINT, "messages", never_ends=True, lasts=True),
    "memory": StopKind("Does a list or a string grow without an end?", "memory_mb", lasts=True),
    "flood": StopKind("Take out the prints from inside the class.", "output_kb", lasts=True),
    "exit": StopKind("Take out `exit`, `quit` and `os._exit`."),
    "signal": StopKind("Is there a recursion without an end?"),
    "protocol": StopKind("Leave the file descriptors of the process alone."),
}
"""What each cause means."""


def is_time_limit(stop_cause: str) -> bool:
    """Return whether a test with this cause met a limit on time; not if the cause is empty."""
    return stop_cause in STOP_KINDS and STOP_KINDS[stop_cause].is_of_time


TEXT_LENGTH = 1000
"""Maximum characters that are kept of each text in an exception."""


@dataclass(frozen=True, slots=True)
class ReportedException:
    """An exception as the student's process reported it: checked and truncated text, without any object."""

    kind: str
    """The exception's class, such as ``TypeError``."""
    builtin: str
    """The nearest built-in exception class it inherits from."""
    message: str
    unit: str
    """Where in the student's source it was raised (``value.py``, ``code cell 3``); empty when elsewhere."""
    line: int
    function: str
    """The student's function it was raised in."""
    package: str = ""
    """The missing package that caused the exception; empty if none did."""


class StudentError(Exception):
    """The student's code raised. Also an instance of the built-in class, so that ``pytest.raises`` works."""

    raised: ReportedException

    def __str__(self) -> str:
        place = f" ({self.raised.unit}, line {self.raised.line})" if self.raised.unit else ""
        return f"{self.raised.kind}: {self.raised.message}{place}"

    __repr__ = __str__


class StudentStopped(Exception):
    """The student's process has ended, was stopped, or can no longer be trusted.

    Attributes:
        cause: what ended it.
        message: the cause in words, for the student.
        key: identifies later tests that stop in the same way: a location in the source, or a request; None if
            unknown.
        again: whether an earlier test was stopped at the same location, so that this one got less time.
        alive: whether the process gave up when it was told to, and can serve the next test.
        gives_up: whether a process that is stopped there gives up when it is told to, as far as is known.
    """

    def __init__(self, cause: StopCause, message: str) -> None:
        super().__init__(message)
        self.cause = cause
        self.message = message
        self.key: SourceLocation | None = None
        self.again = self.alive = False
        self.gives_up = True

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cause, self.message), self.__dict__


class StudentTimeout(StudentStopped):
    """A limit on time or on messages was reached; the process was killed, unless it gave up by itself.

    Attributes:
        place: where in its source the submission was at that time; None if unknown.
        waits: whether the code certainly did nothing but wait, so that a busy machine cannot be the reason.
        is_certain: whether it did not end with several times its limit either.
    """

    def __init__(self, cause: StopCause, message: str, *, waits: bool = False) -> None:
        super().__init__(cause, message)
        self.place: SourceLocation | None = None
        self.waits = waits
        self.is_certain = False


def copy_stop_as_repeated(earlier_stop: StudentStopped) -> StudentStopped:
    """Return a copy of an earlier test's stop, marked as ``again``, for a test that is at the same location."""
    stop = StudentStopped(earlier_stop.cause, earlier_stop.message)
    if isinstance(earlier_stop, StudentTimeout):
        stop = StudentTimeout(earlier_stop.cause, earlier_stop.message, waits=earlier_stop.waits)
        stop.place, stop.is_certain = earlier_stop.place, earlier_stop.is_certain
    stop.key, stop.again = earlier_stop.key, True
    return stop


LOOP_ENDS = (StopIteration, StopAsyncIteration)
"""Exceptions that would silently end a loop of the test instead of failing the test."""


@functools.lru_cache(maxsize=256)
def _make_error_class(builtin: str) -> type[StudentError]:
    builtin_class = getattr(builtins, builtin, None)
    if not (isinstance(builtin_class, type) and issubclass(builtin_class, Exception)) or builtin_class in LOOP_ENDS:
        return StudentError
    try:
        error_class = type(f"Student{builtin}", (StudentError, builtin_class), {})
        cast("Any", error_class).__new__(error_class)
    except TypeError:  # Exception itself, and groups, which cannot be made without their parts
        return StudentError
    return error_class


def make_student_error(reported_exception: ReportedException) -> StudentError:
    """Return the exception to raise in a test for one that the student's code raised.

    Exceptions that would end the test run (``SystemExit``, ``KeyboardInterrupt``) become plain ``StudentError``.
    """
    kind = _make_error_class(reported_exception.builtin)
    error = kind.__new__(kind)
    error.args = (reported_exception.kind, reported_exception.message)
    error.raised = reported_exception
    return error


def get_builtin_exception_name_or_default(claimed_name: str) -> str:
    """Return the name if a built-in exception has it, else ``Exception``: a student's class may claim any name.

    >>> get_builtin_exception_name_or_default("ValueError"), get_builtin_exception_name_or_default("print")
    ('ValueError', 'Exception')
    """
    builtin = getattr(builtins, claimed_name, None)
    return claimed_name if isinstance(builtin, type) and issubclass(builtin, BaseException) else "Exception"


def make_memory_limit_stop(memory_mb: int) -> StudentStopped:
    """Return the exception for a submission that exceeds its memory limit, given in megabytes."""
    return StudentStopped("memory", f"it needs more than {memory_mb} MB of memory")


def make_malformed_message_stop() -> StudentStopped:
    """Return the exception for a message that does not keep to the format; it quotes nothing of that message."""
    return StudentStopped("protocol", "its process sent a malformed answer")

"""Tell errors apart by whose fault they are, and end a command in good order when a signal asks for it."""

from __future__ import annotations

import difflib
import errno
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType


class Fault(Exception):
    """An error that is told in one line: what, where, what to do next.

    Attributes:
        what: what is wrong, a sentence without a full stop. It can be understood without ``where`` and ``advice``.
        where: the file, line or key it is about; empty when there is none.
        advice: what to do next; empty when nothing can be said.
    """

    def __init__(self, what: str, where: str = "", advice: str = "") -> None:
        super().__init__(what, where, advice)
        self.what = what
        self.where = where
        self.advice = advice

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.advice})" if self.advice else ""
        return f"{place}{self.what}{advice}"


class CallerFault(Fault):
    """The caller's mistake: a missing folder, a bad zip, a wrong option. Exit code 2."""


class CourseFault(CallerFault):
    """A mistake in the course's own files: ``grading.yml``, a suite, a solution. Exit code 2.

    Attributes:
        details: lines below it that help its author, such as a traceback; ``autograder check`` shows them.
    """

    def __init__(self, what: str, where: str = "", advice: str = "", details: str = "") -> None:
        super().__init__(what, where, advice)
        self.details = details


class CourseFaults(CourseFault):
    """Several mistakes in the course's own files, found at once: a line each.

    Attributes:
        faults: the mistakes.
    """

    def __init__(self, faults: Sequence[CourseFault]) -> None:
        super().__init__(f"{len(faults)} mistakes in the course's files")
        self.args = (faults,)
        self.faults = tuple(faults)

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


def raise_course_faults_if_any(faults: Sequence[CourseFault]) -> None:
    """Raise mistakes, one as it is and several together; do nothing without any."""
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise CourseFaults(faults)


def list_course_faults(fault: CourseFault) -> tuple[CourseFault, ...]:
    """Return the mistakes that an error stands for."""
    return fault.faults if isinstance(fault, CourseFaults) else (fault,)


def format_did_you_mean_suffix(name: str, known_names: Iterable[str]) -> str:
    """Return the end of a sentence that asks whether a known name was meant; empty where none is near.

    >>> format_did_you_mean_suffix("mayaffect", ["id", "may_affect"])
    "; did you mean 'may_affect'?"
    """
    return "".join(f"; did you mean {close!r}?" for close in difflib.get_close_matches(name, [*known_names], 1))


class KitFault(Fault):
    """The kit or the machine failed. Never costs a student a mark; nothing is scored. Exit code 1."""


class ServiceFault(KitFault):
    """A service that the kit calls, such as an LMS, is down, refuses, or answers wrongly. Exit code 1.

    It is handled as a ``KitFault``, because neither costs anybody a mark; the command line says whose fault it is.
    """


MACHINE_ERROR_NUMBERS = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.EFBIG,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
)
"""Errors that are the machine's fault, whatever file they come with: a full disk, no more open files."""


def raise_if_machine_failed(error: OSError, path: object, action: str = "write") -> None:
    """Raise if the machine is to blame for an error with a file, such as a full disk; otherwise do nothing.

    Call it wherever errors with submitted files are blamed on the student.

    Raises:
        KitFault: it is.
    """
    if error.errno in MACHINE_ERROR_NUMBERS:
        raise make_file_fault(error, path, fault_class=KitFault, action=action) from error


def make_file_fault(
    error: OSError,
    path: object,
    *,
    fault_class: type[Fault] = CallerFault,
    action: str = "read",
    advice: str = "",
) -> Fault:
    """Return the fault for a file or folder that the system refuses.

    Args:
        error: what the system said.
        path: the file or folder.
        fault_class: whose fault it is.
        action: what could not be done with it, as an infinitive: ``read``, ``write``, ``write to``, ``remove``.
        advice: what to do next; by default what helps against such an error.

    >>> print(make_file_fault(PermissionError(13, "Permission denied"), "roster.csv"))
    roster.csv: cannot read this file: Permission denied (let this account read it)
    """
    if action == "write to" and error.errno == errno.EEXIST:
        taken = next((one for one in (str(path), str(error.filename)) if os.path.isfile(one)), "")
        if taken:
            return fault_class("this path is a file, not a folder", taken, advice or "name another folder")
    is_folder = action == "write to" or (action != "write" and os.path.isdir(str(path)))
    what = f"cannot {action} this {'folder' if is_folder else 'file'}: {error.strerror or error}"
    return fault_class(what, str(path), advice or _advise(error, action))


@contextmanager
def translate_file_errors(
    path: object, *, fault_class: type[Fault] = CallerFault, action: str = "read", advice: str = ""
) -> Iterator[None]:
    """Turn an ``OSError`` of the block into the fault that ``make_file_fault`` makes of these arguments."""
    try:
        yield
    except OSError as error:
        raise make_file_fault(error, path, fault_class=fault_class, action=action, advice=advice) from error


def _advise(error: OSError, action: str) -> str:
    match error.errno:
        case errno.ENOENT:
            return "name a folder that exists" if action.startswith("write") else "name one that exists"
        case errno.ENAMETOOLONG:
            return "choose a shorter name"
        case errno.EACCES | errno.EPERM:
            return f"let this account {'write to' if action == 'write' else action} it"
        case errno.EISDIR:
            return "name a file; this is a folder"
        case errno.ENOTDIR:
            return "name a folder; a part of this path is a file"
        case errno.ENOSPC | errno.EDQUOT:
            return "make room on the disk"
        case errno.EFBIG:
            return "raise this account's limit of the size of a file, `ulimit -f`"
        case errno.EMFILE | errno.ENFILE:
            return "raise this account's limit of open files, `ulimit -n`"
        case errno.EROFS:
            return "name a writable place"
    return "look at the file and at its disk, then try again"


class CourseWarning(UserWarning):
    """Something in the course's files or results that does not stop a command. Silent, unless a command prints it."""


warnings.simplefilter("ignore", CourseWarning, append=True)


ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a command to end; SIGHUP comes when its terminal is closed."""

CLEANUP_SECONDS = 2.0
"""How long a further signal does not interrupt the cleanup; people press Ctrl-C twice."""

_arrived: list[float] = []
"""When the signals arrived that raised ``KeyboardInterrupt``."""
_is_deferring = threading.Event()
"""Set while the main thread is in a block of ``defer_signals``."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Have signals that ask to end raise ``KeyboardInterrupt`` in this block, so that the command cleans up.

    Only the main thread can be interrupted; in other threads this does nothing.
    """
    _arrived.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.signal(number, _remember_and_raise) for number in list_ending_signals()}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        _arrived.clear()


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP until the block exits, then raise the first that came.

    For code that ``KeyboardInterrupt`` must not leave half done: SQLAlchemy drops a connection in the middle of a
    statement, with everything that is not committed, and an executor keeps a lock that its threads wait for. Only the
    main thread can be interrupted like this; in other threads this does nothing, and neither does a block within
    another one. A signal without a handler in Python is not deferred.
    """
    if threading.current_thread() is not threading.main_thread() or _is_deferring.is_set():
        yield
        return
    pending_signals: list[int] = []
    handlers = {number: signal.getsignal(number) for number in ENDING_SIGNALS}
    handled_numbers = [number for number, handler in handlers.items() if callable(handler)]
    try:
        for number in handled_numbers:
            signal.signal(number, lambda number, frame: pending_signals.append(number))
        _is_deferring.set()
        yield
    finally:
        _is_deferring.clear()
        for number in handled_numbers:
            signal.signal(number, handlers[number])
        if pending_signals:
            signal.raise_signal(pending_signals[0])


def list_ending_signals() -> list[int]:
    """Return the signals that ask this process to end: all, but for a SIGHUP that is ignored, as under ``nohup``."""
    is_hangup_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [number for number in ENDING_SIGNALS if number != signal.SIGHUP or not is_hangup_ignored]


def raise_if_interrupted() -> None:
    """Raise if a signal asked to end, and what it interrupted went on.

    Raises:
        KeyboardInterrupt: it did.
    """
    if _arrived:
        raise KeyboardInterrupt


def _remember_and_raise(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    if not _arrived or now - _arrived[-1] > CLEANUP_SECONDS:
        _arrived.append(now)
        raise KeyboardInterrupt

"""Handle the grader's signals: report the stack of the student's code, or make that code give up.

The report says in which line of the student's source the process is.

A signal is noticed between two steps of Python code, whatever that code does. The stack is sampled a few times: the
code hangs in the functions that stay on it. If the code ignores the signal, no line is reported.

Another signal makes the code give up: an exception leaves the student's code, and the current request has failed.
"""

import _signal
from time import process_time
from typing import Any

from autograder.bridge.inside.message_channel import send_message_at_once

LOOKS = 8
QUICK_LOOKS = 3  # enough to recognize a known location
BETWEEN = 0.001  # seconds
QUICKLY_BETWEEN = 0.0005
MOST_FRAMES = 12

MOST_TRIES = 50

_file_names: set[str] = set()
_tries_left = [0]
_look_limit = [LOOKS]
_stacks: list[list[tuple[Any, int]]] = []
_test_ends = [0.0]  # CPU seconds of the process; 0 for never


class GraderStoppedWaiting(BaseException):
    """The grader does not wait any longer for the current request."""


def install_grader_signal_handlers(source_file_names: set[str]) -> None:
    """Answer the grader's signals from now on.

    Args:
        source_file_names: the file names of the student's own source.
    """
    _file_names.update(source_file_names)
    _signal.signal(_signal.SIGUSR1, _sample_stack)
    _signal.signal(_signal.SIGWINCH, _sample_stack)
    _signal.signal(_signal.SIGUSR2, _give_up)


def _give_up(number: int, frame: Any) -> None:
    """Leave the student's code, but not within the kit's code, which may be in the middle of a message."""
    if number == _signal.SIGUSR2:
        _tries_left[0] = MOST_TRIES
        _signal.signal(_signal.SIGALRM, _give_up)
        _signal.setitimer(_signal.ITIMER_REAL, BETWEEN, BETWEEN)
    _tries_left[0] -= 1
    innermost = frame
    while frame is not None and frame.f_code.co_filename not in _file_names:
        frame = frame.f_back
    leaves = frame is not None and not _is_within_the_kit(innermost, frame)
    if leaves or frame is None or _tries_left[0] <= 0:
        _signal.setitimer(_signal.ITIMER_REAL, 0.0)
        _signal.signal(_signal.SIGALRM, _signal.SIG_IGN)
    if leaves:
        raise GraderStoppedWaiting


def limit_test(cpu_seconds: float) -> None:
    """Make the student's code give up once the process has used so much CPU time from now on; 0 for never."""
    if cpu_seconds or _test_ends[0]:
        _signal.signal(_signal.SIGVTALRM, _leave_test)
        _signal.setitimer(_signal.ITIMER_VIRTUAL, cpu_seconds, BETWEEN if cpu_seconds else 0.0)
    _test_ends[0] = process_time() + cpu_seconds if cpu_seconds else 0.0


def _leave_test(number: int, frame: Any) -> None:
    if process_time() < _test_ends[0]:
        return  # the timer counts the ticks of the system's clock, and a busy process is there at more than its share
    innermost = frame
    while frame is not None and frame.f_code.co_filename not in _file_names:
        frame = frame.f_back
    if frame is not None and not _is_within_the_kit(innermost, frame):
        raise GraderStoppedWaiting


def _is_within_the_kit(inner: Any, outer: Any) -> bool:
    while inner is not outer:
        if "CHANNEL" in inner.f_globals:
            return True
        inner = inner.f_back
    return False


def _sample_stack(number: int, frame: Any) -> None:
    if number != _signal.SIGALRM:
        quick = number == _signal.SIGWINCH
        _stacks.clear()
        _look_limit[0] = QUICK_LOOKS if quick else LOOKS
        _signal.signal(_signal.SIGALRM, _sample_stack)
        pause = QUICKLY_BETWEEN if quick else BETWEEN
        _signal.setitimer(_signal.ITIMER_REAL, pause, pause)
    stack: list[tuple[Any, int]] = []
    while frame is not None:
        stack.append((frame, frame.f_lineno or 0))
        frame = frame.f_back
    _stacks.append(stack[::-1])
    if len(_stacks) >= _look_limit[0]:
        _signal.setitimer(_signal.ITIMER_REAL, 0.0)
        _signal.signal(_signal.SIGALRM, _signal.SIG_IGN)
        send_message_at_once([0, "line", _list_frames_in_every_look()])
        _stacks.clear()


def _list_frames_in_every_look() -> list[Any]:
    """Return the student's functions that were on the stack in every sample, innermost first, with their lines."""
    frames: list[Any] = []
    for levels in zip(*_stacks, strict=False):
        frame = levels[0][0]
        if any(sampled_frame is not frame for sampled_frame, _ in levels):
            break
        if frame.f_code.co_filename in _file_names:
            frames.append([frame.f_code.co_filename, sorted({line for _, line in levels})])
    return frames[: -MOST_FRAMES - 1 : -1]

"""Run the submission's code within its CPU time; signals interrupt only that code, never the kit's code around it."""

import _signal
from time import process_time
from types import CodeType
from typing import Any

from autograder.bridge.inside.repeatable_random import import_and_fix_random

GRACE_SECONDS = 0.1
REPEAT_SECONDS = 0.02
COROUTINE = 0x80  # the bit of a code object that awaits


class LoadTimeout(BaseException):
    """The submission's code has used up its time; no ``except Exception`` of the student's catches it."""


class _Waited(LoadTimeout):
    """The grader saw the process wait, which uses no CPU time."""


_loop: Any = None
"""The event loop of statements with ``await`` at their top level, which notebooks may have."""


def _make_loop() -> None:
    global _loop
    asyncio = import_and_fix_random("asyncio")
    _loop = asyncio.new_event_loop()
    asyncio.set_event_loop(_loop)


def _run_awaiting(code: CodeType, namespace: dict[str, Any]) -> None:
    """Execute code that awaits, as Jupyter does; while it waits, this function alone is on the stack."""
    coroutine = eval(code, namespace)
    try:
        _loop.run_until_complete(coroutine)
    except LoadTimeout as error:
        if coroutine.cr_frame is not None:
            coroutine.throw(error)  # from the line that waits, which the traceback has then
        raise


class _RunningCode:
    """Code of the submission that runs, and the CPU seconds that it may use."""

    code: CodeType | None = None
    limit, cpu_seconds_before = 0.0, 0.0

    def start(self, code: CodeType, limit: float) -> None:
        """Note the code that begins, its limit, and the CPU time so far."""
        self.code, self.limit, self.cpu_seconds_before = code, limit, process_time()

    def measure_cpu_seconds(self) -> float:
        """Return the CPU seconds used so far; time that a busy machine takes away does not count."""
        return process_time() - self.cpu_seconds_before


_running_code = _RunningCode()


class TimedExecution:
    """Executes code, and counts its CPU time against a limit for all of it together.

    Attributes:
        seconds: CPU time that is left.
        overtime_seconds: CPU time that is left for definitions below the code that used up all of ``seconds``.
    """

    def __init__(self, seconds: float, overtime_seconds: float) -> None:
        self._allowed_seconds = self.seconds = seconds
        self.overtime_seconds = overtime_seconds

    def restore_full_time(self) -> None:
        """Restore the full time."""
        self.seconds = self._allowed_seconds

    def execute(self, code: CodeType, namespace: dict[str, Any]) -> None:
        """Execute code as ``exec`` does, interrupted after what is left of the time, or a tenth of a second.

        Raises:
            LoadTimeout: the time is used up; call ``install_time_limit_signal_handlers`` before.
            BaseException: whatever the code raises.
        """
        run = _run_awaiting if code.co_flags & COROUTINE else exec
        marked_code = _run_awaiting.__code__ if run is _run_awaiting else code
        if run is _run_awaiting and _loop is None:
            _make_loop()
        _running_code.start(marked_code, max(self.seconds, GRACE_SECONDS))
        _signal.setitimer(_signal.ITIMER_REAL, min(_running_code.limit, REPEAT_SECONDS), REPEAT_SECONDS)
        was_waiting = False
        try:
            run(code, namespace)
        except _Waited:
            was_waiting = True
            raise
        finally:
            _signal.setitimer(_signal.ITIMER_REAL, 0.0)
            cpu_seconds = _running_code.measure_cpu_seconds()
            if self.seconds <= 0:
                self.overtime_seconds -= cpu_seconds
            else:
                self.seconds = 0.0 if was_waiting else max(0.0, self.seconds - cpu_seconds)


def install_time_limit_signal_handlers() -> None:
    """Have signals interrupt the submission's code when its time is up."""
    _set_signal_handlers(_interrupt_if_time_is_up)


def ignore_time_limit_signals() -> None:
    """Have these signals do nothing."""
    _set_signal_handlers(_signal.SIG_IGN)


def _set_signal_handlers(handler: Any) -> None:
    for number in (_signal.SIGALRM, _signal.SIGUSR2):
        _signal.signal(number, handler)


def _interrupt_if_time_is_up(number: int, frame: Any) -> None:
    """Interrupt the submission's code when its time is up, or the grader sees it wait; never the code around it."""
    waits = number == _signal.SIGUSR2
    while (waits or _running_code.measure_cpu_seconds() >= _running_code.limit) and frame is not None:
        if frame.f_code is _running_code.code:
            raise _Waited if waits else LoadTimeout
        frame = frame.f_back

"""Runs programs in a student's process, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograder.bridge import Bridge, Student, StudentStopped
from autograder.diagnosis.subject import Subject
from autograder.diagnosis.trace import STOPPED, Trace, Trouble

Run = Callable[[Any], Trace]
"""A program to its trace."""


class Runner:
    """Runs a subject's programs behind a bridge; each is a test of its own, with a test's limits.

    Give it a bridge of its own: its time-outs and its time are counted there.
    """

    def __init__(self, subject: Subject, bridge: Bridge) -> None:
        self._subject, self._bridge = subject, bridge
        self._student = Student(bridge)

    def __call__(self, program: Any) -> Trace:
        """Run it in the process that is there; what earlier programs left behind may show.

        Raises:
            KitFault: no process can be started.
        """
        try:
            self._bridge.begin_test()
        except StudentStopped:
            return Trace(trouble=Trouble(STOPPED, "leaves"))
        try:
            return self._subject.run(self._student, program)
        finally:
            self._bridge.end_test()

    def fresh(self, program: Any) -> Trace:
        """Run it in a process that has run nothing else. Raises as above."""
        self._bridge.discard()
        return self(program)


MOST_STOPS = 2


def trace_all(run: Run, programs: Iterable[Any]) -> list[Trace]:
    """The traces of these programs, in their order; ends when the process was stopped for the second time."""
    traces: list[Trace] = []
    stops = 0
    for program in programs:
        traces.append(run(program))
        trouble = traces[-1].trouble
        stops += trouble is not None and trouble.kind == STOPPED
        if stops == MOST_STOPS:
            break
    return traces

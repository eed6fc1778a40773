"""Run fresh programs on a submission, to compare what it does with what known mistakes do on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import Bridge
from autograder.diagnosis.runner import Runner, trace_all
from autograder.diagnosis.subject import Subject
from autograder.diagnosis.trace import Trace, same


@dataclass(frozen=True, slots=True)
class Tried:
    """What a submission did."""

    subject: Subject
    programs: tuple[Any, ...]
    traces: tuple[Trace, ...]
    """Of each program; they end where its process was stopped too often."""
    common: int
    """How many of the programs, the first ones, every submission with the same subject is tried on."""

    @property
    def telling(self) -> int:
        """Return how many programs gave something wrong."""
        return sum(not self.subject.is_right(p, trace) for p, trace in zip(self.programs, self.traces, strict=True))

    def agrees(self, traces: Sequence[Trace]) -> bool:
        """Tell whether another program did the same: gave equal results, or is right too where several results are.

        Args:
            traces: the other program's, on the first of these programs or on all of them.
        """
        return all(
            same(one, other) or (self.subject.is_right(program, one) and self.subject.is_right(program, other))
            for program, one, other in zip(self.programs, self.traces, traces, strict=False)
        )


def try_afresh(subject: Subject, bridge: Bridge, near: Any = None, *, careful: bool = False) -> Tried:
    """Run fresh programs on a submission, and programs near the smallest one that fails.

    Args:
        subject: makes the programs.
        bridge: the connection to the submission; nothing else may run there.
        near: a program that fails; None for none.
        careful: see ``Runner``.

    Raises:
        KitFault: no process can be started.
    """
    fresh = subject.fresh()
    programs = (*fresh, *(subject.near(near) if near is not None else ()))
    bridge.renew()
    traces = trace_all(Runner(subject, bridge, careful=careful), programs)
    return Tried(subject, programs[: len(traces)], tuple(traces), len(fresh))

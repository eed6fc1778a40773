"""What a submission does on fresh programs, and whether a suspected misconception does the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import Bridge
from autograder.diagnosis.counterexample import find
from autograder.diagnosis.runner import Runner, trace_all
from autograder.diagnosis.story import Counterexample
from autograder.diagnosis.subject import Subject
from autograder.diagnosis.trace import Trace, same

SEARCH_SECONDS = 0.7


@dataclass(frozen=True, slots=True)
class Tried:
    """What a submission did."""

    subject: Subject
    programs: Sequence[Any]
    traces: Sequence[Trace]
    """Of each program; they end where its process was stopped too often."""
    counterexample: Counterexample | None

    @property
    def telling(self) -> int:
        """How many programs gave something wrong."""
        return sum(not self.subject.is_right(p, trace) for p, trace in zip(self.programs, self.traces, strict=True))

    def same_on(self, bridge: Bridge) -> bool:
        """Whether another program does the same: equal results, or both right where several are.

        Args:
            bridge: to the other program; nothing has run there.
        """
        theirs = trace_all(Runner(self.subject, bridge), self.programs)
        return len(theirs) == len(self.traces) and all(
            same(one, other) or (self.subject.is_right(program, one) and self.subject.is_right(program, other))
            for program, one, other in zip(self.programs, self.traces, theirs, strict=True)
        )


def try_afresh(subject: Subject, bridge: Bridge, about: Collection[str]) -> Tried:
    """Search for the smallest program that fails, then run fresh ones, and those near the smallest.

    Args:
        subject: whose programs.
        bridge: to the submission; nothing else is to run there.
        about: names of what is in question.

    Raises:
        KitFault: no process can be started.
    """
    runner = Runner(subject, bridge)
    found = find(subject, runner, runner.fresh, SEARCH_SECONDS)
    programs = (*subject.fresh(about=about), *(subject.near(found.program) if found else ()))
    bridge.discard()
    traces = trace_all(runner, programs)
    return Tried(subject, programs[: len(traces)], traces, found.story if found else None)

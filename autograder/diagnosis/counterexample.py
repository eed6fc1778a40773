"""The smallest program on which a submission is wrong.

All small programs are tried first, in order: nearly every misconception shows in one to three operations, what is
found is the smallest by construction, and it takes a fraction of a second. Hypothesis then looks for what only larger
programs show, and shrinks it. What was found is made simpler step by step, down to numbers that are easy to follow,
and must fail in a fresh process too.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.diagnosis.runner import Run
from autograder.diagnosis.story import Counterexample
from autograder.diagnosis.subject import Subject
from autograder.diagnosis.trace import STOPPED, Trace

EXAMPLES = 200
"""Programs that Hypothesis tries before it gives up; what it then shrinks is not counted."""
SHRINKS = 100
"""Programs tried after the first that fails."""
PATIENCE = 2
"""Seconds for each CPU second: a busy machine is not to change the answer."""
MOST_REFUTED = 5
"""Programs that may fail here and not in a fresh process before the search gives up."""


@dataclass(frozen=True, slots=True)
class Found:
    """A program that fails."""

    program: Any
    """The subject's own."""
    story: Counterexample


def find(subject: Subject, run: Run, fresh_run: Run, seconds: float = 1.0) -> Found | None:
    """Look for the smallest program that fails, small ones in order first, then larger ones at random.

    The same submission gets the same answer, unless its time runs out.

    Args:
        subject: whose programs.
        run: runs one, in a process that may have run others.
        fresh_run: runs one in a process of its own: what fails there counts.
        seconds: an emergency brake, in CPU seconds of this process, or twice that in all; what was found by
            then is told.

    Raises:
        KitFault: no process can be started.
    """
    return _Search(subject, run, fresh_run, seconds).result()


class _Search:
    def __init__(self, subject: Subject, run: Run, fresh_run: Run, seconds: float) -> None:
        self._subject, self._run, self._fresh_run = subject, run, fresh_run
        self._ends_cpu, self._ends = time.process_time() + seconds, time.monotonic() + PATIENCE * seconds
        self._known: dict[Any, bool] = {}
        self._refuted = 0
        self._stopped = False

    def result(self) -> Found | None:
        for candidate in self._candidates():
            best = candidate if self._stopped else self._simplified(candidate)
            for program in dict.fromkeys((best, candidate)):
                trace = self._fresh_run(program)
                if not self._subject.is_right(program, trace):
                    return Found(program, self._subject.tell(program, trace))
                self._known[program] = False
            self._refuted += 1
            if self._refuted == 1 and (leak := self._leak()):
                return leak
            if self._stopped or self._refuted > MOST_REFUTED or self._is_late():
                return None
        return None

    def _leak(self) -> Found | None:
        """Something failed only where other programs ran before: the story of one that does so by itself."""
        for program in self._subject.leaking():
            if self._is_late():
                break
            trace = self._fresh_run(program)
            if not self._subject.is_right(program, trace):
                return Found(program, self._subject.tell(program, trace))
        return None

    def _candidates(self) -> Iterator[Any]:
        """Programs that failed, the ones to be preferred first."""
        for program in self._subject.small():
            if self._fails(program):
                yield program
            if self._is_late():
                return
        for _ in range(MOST_REFUTED):
            found = self._searched()
            if found is None:
                return
            yield found

    def _fails(self, program: Any) -> bool:
        if program not in self._known:
            if self._stopped or self._is_late():
                return False
            trace: Trace = self._run(program)
            self._stopped = trace.trouble is not None and trace.trouble.kind == STOPPED
            self._known[program] = not self._subject.is_right(program, trace)
        return self._known[program]

    def _is_late(self) -> bool:
        return time.process_time() > self._ends_cpu or time.monotonic() > self._ends

    def _simplified(self, program: Any) -> Any:
        """The end of a chain of ever simpler programs that fail."""
        while True:
            simpler = next((one for one in self._subject.simpler(program) if self._fails(one)), None)
            if simpler is None or self._stopped:
                return program
            program = simpler

    def _searched(self) -> Any:
        """What Hypothesis finds and shrinks; None if nothing fails."""
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.errors import HypothesisException

        found: list[Any] = []
        tried = 0

        def fails(program: Any) -> bool:
            nonlocal tried
            failed = self._fails(program)
            if failed:
                found.append(program)
            tried += bool(found)
            if self._is_late() or self._stopped or tried > SHRINKS:
                raise _Enough
            return failed

        quiet = settings(
            max_examples=EXAMPLES,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        with contextlib.suppress(_Enough, HypothesisException):
            return find(self._subject.strategy(), fails, settings=quiet, random=random.Random(0))
        return min(found, key=lambda program: len(program.lines()), default=None)


class _Enough(BaseException):
    """Ends Hypothesis' search at once; what is no ``Exception`` it lets pass."""

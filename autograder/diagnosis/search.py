"""Find the smallest program on which a submission is wrong."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from autograder.diagnosis.definition import DiagnosisProgramFamily
from autograder.diagnosis.model import Counterexample
from autograder.diagnosis.program_runner import ProgramRunner
from autograder.diagnosis.readings import is_inconclusive, was_stopped

MOST_RANDOM = 300
"""The number of larger programs that are tried when no small one fails."""
MOST_PROGRAMS = 4_000
"""How many programs are tried in all. A count does not depend on how busy the machine is, as a time limit would."""
MOST_REFUTED = 5
"""How many programs may fail in a shared process but not in a fresh one before the search gives up."""


@dataclass(frozen=True, slots=True)
class FailingProgram:
    """A program that fails, and what is wrong on it."""

    program: Any
    """A program of the family that was searched."""
    counterexample: Counterexample


def search_smallest_failing_program(
    program_family: DiagnosisProgramFamily, runner: ProgramRunner, max_programs: int = MOST_PROGRAMS
) -> FailingProgram | None:
    """Look for the smallest program that fails: small ones in order, then random ones, made simpler step by step.

    The same submission gets the same answer.

    Args:
        program_family: makes the programs.
        runner: runs them; a failure in a process that ran nothing else counts.
        max_programs: how many programs to try; the search returns what it has found by then.

    Raises:
        KitFault: no process can be started.
    """
    return _Search(program_family, runner, max_programs).result()


@dataclass(slots=True)
class _Search:
    _family: DiagnosisProgramFamily
    _runner: ProgramRunner
    _left: int
    _known: dict[Any, bool] = field(default_factory=dict)
    _refuted: int = 0
    _stopped: bool = False

    def result(self) -> FailingProgram | None:
        for candidate in self._iterate_failing(self._iterate_programs()):
            for program in dict.fromkeys((self._simplified(candidate), candidate)):
                trace = self._runner.run_in_fresh_process(program)
                if is_inconclusive(trace):
                    return None
                if not self._family.is_trace_correct(program, trace):
                    return FailingProgram(program, self._family.make_counterexample(program, trace))
                self._known[program] = False
            self._refuted += 1
            if self._refuted == 1 and (leak := self._find_leaking_program()):
                return leak
            if self._is_over() or self._refuted > MOST_REFUTED:
                return None
        return None

    def _find_leaking_program(self) -> FailingProgram | None:
        """Find a program that shows leaking state in a fresh process, after a failure in a shared process only."""
        for program in self._family.enumerate_state_leak_programs():
            if self._left <= 0:
                break
            trace = self._runner.run_in_fresh_process(program)
            if is_inconclusive(trace):
                break
            if not self._family.is_trace_correct(program, trace):
                return FailingProgram(program, self._family.make_counterexample(program, trace))
        return None

    def _iterate_programs(self) -> Iterator[Any]:
        yield from self._family.enumerate_small_programs()
        yield from self._family.draw_random_programs(MOST_RANDOM)

    def _iterate_failing(self, programs: Iterator[Any]) -> Iterator[Any]:
        """Yield the programs that fail, until enough were tried; what is tried in between does not disturb this."""
        programs, coming = itertools.tee(programs)
        traces = self._runner.trace_programs(one for one in coming if one not in self._known)
        for program in programs:
            if self._is_over():
                return
            if program not in self._known:
                trace = next(trace for traced, trace in traces if traced == program)
                self._left -= 1
                if is_inconclusive(trace):
                    self._left = 0
                    return
                self._stopped = was_stopped(trace)
                self._known[program] = not self._family.is_trace_correct(program, trace)
            if self._known[program]:
                yield program

    def _is_over(self) -> bool:
        return self._stopped or self._left <= 0

    def _simplified(self, program: Any) -> Any:
        """Return a program that fails, made simpler step by step until no simpler program fails."""
        while not self._stopped:
            simpler = next(self._iterate_failing(self._family.enumerate_simpler_programs(program)), None)
            if simpler is None:
                break
            program = simpler
        return program

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
"""How many larger programs are tried when no small one fails."""
MOST_PROGRAMS = 4_000
"""How many programs are tried in all. A count does not depend on how busy the machine is, as a time limit would."""
MOST_TOGETHER = 250
"""How many programs share a process; a limit, because the state that an engine keeps may grow with each program."""
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
        for candidate in self._candidates():
            best = candidate if self._stopped else self._simplified(candidate)
            for program in dict.fromkeys((best, candidate)):
                trace = self._runner.run_in_fresh_process(program)
                if is_inconclusive(trace):
                    return None
                if not self._family.is_trace_correct(program, trace):
                    return FailingProgram(program, self._family.make_counterexample(program, trace))
                self._known[program] = False
            self._refuted += 1
            if self._refuted == 1 and (leak := self._find_leaking_program()):
                return leak
            if self._stopped or self._refuted > MOST_REFUTED or self._is_over():
                return None
        return None

    def _find_leaking_program(self) -> FailingProgram | None:
        """Find a program that shows leaking state in a fresh process, after a failure in a shared process only."""
        for program in self._family.enumerate_state_leak_programs():
            if self._is_over():
                break
            trace = self._runner.run_in_fresh_process(program)
            if is_inconclusive(trace):
                break
            if not self._family.is_trace_correct(program, trace):
                return FailingProgram(program, self._family.make_counterexample(program, trace))
        return None

    def _candidates(self) -> Iterator[Any]:
        """Yield programs that failed; what is tried in between does not disturb their order."""
        programs = self._iterate_all()
        while not self._is_over():
            programs = self._announced(programs)
            program = next((one for one in programs if self._fails(one) or self._is_over()), None)
            if program is None:
                return
            if self._known.get(program):
                yield program

    def _iterate_all(self) -> Iterator[Any]:
        yield from self._family.enumerate_small_programs()
        yield from self._family.draw_random_programs(MOST_RANDOM)

    def _announced(self, programs: Iterator[Any]) -> Iterator[Any]:
        """Return the same programs, after announcing those that have not run yet."""
        now, coming = itertools.tee(programs)
        self._runner.announce_programs(one for one in coming if one not in self._known)
        return now

    def _fails(self, program: Any) -> bool:
        if program not in self._known:
            if self._stopped or self._is_over():
                return False
            self._left -= 1
            run = self._runner if self._left % MOST_TOGETHER else self._runner.run_in_fresh_process
            trace = run(program)
            if is_inconclusive(trace):
                self._left = 0
                return False
            self._stopped = was_stopped(trace)
            self._known[program] = not self._family.is_trace_correct(program, trace)
        return self._known[program]

    def _is_over(self) -> bool:
        return self._left <= 0

    def _simplified(self, program: Any) -> Any:
        """Return a program that fails, made simpler step by step until no simpler program fails."""
        while True:
            simpler_programs = self._announced(self._family.enumerate_simpler_programs(program))
            simpler = next((one for one in simpler_programs if self._fails(one)), None)
            if simpler is None or self._stopped:
                return program
            program = simpler

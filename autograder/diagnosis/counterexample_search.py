"""Find the smallest program on which a submission is wrong.

The search tries all small programs first, in order. Nearly every misconception shows in one to three operations, the
program found is the smallest by construction, and this takes a fraction of a second. Hypothesis then looks for
mistakes that only larger programs show, and shrinks what it finds. The search makes the program simpler step by step,
down to numbers that are easy to follow. The program must fail in a fresh process too.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.hypothesis_search import StopHypothesisProgramSearch, find_program_with_hypothesis
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.program_runner import RunProgram
from autograder.diagnosis.program_trace import ProgramTrace, was_stopped

SHRINKS = 100
"""Programs tried after the first that fails."""
MOST_PROGRAMS = 4_000
"""Programs tried in all. Work is counted, not timed: a busy machine does not change the answer."""
MOST_TOGETHER = 250
"""Programs that share a process: what an engine never forgets must not grow without end."""
MOST_REFUTED = 5
"""Programs that may fail here and not in a fresh process before the search gives up."""


AnnouncePrograms = Callable[[Iterable[Any]], None]
"""Says which programs will be run next, if nothing comes in between."""


def _announce_nothing(programs: Iterable[Any]) -> None:
    pass


@dataclass(frozen=True, slots=True)
class ProgramWithCounterexample:
    """A program that fails."""

    program: Any
    """One of the family."""
    counterexample: Counterexample


def search_smallest_failing_program(
    program_family: DiagnosisProgramFamily,
    run_program: RunProgram,
    run_in_fresh_process: RunProgram,
    max_programs: int = MOST_PROGRAMS,
    announce_programs: AnnouncePrograms = _announce_nothing,
    get_hypothesis_programs: Callable[[], Sequence[Any]] | None = None,
) -> ProgramWithCounterexample | None:
    """Look for the smallest program that fails, small ones in order first, then larger ones at random.

    The same submission gets the same answer.

    Args:
        program_family: makes the programs.
        run_program: runs a program, in a process that may have run others.
        run_in_fresh_process: runs a program in a process of its own; a failure there counts.
        max_programs: how many programs to try; the search returns what it has found by then.
        announce_programs: is told which programs ``run_program`` will most likely get next.
        get_hypothesis_programs: gives what Hypothesis tries if none of it fails, so that it need not be made again:
            see ``hypothesis_search``. The answer is the same without.

    Raises:
        KitFault: no process can be started.
    """
    return _Search(
        program_family, run_program, run_in_fresh_process, max_programs, announce_programs, get_hypothesis_programs
    ).result()


@dataclass(slots=True)
class _Search:
    _family: DiagnosisProgramFamily
    _run: RunProgram
    _fresh_run: RunProgram
    _left: int
    _announce: AnnouncePrograms
    _get_generated_programs: Callable[[], Sequence[Any]] | None
    _known: dict[Any, bool] = field(default_factory=dict)
    _refuted: int = 0
    _stopped: bool = False

    def result(self) -> ProgramWithCounterexample | None:
        for candidate in self._candidates():
            best = candidate if self._stopped else self._simplified(candidate)
            for program in dict.fromkeys((best, candidate)):
                trace = self._fresh_run(program)
                if not self._family.is_trace_correct(program, trace):
                    return ProgramWithCounterexample(program, self._family.explain_wrong_trace(program, trace))
                self._known[program] = False
            self._refuted += 1
            if self._refuted == 1 and (leak := self._find_leaking_program()):
                return leak
            if self._stopped or self._refuted > MOST_REFUTED or self._is_over():
                return None
        return None

    def _find_leaking_program(self) -> ProgramWithCounterexample | None:
        """Find a program that fails in a fresh process, after one failed only where other programs ran before."""
        for program in self._family.enumerate_state_leak_programs():
            if self._is_over():
                break
            trace = self._fresh_run(program)
            if not self._family.is_trace_correct(program, trace):
                return ProgramWithCounterexample(program, self._family.explain_wrong_trace(program, trace))
        return None

    def _candidates(self) -> Iterator[Any]:
        """Yield programs that failed, the preferred ones first."""
        small = self._family.enumerate_small_programs()
        while True:
            small = self._announced(small)
            program = next((one for one in small if self._fails(one) or self._is_over()), None)
            if program is None:
                break
            if self._known.get(program):
                yield program
            if self._is_over():
                return
        for _ in range(MOST_REFUTED):
            found = self._searched()
            if found is None:
                return
            yield found

    def _announced(self, programs: Iterator[Any]) -> Iterator[Any]:
        """Return the same programs, and announce that they come next."""
        now, coming = itertools.tee(programs)
        self._announce(one for one in coming if one not in self._known)
        return now

    def _fails(self, program: Any) -> bool:
        if program not in self._known:
            if self._stopped or self._is_over():
                return False
            self._left -= 1
            run = self._run if self._left % MOST_TOGETHER else self._fresh_run
            trace: ProgramTrace = run(program)
            self._stopped = was_stopped(trace)
            self._known[program] = not self._family.is_trace_correct(program, trace)
        return self._known[program]

    def _is_over(self) -> bool:
        return self._left <= 0

    def _simplified(self, program: Any) -> Any:
        """Return the end of a chain of ever simpler programs that fail."""
        while True:
            simpler = next(
                (
                    one
                    for one in self._announced(self._family.enumerate_simpler_programs(program))
                    if self._fails(one)
                ),
                None,
            )
            if simpler is None or self._stopped:
                return program
            program = simpler

    def _searched(self) -> Any:
        """Return what Hypothesis finds and shrinks; None if nothing fails."""
        if self._get_generated_programs and not self._any_fails(self._get_generated_programs()):
            return None
        found: list[Any] = []
        tried = 0

        def fails(program: Any) -> bool:
            nonlocal tried
            failed = self._fails(program)
            if failed:
                found.append(program)
            tried += bool(found)
            if self._is_over() or self._stopped or tried > SHRINKS:
                raise StopHypothesisProgramSearch
            return failed

        with contextlib.suppress(StopHypothesisProgramSearch):
            return find_program_with_hypothesis(self._family, fails)
        return min(found, key=lambda program: len(program.format_lines()), default=None)

    def _any_fails(self, programs: Sequence[Any]) -> bool:
        return any(self._fails(program) or self._is_over() for program in self._announced(iter(programs)))

"""Find the smallest program on which a submission is wrong."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from autograder.diagnosis.caches import CourseProgramRunCache, LruCache, hash_run_inputs
from autograder.diagnosis.definition import DiagnosisProgramFamily
from autograder.diagnosis.model import Counterexample
from autograder.diagnosis.program_runner import RunProgram
from autograder.diagnosis.readings import ProgramReadings, is_inconclusive, was_stopped

MOST_EXAMPLES = 200
"""How many programs Hypothesis tries before it gives up; programs tried while shrinking are not counted."""
MOST_REMEMBERED = 8
"""How many families' programs are remembered; a family has some hundred of them."""


class StopProgramSearch(BaseException):
    """Raised by the predicate to end the search at once. It is no ``Exception``, so Hypothesis does not catch it."""


def find_program_with_hypothesis(program_family: DiagnosisProgramFamily, predicate: Callable[[Any], bool]) -> Any:
    """Return the simplest program that Hypothesis finds for which ``predicate`` is true; None if there is none.

    Raises:
        StopProgramSearch: the predicate raised it.
    """
    from hypothesis import HealthCheck, Phase, find, settings
    from hypothesis.errors import HypothesisException

    quiet = settings(
        max_examples=MOST_EXAMPLES,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    with contextlib.suppress(HypothesisException):
        return find(program_family.make_hypothesis_strategy(), predicate, settings=quiet, random=random.Random(0))
    return None


def list_hypothesis_programs(program_family: DiagnosisProgramFamily) -> list[Any]:
    """Return all programs that Hypothesis tries if none fails, in order."""
    programs: dict[Any, None] = {}

    def note(program: Any) -> bool:
        programs.setdefault(program)
        return False

    find_program_with_hypothesis(program_family, note)
    return [*programs]


class GeneratedProgramCache:
    """Remembers the programs that Hypothesis tries, because generating them takes longer than running them."""

    def __init__(self, run_cache: CourseProgramRunCache) -> None:
        """Remember nothing yet.

        Args:
            run_cache: keeps the programs between runs of the kit, if they can be encoded without loss.
        """
        self._kept_runs = run_cache
        self._by_key: LruCache[bytes, list[Any]] = LruCache(MOST_REMEMBERED)

    def get_or_generate(
        self, program_family: DiagnosisProgramFamily, implemented_names: Collection[str]
    ) -> list[Any]:
        """Return the programs of a family.

        Args:
            program_family: the family.
            implemented_names: the names that a submission implements. Families for the same names make the same
                programs.
        """
        import hypothesis

        key = hash_run_inputs("generated programs", hypothesis.__version__, further_texts=sorted(implemented_names))
        programs = self._by_key.get(key)
        if programs is None:
            programs = self._load_or_generate(key, program_family)
            self._by_key.store(key, programs)
        return programs

    def _load_or_generate(self, key: bytes, program_family: DiagnosisProgramFamily) -> list[Any]:
        kind: Any = list[type(next(program_family.enumerate_small_programs(), None))]  # type: ignore[misc]
        kept: list[Any] | None = self._kept_runs.get_or_none(key, kind)
        if kept is not None:
            return kept
        programs = list_hypothesis_programs(program_family)
        if _survive_encoding(programs, kind):
            self._kept_runs.store_if_absent(key, programs)
        return programs


def _survive_encoding(programs: list[Any], kind: Any) -> bool:
    """Return whether decoding the encoded programs gives the same programs, with the same ``repr``."""
    try:
        return repr(msgspec.msgpack.decode(msgspec.msgpack.encode(programs), type=kind)) == repr(programs)
    except (msgspec.MsgspecError, TypeError, OverflowError, NameError):
        return False


SHRINKS = 100
"""How many programs Hypothesis may try after the first that fails."""
MOST_PROGRAMS = 4_000
"""How many programs are tried in all. A count does not depend on how busy the machine is, as a time limit would."""
MOST_TOGETHER = 250
"""How many programs share a process; a limit, because the state that an engine keeps may grow with each program."""
MOST_REFUTED = 5
"""How many programs may fail in a shared process but not in a fresh one before the search gives up."""


AnnouncePrograms = Callable[[Iterable[Any]], None]
"""Takes the programs that will probably be run next, in order."""


def _announce_nothing(programs: Iterable[Any]) -> None:
    pass


@dataclass(frozen=True, slots=True)
class FailingProgram:
    """A program that fails, and what is wrong on it."""

    program: Any
    """A program of the family that was searched."""
    counterexample: Counterexample


def search_smallest_failing_program(
    program_family: DiagnosisProgramFamily,
    run_program: RunProgram,
    run_in_fresh_process: RunProgram,
    max_programs: int = MOST_PROGRAMS,
    announce_programs: AnnouncePrograms = _announce_nothing,
    get_hypothesis_programs: Callable[[], Sequence[Any]] | None = None,
) -> FailingProgram | None:
    """Look for the smallest program that fails, small ones in order first, then larger ones at random.

    The same submission gets the same answer.

    Args:
        program_family: makes the programs.
        run_program: runs a program, in a process that may have run others.
        run_in_fresh_process: runs a program in a process of its own; a failure there counts.
        max_programs: how many programs to try; the search returns what it has found by then.
        announce_programs: called with the programs that ``run_program`` will most likely get next.
        get_hypothesis_programs: returns the programs that Hypothesis tries as long as none fails, so that they need
            not be generated again; see ``random_program_search``. The result is the same without it.

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

    def result(self) -> FailingProgram | None:
        for candidate in self._candidates():
            best = candidate if self._stopped else self._simplified(candidate)
            for program in dict.fromkeys((best, candidate)):
                trace = self._fresh_run(program)
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
            trace = self._fresh_run(program)
            if is_inconclusive(trace):
                break
            if not self._family.is_trace_correct(program, trace):
                return FailingProgram(program, self._family.make_counterexample(program, trace))
        return None

    def _candidates(self) -> Iterator[Any]:
        """Yield programs that failed: small ones in order, then those that Hypothesis found."""
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
        """Return the same programs, after announcing those that have not run yet."""
        now, coming = itertools.tee(programs)
        self._announce(one for one in coming if one not in self._known)
        return now

    def _fails(self, program: Any) -> bool:
        if program not in self._known:
            if self._stopped or self._is_over():
                return False
            self._left -= 1
            run = self._run if self._left % MOST_TOGETHER else self._fresh_run
            trace: ProgramReadings = run(program)
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
                raise StopProgramSearch
            return failed

        with contextlib.suppress(StopProgramSearch):
            return find_program_with_hypothesis(self._family, fails)
        return min(found, key=lambda program: len(program.format_lines()), default=None)

    def _any_fails(self, programs: Sequence[Any]) -> bool:
        return any(self._fails(program) or self._is_over() for program in self._announced(iter(programs)))

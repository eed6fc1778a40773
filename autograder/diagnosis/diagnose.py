"""From a wrong submission to the idea behind it, named only where its own numbers prove it."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from msgspec.structs import replace

from autograder.bridge import Program
from autograder.course import Limits
from autograder.course.misconceptions import Misconception, load_catalogue, source_with
from autograder.diagnosis.confirm import Tried, try_afresh
from autograder.diagnosis.match import suspects
from autograder.diagnosis.model import NONE, Cause, Diagnosis, Evidence, Seen, Suspect
from autograder.diagnosis.observations import Observed, read_observations, state_in_use, state_of
from autograder.diagnosis.subject import subject_of
from autograder.faults import CourseFault
from autograder.grading import Graded, Grader
from autograder.text import clean_name

log = logging.getLogger(__name__)

UNTRIED = ("blocked", "not attempted", "grader error")
MOST_CONFIRMED = 8
"""Sets of misconceptions that are tried on fresh programs."""
FEWEST_FRESH = 20
MOST_SHOWN = 3
CPU_SECONDS, WALL_SECONDS = 0.25, 1.0
MOST_SECONDS = 6.0
"""Beside loading; the search for a counterexample has its own, much shorter."""
FEWEST_SECONDS = 1.0

OUT_OF_DATE = (
    "what the known mistakes look like is not up to date here; the staff can mend that with `autograder check`"
)
NO_TIME = "the tests used up the time that a submission has"
FAULT = "it could not be looked into here; `autograder check` tells the staff why"
NO_MATCH = "what was seen fits no mistake that is known here, alone or with others"
NOT_CONFIRMED = "on fresh programs it does something else than the mistakes that came to mind"
NOTHING_FRESH = "it does not get far enough on fresh programs to be compared with a known mistake"


def timed(diagnoser: Diagnoser, graded: Graded) -> tuple[Diagnosis, float]:
    """A diagnosis, and the seconds that it took."""
    started = time.perf_counter()
    return diagnoser.diagnose(graded), time.perf_counter() - started


class Diagnoser:
    """Diagnoses what one grader grades."""

    def __init__(self, grader: Grader, known: Mapping[str, Observed] | None = None) -> None:
        """Nothing is read yet: a submission without a mistake costs nothing.

        Args:
            grader: whose results are diagnosed.
            known: what each misconception looks like; from the generated file when None.
        """
        self._grader = grader
        self._assignment = grader.assignment
        self._given = known

    def diagnose(self, graded: Graded) -> Diagnosis:
        """What is behind the failed tests of a submission; unknown, too, where the course or the kit is at fault.

        Tests beyond the contract, and what is not written yet, say nothing.
        """
        try:
            found = self._diagnose(graded)
            return found if found is NONE else replace(found, compared_with=self._state)
        except Exception:  # marks are given already: what goes wrong here costs nobody a report
            log.exception("the mistakes of %s could not be looked into", clean_name(graded.submission))
            return self._unknown(FAULT)

    def _diagnose(self, graded: Graded) -> Diagnosis:
        results = {r.spec.id: r for r in graded.results if not r.spec.beyond and r.outcome not in UNTRIED}
        seen = {test: result.observed for test, result in results.items() if result.outcome != "passed"}
        if not seen or graded.program is None:
            return NONE
        subject = subject_of(self._assignment, graded.has)
        if subject is None:
            return self._unknown(NOTHING_FRESH)
        left = self._assignment.limits.submission_seconds - graded.seconds["total"]
        if left < FEWEST_SECONDS:
            return self._unknown(NO_TIME)
        about = {name for test in seen for name in results[test].spec.about}
        bridge = self._grader.open(graded.program, self._limits(left))
        try:
            tried = try_afresh(subject, bridge, about)
        finally:
            bridge.discard()
        return self._named(seen, results.keys(), tried)

    def _named(self, seen: Observed, tests: Collection[str], tried: Tried) -> Diagnosis:
        if self._known is None:
            return self._unknown(OUT_OF_DATE, tried)
        if len(tried.traces) < FEWEST_FRESH:
            return self._unknown(NOTHING_FRESH, tried)
        sets = suspects(seen, tests, self._known)
        if not sets:
            return self._unknown(NO_MATCH, tried)
        confirmed = [names for names in sets[:MOST_CONFIRMED] if self._confirms(names, seen, tried)]
        if not confirmed:
            return self._unknown(NOT_CONFIRMED, tried)
        shown = [Seen(test=test, observed=what) for test, what in list(seen.items())[:MOST_SHOWN]]
        evidence = Evidence(
            tests=len(seen),
            programs=len(tried.traces),
            telling=tried.telling,
            observed=tuple(shown) if self._assignment.feedback.observed_values else (),
        )
        causes = tuple(self._causes(confirmed, seen))
        return Diagnosis(verdict="named", causes=causes, evidence=evidence, counterexample=tried.counterexample)

    def _confirms(self, names: tuple[str, ...], seen: Observed, tried: Tried) -> bool:
        """Whether the reference with these misconceptions does what the submission did: in the suite, and afresh."""
        program = self._program(names)
        if program is None:
            return False
        if len(names) > 1 and self._grader.observe(program, seen.keys()) != seen:
            return False  # together they may hide each other
        bridge = self._grader.open(program, self._limits(MOST_SECONDS))
        try:
            return tried.same_on(bridge)
        finally:
            bridge.discard()

    def _program(self, names: tuple[str, ...]) -> Program | None:
        """The reference with several misconceptions; None where two of them change the same lines."""
        solution = self._assignment.solution.read_text(encoding="utf-8")
        try:
            source = source_with(solution, *(self._catalogue[name] for name in names))
        except CourseFault:
            return None
        return Program((("value.py", source),), self._assignment.defines)

    def _causes(self, confirmed: list[tuple[str, ...]], seen: Observed) -> Iterator[Cause]:
        """A cause for each misconception of the likeliest set, with those that could stand in its place."""
        likeliest = confirmed[0]
        for place, name in enumerate(likeliest):
            rest = likeliest[:place] + likeliest[place + 1 :]
            alike = [
                n for names in confirmed for n in names if len(names) == len(likeliest) and {*rest, n} == {*names}
            ]
            suspects_here = [self._catalogue[n] for n in dict.fromkeys((name, *alike)) if n not in rest]
            yield Cause(
                misconceptions=tuple(
                    Suspect(id=one.id, title=one.title, explanation=one.explanation, hints=one.hints)
                    for one in suspects_here
                ),
                concepts=tuple(dict.fromkeys(concept for one in suspects_here for concept in one.concepts)),
                tests=tuple(test for test in seen if test in (self._known or {})[name]),
            )

    def _unknown(self, reason: str, tried: Tried | None = None) -> Diagnosis:
        return Diagnosis(verdict="unknown", reason=reason, counterexample=tried.counterexample if tried else None)

    def _limits(self, left: float) -> Limits:
        """Programs here are tiny: what takes longer than this does not end.

        Args:
            left: seconds of the submission's time.
        """
        limits = self._assignment.limits
        return replace(
            limits,
            cpu_seconds=min(CPU_SECONDS, limits.cpu_seconds),
            wall_seconds=min(WALL_SECONDS, limits.wall_seconds),
            submission_seconds=min(MOST_SECONDS + limits.import_seconds, left),
        )

    @cached_property
    def _known(self) -> dict[str, Observed] | None:
        known = read_observations(self._assignment) if self._given is None else self._given
        return None if known is None else {name: known[name] for name in self._catalogue if name in known}

    @cached_property
    def _state(self) -> str:
        return state_in_use(self._assignment) if self._given is None else state_of(self._assignment)

    @cached_property
    def _catalogue(self) -> dict[str, Misconception]:
        return {one.id: one for one in load_catalogue(self._assignment).misconceptions}

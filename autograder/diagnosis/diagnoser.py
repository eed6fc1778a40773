"""Find the idea behind a wrong submission; name it only where it was seen, or the submission's numbers prove it."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from autograder.bridge import Bridge, SubmissionProgram
from autograder.course import Limits
from autograder.course.engine_styles import load_engine_styles
from autograder.course.misconceptions import load_misconceptions
from autograder.diagnosis import candidate_runs, mistake_naming, replays
from autograder.diagnosis.candidate_runs import CandidateRunner
from autograder.diagnosis.code_location import CodeExcerpt, locate_counterexample
from autograder.diagnosis.counterexample import MOST_PROGRAMS, FailingProgram, find_counterexample
from autograder.diagnosis.diagnosis_model import NONE, Cause, Diagnosis, Evidence
from autograder.diagnosis.engine_parts import EnginePart, list_engine_parts
from autograder.diagnosis.fresh_program_runs import SubmissionRuns, run_fresh_programs
from autograder.diagnosis.general_names import ENDLESS, load_general_names
from autograder.diagnosis.memoization import LruMemo
from autograder.diagnosis.mistake_naming import MistakeNamer, NamedParts
from autograder.diagnosis.observations import Observed, current_input_hash, hash_observation_inputs, read_observations
from autograder.diagnosis.operations import CORE, OPERATIONS
from autograder.diagnosis.part_examination import (
    LEFTOVERS,
    OutOfTime,
    Readings,
    examine_parts,
    learn_reference_parts,
    select_wrong_readings,
)
from autograder.diagnosis.prefetched_readings import ReferenceReadings
from autograder.diagnosis.program_family import ProgramFamily, find_program_family
from autograder.diagnosis.program_runner import ProgramRunner
from autograder.diagnosis.replays import Replayer
from autograder.grading import GradedSubmission, Grader, TestResult
from autograder.grading.set_order_analysis import may_depend_on_set_order
from autograder.grading.suite_target import BridgeTarget
from autograder.safe_text import clean_name

log = logging.getLogger(__name__)

UNTRIED = ("blocked", "not attempted", "grader error")
CPU_SECONDS, MOST_SECONDS = 0.2, 2.0
"""Of one program, and of all; emergency brakes: work is counted."""
REMEMBERS = ("leaf-has-operands", LEFTOVERS)
"""Findings on engines in which graphs grow from program to program: each program gets a process of its own."""
MOST_APART = 40
BONUS = frozenset(need for name, one in OPERATIONS.items() if name not in CORE for need in one.needs) - {
    "__add__", "__mul__"
}  # fmt: skip
"""Names of operations that nothing of the core needs."""

OUT_OF_DATE = (
    "what the known mistakes look like is not up to date here; the staff can mend that with `autograder check`"
)
NO_TIME = "it used up the time that a submission has"
BUSY = "the machine was too busy to look into it"
FAULT = "it could not be looked into here; `autograder check` tells the staff why"
NO_MATCH = "each part by itself looks right, and what goes wrong when they meet fits no mistake that is known here"
NO_NAME = "what was seen of its parts has no name here"
NO_SUBJECT = "this assignment has no diagnosis"


def diagnose_and_time(diagnoser: Diagnoser, graded: GradedSubmission) -> tuple[Diagnosis, float]:
    """Return a diagnosis, and the seconds that it took."""
    started = time.perf_counter()
    return diagnoser.diagnose(graded), time.perf_counter() - started


def make_experiment_limits(limits: Limits) -> Limits:
    """Return limits for experiments, which are tiny: one that takes more CPU time than this does not end.

    Args:
        limits: the assignment's limits.
    """
    return replace(
        limits,
        cpu_seconds=min(CPU_SECONDS, limits.cpu_seconds),
        submission_seconds=min(MOST_SECONDS, limits.submission_seconds) + limits.import_seconds,
    )


class Diagnoser:
    """Diagnoses what one grader grades."""

    def __init__(
        self, grader: Grader, known: Mapping[str, Observed] | None = None, *, remembers: bool = True
    ) -> None:
        """Read nothing yet: a submission without a mistake costs nothing.

        Args:
            grader: gives the results that are diagnosed.
            known: what each misconception looks like; read from the generated file when None.
            remembers: whether to find out only once, for all submissions, what known mistakes do and what they were
                seen to explain; the diagnoses are the same without.
        """
        self._grader = grader
        self._assignment = grader.assignment
        self._given, self._remembers = known, remembers
        self._diagnosed = 0

    def diagnose(self, graded: GradedSubmission) -> Diagnosis:
        """Find what is behind the failed tests of a submission; unknown also where the course or the kit is at fault.

        Tests beyond the contract say nothing, nor does code that is not written yet.
        """
        try:
            found = self._diagnose(graded)
            return found if found is NONE else replace(found, compared_with=self._state, code=_locate(graded, found))
        except OutOfTime as up:
            return Diagnosis(verdict="unknown", reason=NO_TIME if up.by_itself else BUSY)
        except Exception:  # marks are given already: what goes wrong here costs nobody a report
            log.exception("the mistakes of %s could not be looked into", clean_name(graded.submission))
            return Diagnosis(verdict="unknown", reason=FAULT)

    def _diagnose(self, graded: GradedSubmission) -> Diagnosis:
        failed = [
            r for r in graded.results if not r.spec.beyond and r.outcome not in UNTRIED and r.outcome != "passed"
        ]
        if not failed or graded.program is None:
            return NONE
        subject = find_program_family(self._assignment, graded.has)
        if subject is None:
            return Diagnosis(verdict="unknown", reason=NO_SUBJECT)
        if any(result.cause == "submission" for result in failed):
            return Diagnosis(verdict="unknown", reason=NO_TIME)
        return self._explained(graded, graded.program, failed, subject)

    def _explained(
        self,
        graded: GradedSubmission,
        program: SubmissionProgram,
        failed: Sequence[TestResult],
        subject: ProgramFamily,
    ) -> Diagnosis:
        parts = list_engine_parts(self._assignment, graded.has)
        bridge = self._grader.open_bridge(program, make_experiment_limits(self._assignment.limits))
        try:
            readings = _read_both_ways(parts, bridge, self._known_parts())
            seen = {finding.name for reading in readings.values() for finding in reading.findings}
            careful = ENDLESS in seen
            runner = ProgramRunner(subject, bridge, careful=careful)
            if seen.isdisjoint(REMEMBERS):
                found = find_counterexample(
                    subject, runner, runner.run_in_fresh_process, MOST_PROGRAMS, runner.prefetch
                )
            else:
                found = find_counterexample(
                    subject, runner.run_in_fresh_process, runner.run_in_fresh_process, MOST_APART
                )
            story = found.story if found else None
            replay = self._replayer.replay(bridge, story)
            if self._names is None:
                return Diagnosis(verdict="unknown", reason=OUT_OF_DATE, counterexample=story, replay=replay)
            held: list[SubmissionRuns] = []

            def tried() -> SubmissionRuns:
                narrow = self._narrow(subject, graded.has, readings, parts)
                held.append(run_fresh_programs(narrow, bridge, _near(narrow, subject, found), careful=careful))
                return held[0]

            named = self._names.name_wrong_parts(readings, tried)
        finally:
            bridge.end_process()
        causes = _causes(named, parts, failed)
        if not causes:
            reason = NO_NAME if any(name != "whole" for name in select_wrong_readings(readings)) else NO_MATCH
            return Diagnosis(verdict="unknown", reason=reason, counterexample=story, replay=replay)
        compared = held[0] if held and any(one.misconceptions for one in named) else None
        evidence = Evidence(
            tests=len({test for cause in causes for test in cause.tests}),
            programs=len(compared.traces) if compared else 0,
            telling=compared.failing_count if compared else 0,
            readings=sum(len(reading.seen) for reading in select_wrong_readings(readings).values()),
        )
        return Diagnosis(verdict="named", causes=causes, evidence=evidence, counterexample=story, replay=replay)

    def _narrow(
        self, subject: ProgramFamily, has: Collection[str], readings: Readings, parts: Sequence[EnginePart]
    ) -> ProgramFamily:
        """Return programs to compare on: no bonus, since there are many ways to write one, unless one is wrong."""
        wrong = select_wrong_readings(readings)
        if any(part.name in wrong and not part.core for part in parts):
            return subject
        return find_program_family(self._assignment, frozenset(has) - BONUS) or subject

    @cached_property
    def _replayer(self) -> Replayer:
        solution = self._assignment.solution_file.read_text(encoding="utf-8")
        return Replayer(lambda: self._opened(solution), replays.MOST_REMEMBERED if self._remembers else 0)

    @cached_property
    def _names(self) -> MistakeNamer | None:
        known = read_observations(self._assignment) if self._given is None else self._given
        if known is None:
            return None
        catalogue = {one.id: one for one in load_misconceptions(self._assignment).misconceptions}
        return MistakeNamer(
            catalogue=catalogue,
            known={name: known[name] for name in catalogue if name in known},
            general=load_general_names(self._assignment),
            styles={style.id: style for style in load_engine_styles(self._assignment)},
            solution=self._assignment.solution_file.read_text(encoding="utf-8"),
            candidates=CandidateRunner(self._opened, candidate_runs.MOST_REMEMBERED if self._remembers else 0),
            confirmed=LruMemo(mistake_naming.MOST_REMEMBERED if self._remembers else 0),
        )

    def _known_parts(self) -> ReferenceReadings | None:
        """Return what is known of the parts, from the second diagnosis on: to learn it takes as long as one."""
        self._diagnosed += 1
        return self._parts_of_the_reference if self._remembers and self._diagnosed > 1 else None

    @cached_property
    def _parts_of_the_reference(self) -> ReferenceReadings | None:
        bridge = self._opened(self._assignment.solution_file.read_text(encoding="utf-8"))
        try:
            has = BridgeTarget(bridge, bridge.load()).has
            return learn_reference_parts(list_engine_parts(self._assignment, has), bridge)
        except OutOfTime:
            return None
        finally:
            bridge.end_process()

    def _opened(self, source: str) -> Bridge:
        """Open a process for the source of the reference solution, with mistakes or without."""
        program = SubmissionProgram((("value.py", source),), self._assignment.defines)
        return self._grader.open_bridge(program, make_experiment_limits(self._assignment.limits))

    @cached_property
    def _state(self) -> str:
        return (
            current_input_hash(self._assignment) if self._given is None else hash_observation_inputs(self._assignment)
        )


def _read_both_ways(parts: Sequence[EnginePart], bridge: Bridge, known: ReferenceReadings | None) -> Readings:
    """Look at the parts; if all are right and a set may matter, look again with sets in the opposite order."""
    readings = examine_parts(parts, bridge, known)
    if select_wrong_readings(readings).keys() - {"whole"} or not may_depend_on_set_order(bridge.program):
        return readings
    bridge.require_fresh_state()
    bridge.reversed_sets = True
    turned = examine_parts(parts, bridge, known)
    if select_wrong_readings(turned).keys() - {"whole"}:
        return turned
    bridge.reversed_sets = False
    bridge.require_fresh_state()
    return readings


def _locate(graded: GradedSubmission, found: Diagnosis) -> CodeExcerpt | None:
    """Return the lines of the submission that its counterexample points to."""
    if graded.program is None or found.counterexample is None:
        return None
    return locate_counterexample(graded.program.sources_by_name(), found.counterexample, found.replay)


def _near(narrow: ProgramFamily, subject: ProgramFamily, found: FailingProgram | None) -> object:
    """Return the smallest program that fails; None if it is not one of the programs to compare on."""
    if found is None:
        return None
    steps = getattr(found.program, "steps", ())
    usable = getattr(narrow, "operations", None)
    return found.program if narrow is subject or usable is None or {s.op for s in steps} <= {*usable} else None


def _causes(
    named: Sequence[NamedParts], parts: Sequence[EnginePart], failed: Sequence[TestResult]
) -> tuple[Cause, ...]:
    """Return a cause for each name with failed tests about its parts; the first also gets the tests left over."""
    about = {part.name: frozenset(part.about) for part in parts}
    whose: list[list[TestResult]] = [[] for _ in named]
    for result in failed:
        places = [
            place
            for place, one in enumerate(named)
            if any(not about[part].isdisjoint(result.spec.about) for part in one.parts)
        ]
        for place in places or [0] * bool(named):
            whose[place].append(result)
    causes = []
    for one, tests in zip(named, whose, strict=True):
        own = tuple(concept for mistake in one.misconceptions for concept in mistake.concepts)
        concepts = own or tuple(result.spec.concept for result in tests)
        if tests or len(named) == 1:
            causes.append(
                Cause(
                    misconceptions=one.suspects,
                    concepts=tuple(dict.fromkeys(concepts)),
                    tests=tuple(result.spec.id for result in tests),
                )
            )
    return tuple(causes)

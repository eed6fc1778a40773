"""Diagnose wrong submissions: find the smallest program that fails, and the known mistake that does just the same."""

from __future__ import annotations

import logging
import re
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from autograder.bridge import Bridge
from autograder.course.misconceptions import Misconception
from autograder.diagnosis.definition import AssignmentDiagnosis, DiagnosisProgramFamily, make_course_fault_or_none
from autograder.diagnosis.model import NO_DIAGNOSIS, NONE, Cause, Diagnosis, EvidenceCounts, NamedMistake
from autograder.diagnosis.naming import (
    NO_NAME,
    SEVERAL_NAMES,
    UNTRIED,
    MistakeCandidateRunner,
    MistakeNamer,
    Observed,
    RandomProgramTraces,
    get_usable_observations_hash,
    hash_observation_inputs,
    read_observations_if_current,
    trace_random_and_failing_programs,
)
from autograder.diagnosis.order_steps import put_beside_right_order
from autograder.diagnosis.program_runner import ProgramRunner
from autograder.diagnosis.readings import is_inconclusive
from autograder.diagnosis.replay import SideBySideReplayer
from autograder.diagnosis.resources import AssignmentDiagnosisResources
from autograder.diagnosis.search import FailingProgram, search_smallest_failing_program
from autograder.faults import CourseWarning
from autograder.grading import GradedSubmission, Grader, HiddenTestResult
from autograder.grading.results import STOPPED_OUTCOMES
from autograder.grading.set_order import may_depend_on_set_order
from autograder.grading.source_slips import does_program_follow_hint
from autograder.text import escape_name_unambiguously

log = logging.getLogger(__name__)

OUT_OF_DATE = (
    "what the known mistakes look like is not up to date here; the staff can fix that with "
    "`autograder check {assignment} --update`"
)
NO_TIME = "it used up the time that a submission has"
BUSY = "the machine was too busy to look into it"
FAULT = "it could not be looked into here; `autograder check` tells the staff why"


def diagnose_with_duration(
    diagnoser: SubmissionDiagnoser, graded_submission: GradedSubmission
) -> tuple[Diagnosis, float]:
    """Return a submission's diagnosis, and how many seconds it took."""
    started = time.perf_counter()
    return diagnoser.diagnose(graded_submission), time.perf_counter() - started


class SubmissionDiagnoser:
    """Diagnoses the submissions that one grader grades.

    Attributes:
        course_problem: why the course's own files allowed no diagnosis of the last submission; empty if they did.
    """

    def __init__(self, grader: Grader, observed_misconceptions: Mapping[str, Observed] | None = None) -> None:
        """Read nothing yet, so that a submission without a mistake costs nothing.

        Args:
            grader: the grader of the submissions; it is set to keep processes for diagnosis.
            observed_misconceptions: what is lost with each misconception; read from the generated file when None.
        """
        self.course_problem = ""
        self._grader = grader
        grader.keeps_process_for_diagnosis = True
        self._programs = AssignmentDiagnosisResources(grader)
        self._given_observations = observed_misconceptions
        self._replayer = SideBySideReplayer(
            lambda: self._programs.acquire_experiment_bridge(self._programs.solution_source)
        )

    @cached_property
    def _observation_inputs_hash(self) -> str:
        """Return the hash of everything that the observations depend on; empty if there are no usable ones."""
        if self._given_observations is None:
            return get_usable_observations_hash(self._programs.assignment)
        return hash_observation_inputs(self._programs.assignment)

    @cached_property
    def _mistake_namer(self) -> MistakeNamer | None:
        """Return the namer of mistakes; None if no observations are up to date."""
        observed = self._given_observations
        if observed is None:
            observed = read_observations_if_current(self._programs.assignment)
        if observed is None:
            return None
        runner = MistakeCandidateRunner(self._programs.acquire_experiment_bridge)
        return MistakeNamer(self._programs.assignment, observed, runner)

    def diagnose(self, graded_submission: GradedSubmission) -> Diagnosis:
        """Find the mistake behind a submission's failed tests.

        Tests beyond the contract are ignored, and so is code that is not written yet. If an error of the course or
        the kit prevents the diagnosis, its verdict is ``unknown``.

        Warns:
            CourseWarning: the course's own files prevent it.
        """
        self.course_problem = ""
        try:
            found = self._diagnose(graded_submission)
            return found if found is NONE else replace(found, compared_with=self._observation_inputs_hash)
        except (Exception, SystemExit) as error:  # the marks are final, so an error here must not cost the report
            fault = make_course_fault_or_none(error, self._programs.assignment)
            if fault is not None:
                self.course_problem = f"mistakes cannot be named: {fault}"
                warnings.warn(self.course_problem, CourseWarning, stacklevel=2)
            elif isinstance(error, SystemExit):
                raise
            else:
                log.exception(
                    "the mistakes of %s could not be looked into",
                    escape_name_unambiguously(graded_submission.submission_id),
                )
            return Diagnosis(verdict="unknown", reason=FAULT)
        finally:
            self._grader.suite_runner.end_process_kept_for_diagnosis()

    def _diagnose(self, graded_submission: GradedSubmission) -> Diagnosis:
        failed = [
            r
            for r in graded_submission.test_results
            if not r.spec.asks_beyond_contract and r.outcome not in UNTRIED and r.outcome != "passed"
        ]
        if not failed or graded_submission.program is None:
            return NONE
        if self._programs.definition_or_none is None:
            return Diagnosis(verdict="unknown", reason=NO_DIAGNOSIS)
        if any(result.stop_cause == "submission" for result in failed):
            return Diagnosis(verdict="unknown", reason=NO_TIME)
        bridge = self._programs.acquire_experiment_bridge(
            graded_submission.program,
            graded_submission.stop_by_location,
            needs_fresh_processes=graded_submission.ran_each_test_fresh,
        )
        try:
            return self._explain(graded_submission, failed, bridge, self._programs.definition_or_none)
        finally:
            bridge.end_process()
            self._programs.reference_runner.end_process()

    def _explain(
        self,
        graded_submission: GradedSubmission,
        failed: Sequence[HiddenTestResult],
        bridge: Bridge,
        definition: AssignmentDiagnosis,
    ) -> Diagnosis:
        names = graded_submission.implemented_names
        is_slow = any(result.outcome in STOPPED_OUTCOMES for result in failed)
        found = self._search_failing_program(definition, names, bridge, is_slow=is_slow)
        counterexample = found.counterexample if found else None
        replay = self._replayer.replay_beside_reference_if_meaningful(bridge, counterexample)
        unknown = Diagnosis(verdict="unknown", counterexample=counterexample, replay=replay)
        if replay and replay.difference and replay.difference.kind != "outside":
            unknown = _without_remark(unknown)
        namer = self._mistake_namer
        if namer is None:
            return replace(unknown, reason=OUT_OF_DATE.format(assignment=self._programs.assignment.name))
        compared: list[RandomProgramTraces] = []

        def trace_programs() -> RandomProgramTraces:
            if not compared:
                bonus = {concept.name for concept in self._programs.assignment.concepts if concept.bonus}
                is_bonus_wrong = any(result.spec.concept in bonus for result in failed)
                told = names if is_bonus_wrong else names - definition.optional_names
                family = definition.make_programs(self._programs.make_diagnosis_context(told))
                near = found.program if found else None
                compared.append(
                    trace_random_and_failing_programs(family, bridge, near, fresh_process_per_program=is_slow)
                )
            return compared[0]

        proven = namer.list_proven_misconceptions(graded_submission.test_results, trace_programs)
        if compared and any(map(is_inconclusive, compared[0].traces)):
            return replace(unknown, reason=BUSY)
        if len(proven) != 1:
            return replace(unknown, reason=SEVERAL_NAMES if proven else NO_NAME)
        runs = compared[0]
        return replace(
            _without_remark(unknown),
            verdict="named",
            causes=(_make_cause(proven[0], failed, bridge.program.map_traceback_names_to_sources()),),
            evidence=EvidenceCounts(
                tests=len(failed), programs=runs.conclusive_count, failing_programs=runs.failing_count
            ),
        )

    def _search_failing_program(
        self, definition: AssignmentDiagnosis, names: frozenset[str], bridge: Bridge, *, is_slow: bool
    ) -> FailingProgram | None:
        """Return the smallest failing program; if none is found and it may matter, try sets in reverse order."""
        family = definition.make_programs(self._programs.make_diagnosis_context(names))
        for is_reversed in (False, True) if may_depend_on_set_order(bridge.program) else (False,):
            bridge.reset_before_next_test()
            bridge.reverses_set_order = is_reversed
            runner = ProgramRunner(family, bridge, fresh_process_per_program=is_slow)
            found = search_smallest_failing_program(family, runner)
            if found is not None:
                return self._put_beside_reference(found, family)
        bridge.reset_before_next_test()
        bridge.reverses_set_order = False
        return None

    def _put_beside_reference(self, found: FailingProgram, family: DiagnosisProgramFamily) -> FailingProgram:
        """Return a failing program whose wrong order, if it is one, stands beside the reference solution's."""
        if found.counterexample.kind != "order":
            return found
        right_order = self._programs.reference_runner.trace_program(family, found.program).order
        return FailingProgram(found.program, put_beside_right_order(found.counterexample, right_order))


BETWEEN_SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z`])")
OFTEN = "Often "
"""How the sentence of an explanation begins that says how a mistake usually comes about."""


def name_mistake(misconception: Misconception) -> NamedMistake:
    """Return a misconception as reports tell it, each thing on its step of the ladder."""
    sentences = BETWEEN_SENTENCES.split(" ".join(misconception.explanation.split()))
    *hints, change = misconception.hints
    return NamedMistake(
        id=misconception.id,
        title=misconception.title,
        explanation=" ".join(one for one in sentences if not one.startswith(OFTEN)),
        hints=tuple(hints),
        origin=" ".join(one for one in sentences if one.startswith(OFTEN)),
        change=change,
    )


def _make_cause(
    misconception: Misconception, failed: Sequence[HiddenTestResult], sources: Mapping[str, str]
) -> Cause:
    """Return a proven misconception as the cause of all failed tests, without hints that the program follows."""
    tested = {name for result in failed for name in result.spec.tested_names}
    mistake = name_mistake(misconception)
    hints = tuple(hint for hint in mistake.hints if not does_program_follow_hint(hint, tested, sources))
    change = "" if does_program_follow_hint(mistake.change, tested, sources) else mistake.change
    mistake = replace(mistake, hints=hints, change=change)
    tests = tuple(result.spec.id for result in failed)
    return Cause(misconceptions=(mistake,), concepts=misconception.concepts, tests=tests)


def _without_remark(diagnosis: Diagnosis) -> Diagnosis:
    """Return the diagnosis without the remark on what a wrong gradient is made of: another reason is given."""
    story = diagnosis.counterexample
    if story is None or story.kind != "gradient" or not story.remark:
        return diagnosis
    text = story.text.removesuffix(f"\n\n{story.remark}.")
    return replace(diagnosis, counterexample=replace(story, remark="", text=text))

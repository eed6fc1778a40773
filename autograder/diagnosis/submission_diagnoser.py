"""Diagnose wrong submissions; a mistake is named only if it was seen, or if the submission's numbers prove it."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from autograder.bridge import Bridge, SubmissionProgram
from autograder.diagnosis.all_parts_examination import (
    LEFTOVERS,
    ExaminationTimeout,
    Readings,
    examine_parts,
    select_wrong_readings,
)
from autograder.diagnosis.blamed_code_excerpt import CodeExcerpt, find_blamed_code_excerpt
from autograder.diagnosis.counterexample_search import FailingProgram, search_smallest_failing_program
from autograder.diagnosis.diagnosis_definition import AssignmentDiagnosis, DiagnosablePart
from autograder.diagnosis.diagnosis_faults import make_diagnosis_fault_or_none
from autograder.diagnosis.diagnosis_model import NO_DIAGNOSIS, NONE, Diagnosis, EvidenceCounts
from autograder.diagnosis.diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.experiment_request_learning import ExperimentRequestLearner
from autograder.diagnosis.naming.failed_test_causes import make_causes_of_failed_tests
from autograder.diagnosis.naming.misconception_observations_file import Observed
from autograder.diagnosis.part_reading_prefetcher import KnownPartExperiments
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.program_runner import ProgramRunner
from autograder.diagnosis.random_program_traces import RandomProgramTraces, trace_random_and_failing_programs
from autograder.diagnosis.shared_diagnosis_tools import SharedDiagnosisTools
from autograder.faults import CourseWarning
from autograder.grading import GradedSubmission, Grader, HiddenTestResult
from autograder.grading.source_analysis.set_order_analysis import may_depend_on_set_order
from autograder.safe_text import escape_name_unambiguously

log = logging.getLogger(__name__)

UNTRIED = ("blocked", "not attempted", "grader error")
MOST_APART = 40
"""How many programs are tried if each needs a process of its own."""

OUT_OF_DATE = (
    "what the known mistakes look like is not up to date here; the staff can fix that with "
    "`autograder check {assignment} --update`"
)
NO_TIME = "it used up the time that a submission has"
BUSY = "the machine was too busy to look into it"
FAULT = "it could not be looked into here; `autograder check` tells the staff why"
NO_MATCH = "each part by itself looks right, and what goes wrong when they meet fits no mistake that is known here"
NO_NAME = "no known mistake does exactly this"


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

    def __init__(
        self,
        grader: Grader,
        observed_misconceptions: Mapping[str, Observed] | None = None,
        *,
        caches_between_submissions: bool = True,
    ) -> None:
        """Read nothing yet, so that a submission without a mistake costs nothing.

        Args:
            grader: the grader of the submissions; it is set to keep processes for diagnosis.
            observed_misconceptions: the wrong parts of each misconception; read from the generated file when None.
            caches_between_submissions: whether results about known mistakes are remembered for further submissions;
                the diagnoses are the same without.
        """
        self.course_problem = ""
        self._grader = grader
        grader.keeps_process_for_diagnosis = True
        self._programs = AssignmentDiagnosisResources(grader)
        self._part_paths = ExperimentRequestLearner(self._programs) if caches_between_submissions else None
        self._known = SharedDiagnosisTools(
            self._programs, observed_misconceptions, caches_between_submissions=caches_between_submissions
        )

    def diagnose(self, graded_submission: GradedSubmission) -> Diagnosis:
        """Find the mistakes behind a submission's failed tests.

        Tests beyond the contract are ignored, and so is code that is not written yet. If an error of the course or
        the kit prevents the diagnosis, its verdict is ``unknown``.

        Warns:
            CourseWarning: the course's own files prevent it.
        """
        self.course_problem = ""
        try:
            found = self._diagnose(graded_submission)
            if found is NONE:
                return found
            return replace(
                found, compared_with=self._known.observation_inputs_hash, code=_locate(graded_submission, found)
            )
        except ExaminationTimeout as up:
            return Diagnosis(verdict="unknown", reason=NO_TIME if up.by_itself else BUSY)
        except (Exception, SystemExit) as error:  # the marks are final, so an error here must not cost the report
            fault = make_diagnosis_fault_or_none(error, self._programs.assignment)
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
        try:
            return self._explained(
                graded_submission, graded_submission.program, failed, self._programs.definition_or_none
            )
        finally:
            self._programs.reference_runner.end_process()

    def _explained(
        self,
        graded_submission: GradedSubmission,
        program: SubmissionProgram,
        failed: Sequence[HiddenTestResult],
        module: AssignmentDiagnosis,
    ) -> Diagnosis:
        context = self._programs.make_diagnosis_context(graded_submission.implemented_names)
        family, parts = module.make_programs(context), module.list_parts(context)
        bridge = self._programs.open_experiment_bridge(program, graded_submission.stop_by_location)
        try:
            known = self._part_paths.get_requests_for_next_diagnosis() if self._part_paths else None
            readings = _read_both_ways(parts, bridge, known, module.harmless_findings)
            seen = {finding.finding_id for reading in readings.values() for finding in reading.findings}
            careful = any(reading.was_stopped for reading in readings.values())
            runner = ProgramRunner(family, bridge, fresh_process_per_program=careful)
            if seen.isdisjoint((*module.leaking_findings, LEFTOVERS)):
                found = search_smallest_failing_program(
                    family,
                    runner,
                    runner.run_in_fresh_process,
                    announce_programs=runner.announce_programs,
                    get_hypothesis_programs=self._known.make_cached_program_getter(family, context),
                )
            else:
                found = search_smallest_failing_program(
                    family, runner.run_in_fresh_process, runner.run_in_fresh_process, MOST_APART
                )
            story = found.counterexample if found else None
            replay = self._known.replayer.replay_beside_reference_if_meaningful(bridge, story)
            namer = self._known.mistake_namer
            if namer is None:
                reason = OUT_OF_DATE.format(assignment=self._programs.assignment.name)
                return Diagnosis(verdict="unknown", reason=reason, counterexample=story, replay=replay)
            held: list[RandomProgramTraces] = []

            def tried() -> RandomProgramTraces:
                narrow = self._choose_programs_to_compare(
                    family, graded_submission.implemented_names, readings, parts, module
                )
                held.append(
                    trace_random_and_failing_programs(
                        narrow, bridge, _near(narrow, found), fresh_process_per_program=careful
                    )
                )
                return held[0]

            named = namer.name_wrong_parts(readings, tried)
        finally:
            bridge.end_process()
        causes = make_causes_of_failed_tests(named, parts, failed)
        if not causes:
            reason = NO_NAME if _wrong_by_themselves(readings, parts) else NO_MATCH
            return Diagnosis(verdict="unknown", reason=reason, counterexample=story, replay=replay)
        compared = held[0] if held and any(one.misconceptions for one in named) else None
        evidence = EvidenceCounts(
            tests=len({test for cause in causes for test in cause.tests}),
            programs=len(compared.traces) if compared else 0,
            failing_programs=compared.failing_count if compared else 0,
            readings=sum(len(reading.canonical_lines) for reading in select_wrong_readings(readings).values()),
        )
        return Diagnosis(verdict="named", causes=causes, evidence=evidence, counterexample=story, replay=replay)

    def _choose_programs_to_compare(
        self,
        program_family: DiagnosisProgramFamily,
        implemented_names: Collection[str],
        readings: Readings,
        parts: Sequence[DiagnosablePart],
        module: AssignmentDiagnosis,
    ) -> DiagnosisProgramFamily:
        """Return the programs to compare on: without optional names, unless an optional part is wrong."""
        wrong = select_wrong_readings(readings)
        if any(part.name in wrong and not part.is_required for part in parts):
            return program_family
        return module.make_programs(
            self._programs.make_diagnosis_context(frozenset(implemented_names) - module.optional_names)
        )


def _read_both_ways(
    parts: Sequence[DiagnosablePart],
    bridge: Bridge,
    known_requests_and_readings: KnownPartExperiments | None,
    harmless_findings: Collection[str],
) -> Readings:
    """Examine the parts; if all are right and set order may matter, examine them again with sets in reverse order."""
    readings = examine_parts(parts, bridge, known_requests_and_readings, harmless_findings)
    if _wrong_by_themselves(readings, parts) or not may_depend_on_set_order(bridge.program):
        return readings
    bridge.reset_before_next_test()
    bridge.reverses_set_order = True
    turned = examine_parts(parts, bridge, known_requests_and_readings, harmless_findings)
    if _wrong_by_themselves(turned, parts):
        return turned
    bridge.reverses_set_order = False
    bridge.reset_before_next_test()
    return readings


def _wrong_by_themselves(readings: Readings, parts: Sequence[DiagnosablePart]) -> set[str]:
    """Return the names of the wrong parts, without those that test everything together."""
    return select_wrong_readings(readings).keys() - {part.name for part in parts if part.probes_everything}


def _locate(graded_submission: GradedSubmission, found: Diagnosis) -> CodeExcerpt | None:
    """Return the lines of the submission that its counterexample points to; None if there are none."""
    if graded_submission.program is None or found.counterexample is None:
        return None
    return find_blamed_code_excerpt(
        graded_submission.program.map_traceback_names_to_sources(), found.counterexample, found.replay
    )


def _near(narrow: DiagnosisProgramFamily, found: FailingProgram | None) -> object:
    """Return the smallest failing program; None if there is none, or if it is not in the family to compare on."""
    return found.program if found is not None and narrow.includes_program(found.program) else None

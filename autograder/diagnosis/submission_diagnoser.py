"""Find the idea behind a wrong submission; name it only where it was seen, or the submission's numbers prove it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from autograder.bridge import Bridge, SubmissionProgram
from autograder.course.alternative_solution_styles import load_solution_styles_with_plain
from autograder.course.misconceptions import load_misconception_catalogue
from autograder.diagnosis import (
    counterexample_replay,
    course_program_run_cache_file,
    mistake_candidate_runs,
    mistake_naming,
)
from autograder.diagnosis.assignment_diagnosis import AssignmentDiagnosis, DiagnosedPart, DiagnosisContext
from autograder.diagnosis.assignment_diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.blamed_code_excerpt import CodeExcerpt, find_blamed_code_excerpt
from autograder.diagnosis.counterexample_replay import CounterexampleReplayer
from autograder.diagnosis.counterexample_search import ProgramWithCounterexample, search_smallest_failing_program
from autograder.diagnosis.course_program_run_cache_file import CourseProgramRunCacheFile
from autograder.diagnosis.diagnosis_model import NO_DIAGNOSIS, NONE, Diagnosis, EvidenceCounts
from autograder.diagnosis.experiment_log import ENDLESS
from autograder.diagnosis.failed_test_causes import make_causes_of_failed_tests
from autograder.diagnosis.general_mistake_templates import load_general_mistake_templates
from autograder.diagnosis.hypothesis_search import HypothesisProgramCache
from autograder.diagnosis.in_memory_caches import BoundedLruCache
from autograder.diagnosis.misconception_observations import (
    Observed,
    get_usable_observation_hash_or_empty,
    hash_observation_inputs,
    read_observations_if_current,
)
from autograder.diagnosis.mistake_candidate_runs import MistakeCandidateRunner
from autograder.diagnosis.mistake_naming import MistakeNamer
from autograder.diagnosis.part_examination import (
    LEFTOVERS,
    ExaminationOutOfTime,
    Readings,
    examine_parts,
    select_wrong_readings,
)
from autograder.diagnosis.part_reading_prefetcher import KnownPartRequestsAndReadings
from autograder.diagnosis.part_request_path_learning import PartRequestPathLearner
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.program_runner import ProgramRunner
from autograder.diagnosis.right_and_wrong_program_diagnosis import try_observe_misconceptions_if_quick
from autograder.diagnosis.submission_random_program_runs import (
    SubmissionRandomProgramTraces,
    trace_random_and_failing_programs,
)
from autograder.grading import GradedSubmission, Grader, HiddenTestResult
from autograder.grading.set_order_analysis import may_depend_on_set_order
from autograder.safe_text import escape_name_unambiguously

log = logging.getLogger(__name__)

UNTRIED = ("blocked", "not attempted", "grader error")
MOST_APART = 40
"""Programs tried where each needs a process of its own."""

OUT_OF_DATE = (
    "what the known mistakes look like is not up to date here; the staff can mend that with `autograder check`"
)
NO_TIME = "it used up the time that a submission has"
BUSY = "the machine was too busy to look into it"
FAULT = "it could not be looked into here; `autograder check` tells the staff why"
NO_MATCH = "each part by itself looks right, and what goes wrong when they meet fits no mistake that is known here"
NO_NAME = "no known mistake does exactly this"


def diagnose_and_measure_seconds(
    diagnoser: SubmissionDiagnoser, graded_submission: GradedSubmission
) -> tuple[Diagnosis, float]:
    """Return a diagnosis, and the seconds that it took."""
    started = time.perf_counter()
    return diagnoser.diagnose(graded_submission), time.perf_counter() - started


class SubmissionDiagnoser:
    """Diagnoses what one grader grades."""

    def __init__(
        self,
        grader: Grader,
        observed_misconceptions: Mapping[str, Observed] | None = None,
        *,
        caches_between_submissions: bool = True,
    ) -> None:
        """Read nothing yet: a submission without a mistake costs nothing.

        Args:
            grader: gives the results that are diagnosed.
            observed_misconceptions: what each misconception looks like; read from the generated file when None.
            caches_between_submissions: whether to find out only once, for all submissions, what known mistakes do and
                what they were seen to explain; the diagnoses are the same without.
        """
        self._assignment = grader.assignment
        self._grader = grader
        grader.keeps_process_for_diagnosis = True
        self._programs = AssignmentDiagnosisResources(grader)
        self._part_paths = PartRequestPathLearner(self._programs)
        self._given, self._remembers = observed_misconceptions, caches_between_submissions

    def diagnose(self, graded_submission: GradedSubmission) -> Diagnosis:
        """Find what is behind the failed tests of a submission; unknown also where the course or the kit is at fault.

        Tests beyond the contract say nothing, nor does code that is not written yet.
        """
        try:
            found = self._diagnose(graded_submission)
            if found is NONE:
                return found
            return replace(found, compared_with=self._state, code=_locate(graded_submission, found))
        except ExaminationOutOfTime as up:
            return Diagnosis(verdict="unknown", reason=NO_TIME if up.by_itself else BUSY)
        except Exception:  # marks are given already: what goes wrong here costs nobody a report
            log.exception(
                "the mistakes of %s could not be looked into",
                escape_name_unambiguously(graded_submission.submission_id),
            )
            return Diagnosis(verdict="unknown", reason=FAULT)
        finally:
            self._grader.end_process_kept_for_diagnosis()

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
        bridge = self._programs.make_experiment_bridge_or_take_kept(program, graded_submission.stop_by_location)
        try:
            known = self._part_paths.count_diagnosis_and_find_or_learn_requests() if self._remembers else None
            readings = _read_both_ways(parts, bridge, known, module.harmless_findings)
            seen = {finding.finding_id for reading in readings.values() for finding in reading.findings}
            careful = ENDLESS in seen
            runner = ProgramRunner(family, bridge, fresh_process_per_program=careful)
            if seen.isdisjoint((*module.leaking_findings, LEFTOVERS)):
                found = search_smallest_failing_program(
                    family,
                    runner,
                    runner.run_in_fresh_process,
                    announce_programs=runner.announce_programs,
                    get_hypothesis_programs=self._find_generated_programs(family, context),
                )
            else:
                found = search_smallest_failing_program(
                    family, runner.run_in_fresh_process, runner.run_in_fresh_process, MOST_APART
                )
            story = found.counterexample if found else None
            replay = self._replayer.replay_beside_reference_if_meaningful(bridge, story)
            if self._names is None:
                return Diagnosis(verdict="unknown", reason=OUT_OF_DATE, counterexample=story, replay=replay)
            held: list[SubmissionRandomProgramTraces] = []

            def tried() -> SubmissionRandomProgramTraces:
                narrow = self._choose_programs_to_compare(
                    family, graded_submission.implemented_names, readings, parts, module
                )
                held.append(
                    trace_random_and_failing_programs(
                        narrow, bridge, _near(narrow, found), fresh_process_per_program=careful
                    )
                )
                return held[0]

            named = self._names.name_wrong_parts(readings, tried)
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
            telling=compared.failing_count if compared else 0,
            readings=sum(len(reading.canonical_lines) for reading in select_wrong_readings(readings).values()),
        )
        return Diagnosis(verdict="named", causes=causes, evidence=evidence, counterexample=story, replay=replay)

    def _choose_programs_to_compare(
        self,
        program_family: DiagnosisProgramFamily,
        implemented_names: Collection[str],
        readings: Readings,
        parts: Sequence[DiagnosedPart],
        module: AssignmentDiagnosis,
    ) -> DiagnosisProgramFamily:
        """Return programs to compare on: no bonus, since there are many ways to write one, unless one is wrong."""
        wrong = select_wrong_readings(readings)
        if any(part.name in wrong and not part.is_required for part in parts):
            return program_family
        return module.make_programs(
            self._programs.make_diagnosis_context(frozenset(implemented_names) - module.optional_names)
        )

    def _find_generated_programs(
        self, program_family: DiagnosisProgramFamily, context: DiagnosisContext
    ) -> Callable[[], Sequence[Any]] | None:
        if not self._remembers:
            return None
        return partial(self._generated_programs.get_or_generate, program_family, context.implemented_names)

    @cached_property
    def _generated_programs(self) -> HypothesisProgramCache:
        return HypothesisProgramCache(self._kept_runs)

    @cached_property
    def _replayer(self) -> CounterexampleReplayer:
        most = counterexample_replay.MOST_REMEMBERED if self._remembers else 0
        return CounterexampleReplayer(
            lambda: self._programs.make_experiment_bridge_or_take_kept(self._programs.solution_source),
            most,
            self._kept_runs,
        )

    @cached_property
    def _kept_runs(self) -> CourseProgramRunCacheFile:
        def find_file() -> Path:
            inputs = hash_observation_inputs(self._assignment)
            return self._programs.grader.get_cache_path_for_suite_and_environment(
                course_program_run_cache_file.SUFFIX, inputs
            )

        return CourseProgramRunCacheFile(find_file if self._remembers else None)

    @cached_property
    def _names(self) -> MistakeNamer | None:
        known = read_observations_if_current(self._assignment) if self._given is None else self._given
        catalogue = {one.id: one for one in load_misconception_catalogue(self._assignment).misconceptions}
        known = try_observe_misconceptions_if_quick(self._programs, catalogue.values()) if known is None else known
        if known is None or self._programs.definition_or_none is None:
            return None
        return MistakeNamer(
            catalogue=catalogue,
            observed_misconceptions={name: known[name] for name in catalogue if name in known},
            general_templates_by_id=load_general_mistake_templates(self._assignment),
            styles={style.id: style for style in load_solution_styles_with_plain(self._assignment)},
            solution_source=self._programs.solution_source,
            candidate_runner=MistakeCandidateRunner(
                self._programs.make_experiment_bridge_or_take_kept,
                mistake_candidate_runs.MOST_REMEMBERED if self._remembers else 0,
                self._kept_runs,
            ),
            confirmation_cache=BoundedLruCache(mistake_naming.MOST_REMEMBERED if self._remembers else 0),
            merged_findings=self._programs.definition_or_none.merged_findings,
        )

    @cached_property
    def _state(self) -> str:
        return (
            get_usable_observation_hash_or_empty(self._assignment)
            if self._given is None
            else hash_observation_inputs(self._assignment)
        )


def _read_both_ways(
    parts: Sequence[DiagnosedPart],
    bridge: Bridge,
    known_requests_and_readings: KnownPartRequestsAndReadings | None,
    harmless_findings: Collection[str],
) -> Readings:
    """Look at the parts; if all are right and a set may matter, look again with sets in the opposite order."""
    readings = examine_parts(parts, bridge, known_requests_and_readings, harmless_findings)
    if _wrong_by_themselves(readings, parts) or not may_depend_on_set_order(bridge.program):
        return readings
    bridge.make_next_test_start_fresh()
    bridge.reverses_set_order = True
    turned = examine_parts(parts, bridge, known_requests_and_readings, harmless_findings)
    if _wrong_by_themselves(turned, parts):
        return turned
    bridge.reverses_set_order = False
    bridge.make_next_test_start_fresh()
    return readings


def _wrong_by_themselves(readings: Readings, parts: Sequence[DiagnosedPart]) -> set[str]:
    """Return the names of wrong parts, without those that look at everything together."""
    return select_wrong_readings(readings).keys() - {part.name for part in parts if part.probes_everything}


def _locate(graded_submission: GradedSubmission, found: Diagnosis) -> CodeExcerpt | None:
    """Return the lines of the submission that its counterexample points to."""
    if graded_submission.program is None or found.counterexample is None:
        return None
    return find_blamed_code_excerpt(
        graded_submission.program.map_traceback_names_to_sources(), found.counterexample, found.replay
    )


def _near(narrow: DiagnosisProgramFamily, found: ProgramWithCounterexample | None) -> object:
    """Return the smallest program that fails; None if it is not one of the programs to compare on."""
    return found.program if found is not None and narrow.includes_program(found.program) else None

"""Diagnose wrong submissions; a mistake is named only if it was seen, or if the submission's numbers prove it."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from autograder.diagnosis.blamed_code_excerpt import CodeExcerpt, find_blamed_code_excerpt, list_blamed_names
from autograder.diagnosis.diagnosis_definition import DiagnosablePart
from autograder.diagnosis.diagnosis_faults import make_course_fault_or_none
from autograder.diagnosis.diagnosis_model import NO_DIAGNOSIS, NONE, Cause, Diagnosis, EvidenceCounts
from autograder.diagnosis.diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.experiment_request_learning import ExperimentRequestLearner
from autograder.diagnosis.naming.failed_test_causes import make_causes_of_failed_tests
from autograder.diagnosis.naming.misconception_observations_file import Observed
from autograder.diagnosis.part_examination import ExaminationTimeout, PartResults, select_wrong_parts
from autograder.diagnosis.shared_diagnosis_tools import SharedDiagnosisTools
from autograder.diagnosis.submission_examination import (
    SubmissionExamination,
    SubmissionExaminer,
    list_wrong_specific_parts,
)
from autograder.faults import CourseWarning
from autograder.grading import GradedSubmission, Grader, HiddenTestResult
from autograder.grading.failure_messages.followed_hints import does_program_follow_hint
from autograder.safe_text import escape_name_unambiguously

log = logging.getLogger(__name__)

FEWEST_PARTS = 2
"""How many functions there must be for a sentence to speak of parts that meet."""
UNTRIED = ("blocked", "not attempted", "grader error")
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
        self._tools = SharedDiagnosisTools(
            self._programs, observed_misconceptions, caches_between_submissions=caches_between_submissions
        )
        self._examiner = SubmissionExaminer(
            self._programs,
            self._tools,
            ExperimentRequestLearner(self._programs) if caches_between_submissions else None,
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
                found, compared_with=self._tools.observation_inputs_hash, code=_locate(graded_submission, found)
            )
        except ExaminationTimeout as up:
            return Diagnosis(verdict="unknown", reason=NO_TIME if up.by_itself else BUSY)
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
        try:
            examination = self._examiner.examine(
                graded_submission, graded_submission.program, self._programs.definition_or_none
            )
            return self._explain(examination, failed, graded_submission.program.map_traceback_names_to_sources())
        finally:
            self._programs.reference_runner.end_process()

    def _explain(
        self, examination: SubmissionExamination, failed: Sequence[HiddenTestResult], sources: Mapping[str, str]
    ) -> Diagnosis:
        unknown = Diagnosis(verdict="unknown", counterexample=examination.counterexample, replay=examination.replay)
        difference = examination.replay.difference if examination.replay else None
        if difference is not None and difference.kind != "outside":
            unknown = _without_remark(unknown)
        if examination.named is None:
            return replace(unknown, reason=OUT_OF_DATE.format(assignment=self._programs.assignment.name))
        results, parts = examination.results, examination.parts
        causes = make_causes_of_failed_tests(examination.named, parts, failed)
        causes = _without_followed_hints(causes, failed, sources)
        if not causes:
            return replace(unknown, reason=_explain_lack_of_name(results, parts, failed))
        compared = examination.compared if any(one.misconceptions for one in examination.named) else None
        evidence = EvidenceCounts(
            tests=len({test for cause in causes for test in cause.tests}),
            programs=compared.conclusive_count if compared else 0,
            failing_programs=compared.failing_count if compared else 0,
            readings=sum(len(result.canonical_lines) for result in select_wrong_parts(results).values()),
        )
        told = frozenset(
            name
            for part in parts
            if any(part.name in one.parts for one in examination.named)
            for name in part.tested_names
        )
        about = list_blamed_names(examination.counterexample, examination.replay)
        is_other = bool(about and told) and told.isdisjoint(about)
        return replace(
            _without_remark(unknown), verdict="named", causes=causes, evidence=evidence, shows_another=is_other
        )


def _without_followed_hints(
    causes: Sequence[Cause], failed: Sequence[HiddenTestResult], sources: Mapping[str, str]
) -> tuple[Cause, ...]:
    """Return the causes without hints to do what the program does already."""
    names_by_test = {result.spec.id: result.spec.tested_names for result in failed}
    told = []
    for cause in causes:
        names = {name for test in cause.tests for name in names_by_test[test]}
        mistakes = (
            replace(
                one, hints=tuple(hint for hint in one.hints if not does_program_follow_hint(hint, names, sources))
            )
            for one in cause.misconceptions
        )
        told.append(replace(cause, misconceptions=tuple(mistakes)))
    return tuple(told)


def _without_remark(diagnosis: Diagnosis) -> Diagnosis:
    """Return the diagnosis without the remark on what a wrong gradient is made of: another reason is given."""
    story = diagnosis.counterexample
    if story is None or story.kind != "gradient" or not story.remark:
        return diagnosis
    text = story.text.removesuffix(f"\n\n{story.remark}.")
    return replace(diagnosis, counterexample=replace(story, remark="", text=text))


def _explain_lack_of_name(
    results: PartResults, parts: Sequence[DiagnosablePart], failed: Sequence[HiddenTestResult]
) -> str:
    """Return why there is no name; parts look right by themselves only where no test of one part alone failed."""
    parts_alone = {frozenset(part.tested_names) for part in parts if not part.probes_everything}
    has_failed_alone = any(
        result.spec.tested_names and names.issuperset(result.spec.tested_names)
        for result in failed
        for names in parts_alone
    )
    is_seen = bool(list_wrong_specific_parts(results, parts))
    return NO_NAME if is_seen or has_failed_alone or len(parts_alone) < FEWEST_PARTS else NO_MATCH


def _locate(graded_submission: GradedSubmission, found: Diagnosis) -> CodeExcerpt | None:
    """Return the lines of the submission that its counterexample points to; None if there are none."""
    if graded_submission.program is None or found.counterexample is None:
        return None
    return find_blamed_code_excerpt(
        graded_submission.program.map_traceback_names_to_sources(), found.counterexample, found.replay
    )

"""Update a result of an earlier version: reuse the parts that still hold, and do the rest again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from autograder.course import Assignment
from autograder.diagnosis import NONE, Diagnosis
from autograder.diagnosis.naming.misconception_observations_file import UNTRIED
from autograder.diagnosis.submission_diagnoser import BUSY, FAULT, SubmissionDiagnoser, diagnose_with_duration
from autograder.grading import GradedSubmission, Grader, HiddenTestResult, HiddenTestSpec
from autograder.grading.concept_points import apportion_points, compute_concept_scores
from autograder.grading.graded_submission import GRADED
from autograder.regrade.assignment_manifest import ManifestWithTests
from autograder.reports import ScoreReport, make_score_report
from autograder.store.results.packed_result import (
    ObservationsForRegrade,
    PackedResult,
    make_observations_for_regrade,
    pack_anonymous_result,
    unpack_observations,
    unpack_pytest_record_or_empty,
    unpack_report,
)
from autograder.submissions import Submission


@dataclass(frozen=True, slots=True)
class PartlyValidResult:
    """A result of an earlier version, with the parts that must be done again."""

    packed_result: PackedResult
    misconceptions_state: str
    """The state of the known mistakes now."""
    tests_to_run: tuple[str, ...] = ()
    """Tests that must be run."""
    redoes_diagnosis: bool = False
    """Whether mistakes must be looked for again, if there are any."""

    def unpack_report_and_observations(self) -> tuple[ScoreReport, ObservationsForRegrade]:
        """Return the earlier report, and the observations that were stored with it."""
        packed_result = self.packed_result
        return (
            unpack_report(packed_result.packed_report),
            unpack_observations(packed_result.packed_observations_for_regrade),
        )

    def unpack_pytest_record(self) -> dict[str, Any]:
        """Return pytest's record of the earlier run; empty if there is none."""
        return unpack_pytest_record_or_empty(self.packed_result.packed_pytest_record)


def try_rescore(
    partly_valid_result: PartlyValidResult, manifest_with_tests: ManifestWithTests, assignment: Assignment
) -> PackedResult | None:
    """Return the result of the requested version, without running anything.

    Returns:
        The result; None if something must be run.
    """
    report, observations = partly_valid_result.unpack_report_and_observations()
    if report.status.outcome == GRADED:
        valid_results = _map_still_valid_test_results(
            report, observations, manifest_with_tests.test_specs, partly_valid_result.tests_to_run
        )
        if len(valid_results) < len(manifest_with_tests.test_specs):
            return None
        results = tuple(valid_results.values())
        if not _does_diagnosis_hold(report, observations, results, partly_valid_result):
            return None
    else:
        results = tuple(
            HiddenTestResult(spec, "blocked", report.status.message) for spec in manifest_with_tests.test_specs
        )
    points = apportion_points(manifest_with_tests.test_specs, assignment)
    graded_submission = GradedSubmission(
        submission_id="",
        sha256=report.submission.sha256,
        files=tuple(report.submission.files),
        status=report.status.outcome,
        message=report.status.message,
        notes=(),
        test_results=results,
        max_points_by_test=points,
        concept_scores=compute_concept_scores(results, points, assignment),
        tier=report.isolation.tier,
        process_count=report.timing.processes,
        seconds_by_stage=report.timing.seconds,
        implemented_names=frozenset(observations.implemented_names),
        ran_each_test_fresh=observations.ran_each_test_fresh,
        fresh_look=report.fresh_look,
    )
    new_report = make_score_report(
        graded_submission, assignment, _make_diagnosis(report, results, partly_valid_result.misconceptions_state)
    )
    new_report = structs.replace(new_report, python=report.python, notes=report.notes)
    pytest_ids = manifest_with_tests.pytest_id_by_test_id.values()
    pytest_record = _merge_pytest_records(partly_valid_result.unpack_pytest_record(), {}, pytest_ids)
    return pack_anonymous_result(new_report, pytest_record, make_observations_for_regrade(graded_submission))


def try_partial_regrade(
    grader: Grader,
    diagnoser: SubmissionDiagnoser,
    submission: Submission,
    partly_valid_result: PartlyValidResult,
    *,
    explains: bool = False,
) -> tuple[ScoreReport, PackedResult] | None:
    """Run the tests that must run again, and reuse the other results.

    A repair is not reused: the tests that run again have not proven it.

    Args:
        grader: the grader of the present version.
        diagnoser: names mistakes, if the earlier diagnosis does not hold.
        submission: the submission.
        partly_valid_result: its earlier result.
        explains: whether a repair is looked for afterwards.

    Returns:
        The report and its record; None if the whole submission must be graded.

    Raises:
        KitFault: the kit or the machine failed; there is no verdict on the submission.
    """
    report, observations = partly_valid_result.unpack_report_and_observations()
    graded_submission = grader.try_grade_remaining_tests(
        submission,
        _map_still_valid_test_results(report, observations, grader.test_specs, partly_valid_result.tests_to_run),
    )
    if graded_submission is None:
        return None
    if _does_diagnosis_hold(report, observations, graded_submission.test_results, partly_valid_result):
        state, seconds = partly_valid_result.misconceptions_state, 0.0
        diagnosis = _make_diagnosis(report, graded_submission.test_results, state)
    else:
        diagnosis, seconds = diagnose_with_duration(diagnoser, graded_submission)
    diagnosis = structs.replace(diagnosis, repair=None, repair_pending=False)
    if explains:
        diagnosis = diagnosis.await_repair()
    new_report = make_score_report(graded_submission, grader.assignment, diagnosis, seconds)
    pytest_record = _merge_pytest_records(
        partly_valid_result.unpack_pytest_record(),
        graded_submission.pytest_record,
        grader.pytest_id_by_test_id.values(),
    )
    return new_report, pack_anonymous_result(
        new_report, pytest_record, make_observations_for_regrade(graded_submission)
    )


def _map_still_valid_test_results(
    report: ScoreReport,
    observations: ObservationsForRegrade,
    test_specs: Sequence[HiddenTestSpec],
    tests_to_run: Collection[str],
) -> dict[str, HiddenTestResult]:
    """Return a report's results that still hold, by the tests' ids and in the order of ``test_specs``.

    Args:
        report: the report.
        observations: the observations stored with it.
        test_specs: the tests that exist now.
        tests_to_run: ids of tests whose results no longer hold.
    """
    test_by_id = {test.id: test for test in report.tests}
    pairs = [
        (spec, test_by_id[spec.id]) for spec in test_specs if spec.id in test_by_id and spec.id not in tests_to_run
    ]
    return {
        spec.id: HiddenTestResult(
            replace(spec, hint=test.hint) if test.hint else spec,
            test.outcome,
            test.message,
            test.cause,
            report.timing.tests.get(spec.id, 0.0),
            observations.observation_by_test_id.get(spec.id, ""),
        )
        for spec, test in pairs
    }


def _merge_pytest_records(
    old_record: dict[str, Any], new_record: dict[str, Any], current_pytest_ids: Collection[str]
) -> dict[str, Any]:
    """Merge pytest's records of a run and of a partial rerun: rerun tests anew, the others as they were.

    Only the tests of ``current_pytest_ids`` are in the result, in that order.
    """
    entries = {test["nodeid"]: test for record in (old_record, new_record) for test in record.get("tests", ())}
    tests = [entries[pytest_id] for pytest_id in current_pytest_ids if pytest_id in entries]
    if not tests:
        return {}
    outcomes = Counter(test["outcome"] for test in tests)
    summary = {**outcomes, "total": len(tests), "collected": len(current_pytest_ids)}
    return {**(old_record or new_record), **new_record, "summary": summary, "tests": tests}


def _does_diagnosis_hold(
    report: ScoreReport,
    observations: ObservationsForRegrade,
    results: Sequence[HiddenTestResult],
    partly_valid_result: PartlyValidResult,
) -> bool:
    """Return whether the old diagnosis holds: all tests saw the same as before, and those run again passed."""
    if not _shows_mistake(results):
        return True
    if partly_valid_result.redoes_diagnosis or report.diagnosis.reason in (BUSY, FAULT):
        return False
    old_outcomes = {
        test.id: (test.outcome, observations.observation_by_test_id.get(test.id, "")) for test in report.tests
    }
    new_outcomes = {result.spec.id: (result.outcome, result.observed_behavior) for result in results}
    rerun_outcomes: Mapping[str, tuple[str, str]] = {
        name: new_outcomes[name] for name in partly_valid_result.tests_to_run if name in new_outcomes
    }
    return old_outcomes == new_outcomes and all(outcome == "passed" for outcome, _ in rerun_outcomes.values())


def _shows_mistake(results: Sequence[HiddenTestResult]) -> bool:
    """Return whether any result shows a mistake of the submission."""
    return any(
        result.outcome not in ("passed", *UNTRIED) and not result.spec.asks_beyond_contract for result in results
    )


def _make_diagnosis(report: ScoreReport, results: Sequence[HiddenTestResult], misconceptions_state: str) -> Diagnosis:
    diagnosis = report.diagnosis
    if diagnosis.verdict == "none" or not _shows_mistake(results):
        return NONE
    fields = {name: getattr(diagnosis, name) for name in Diagnosis.__struct_fields__}
    return Diagnosis(**{**fields, "compared_with": misconceptions_state})

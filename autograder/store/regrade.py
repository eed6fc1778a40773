"""Bring a result of an earlier version up to date: take over what still holds, and do the rest anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from autograder.course import Assignment
from autograder.diagnosis import NONE, Diagnosis
from autograder.diagnosis.diagnoser import BUSY, FAULT, UNTRIED, Diagnoser, diagnose_and_time
from autograder.grading import GradedSubmission, Grader, TestResult, TestSpec
from autograder.grading.graded_submission import GRADED
from autograder.grading.score import score_concepts, share_points_among_tests
from autograder.reports import ScoreReport, make_score_report
from autograder.store.manifest import DescribedAssignment
from autograder.store.result_record import (
    RegradeData,
    ResultRecord,
    decode_regrade_data,
    decompress_pytest_record,
    decompress_report,
    make_regrade_data,
    make_result_record,
)
from autograder.submissions import Submission


@dataclass(frozen=True, slots=True)
class EarlierResult:
    """A result of an earlier version, and what of it must be done anew."""

    record: ResultRecord
    known: str
    """The state of the known mistakes now."""
    tests: tuple[str, ...] = ()
    """Tests that must be run."""
    diagnosis: bool = False
    """Whether mistakes must be looked for again, if there are any."""


def rescore_result(
    earlier: EarlierResult, described: DescribedAssignment, assignment: Assignment
) -> ResultRecord | None:
    """Return the result of the requested version, without running anything.

    Returns:
        The result; None if something must be run.
    """
    report, kept = decompress_report(earlier.record.report), decode_regrade_data(earlier.record.kept)
    if report.status.outcome == GRADED:
        held = collect_valid_results(report, kept, described.specs, earlier.tests)
        if len(held) < len(described.specs):
            return None
        results = tuple(held.values())
        if not _stands(report, kept, results, earlier):
            return None
    else:
        results = tuple(TestResult(spec, "blocked", report.status.message) for spec in described.specs)
    points = share_points_among_tests(described.specs, assignment)
    graded = GradedSubmission(
        submission="",
        sha256=report.submission.sha256,
        files=tuple(report.submission.files),
        status=report.status.outcome,
        message=report.status.message,
        notes=(),
        results=results,
        points=points,
        concepts=score_concepts(results, points, assignment),
        tier=report.isolation.tier,
        processes=report.timing.processes,
        seconds=report.timing.seconds,
        has=frozenset(kept.has),
        apart=kept.apart,
    )
    new = make_score_report(graded, assignment, _diagnosis(report, results, earlier.known))
    new = structs.replace(new, python=report.python, notes=report.notes)
    raw = merge_pytest_records(decompress_pytest_record(earlier.record.raw), {}, described.nodes.values())
    return make_result_record(new, raw, make_regrade_data(graded))


def regrade_submission(
    grader: Grader, diagnoser: Diagnoser, submission: Submission, earlier: EarlierResult
) -> tuple[ScoreReport, ResultRecord] | None:
    """Run what must be run anew, and take over the rest.

    Returns:
        The report and its record; None if the whole submission must be graded.

    Raises:
        KitFault: the kit or the machine failed; nothing is said about the submission.
    """
    report, kept = decompress_report(earlier.record.report), decode_regrade_data(earlier.record.kept)
    graded = grader.grade_missing_tests(submission, collect_valid_results(report, kept, grader.specs, earlier.tests))
    if graded is None:
        return None
    if _stands(report, kept, graded.results, earlier):
        diagnosis, seconds = _diagnosis(report, graded.results, earlier.known), 0.0
    else:
        diagnosis, seconds = diagnose_and_time(diagnoser, graded)
    new = make_score_report(graded, grader.assignment, diagnosis, seconds)
    raw = merge_pytest_records(decompress_pytest_record(earlier.record.raw), graded.raw, grader.pytest_names.values())
    return new, make_result_record(new, raw, make_regrade_data(graded))


def collect_valid_results(
    report: ScoreReport, kept: RegradeData, specs: Sequence[TestSpec], without: Collection[str]
) -> dict[str, TestResult]:
    """Return a report's results that still hold, by the tests' ids and in the order of ``specs``.

    Args:
        report: the report.
        kept: what is kept beside it.
        specs: the tests that exist now.
        without: ids of tests whose results do not hold any more.
    """
    parts = {part.id: part for part in report.tests}
    held = [(spec, parts[spec.id]) for spec in specs if spec.id in parts and spec.id not in without]
    return {
        spec.id: TestResult(
            replace(spec, hint=part.hint) if part.hint else spec,
            part.outcome,
            part.message,
            part.cause,
            report.timing.tests.get(spec.id, 0.0),
            kept.observed.get(spec.id, ""),
        )
        for spec, part in held
    }


def merge_pytest_records(old: dict[str, Any], new: dict[str, Any], nodes: Collection[str]) -> dict[str, Any]:
    """Merge pytest's records of a run and of a partial rerun: rerun tests anew, the others as they were."""
    entries = {test["nodeid"]: test for record in (old, new) for test in record.get("tests", ())}
    tests = [entries[node] for node in nodes if node in entries]
    if not tests:
        return {}
    outcomes = Counter(test["outcome"] for test in tests)
    summary = {**outcomes, "total": len(tests), "collected": len(nodes)}
    return {**(old or new), **new, "summary": summary, "tests": tests}


def _stands(report: ScoreReport, kept: RegradeData, results: Sequence[TestResult], earlier: EarlierResult) -> bool:
    """Return whether the old diagnosis holds: all tests saw the same as before, and those run again passed."""
    if not _wrong(results):
        return True
    if earlier.diagnosis or report.diagnosis.reason in (BUSY, FAULT):
        return False
    before = {part.id: (part.outcome, kept.observed.get(part.id, "")) for part in report.tests}
    after = {result.spec.id: (result.outcome, result.observed) for result in results}
    anew: Mapping[str, tuple[str, str]] = {name: after[name] for name in earlier.tests if name in after}
    return before == after and all(outcome == "passed" for outcome, _ in anew.values())


def _wrong(results: Sequence[TestResult]) -> bool:
    """Return whether any result shows a mistake of the submission."""
    return any(r.outcome not in ("passed", *UNTRIED) and not r.spec.beyond for r in results)


def _diagnosis(report: ScoreReport, results: Sequence[TestResult], known: str) -> Diagnosis:
    part = report.diagnosis
    if part.verdict == "none" or not _wrong(results):
        return NONE
    fields = {name: getattr(part, name) for name in Diagnosis.__struct_fields__}
    return Diagnosis(**{**fields, "compared_with": known})

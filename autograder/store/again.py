"""Bring a result of an earlier version up to date: take over what still holds, and do the rest anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from autograder.course import Assignment
from autograder.diagnosis import NONE, Diagnosis
from autograder.diagnosis.diagnose import BUSY, FAULT, UNTRIED, Diagnoser, timed
from autograder.grading import Graded, Grader, TestResult, TestSpec
from autograder.grading.graded import GRADED
from autograder.grading.score import points_of_tests, score_concepts
from autograder.reports import ScoreReport, report_of
from autograder.store.manifest import Described
from autograder.store.record import Kept, Record, kept_of, record_of, unpack, unpack_kept, unpack_raw
from autograder.submissions import Submission


@dataclass(frozen=True, slots=True)
class Earlier:
    """A result of an earlier version, and what of it must be done anew."""

    record: Record
    known: str
    """The state of the known mistakes now."""
    tests: tuple[str, ...] = ()
    """Tests that must be run."""
    diagnosis: bool = False
    """Whether mistakes must be looked for again, if there are any."""


def rescored(earlier: Earlier, described: Described, assignment: Assignment) -> Record | None:
    """Return the result of the requested version, without running anything.

    Returns:
        The result; None if something must be run.
    """
    report, kept = unpack(earlier.record.report), unpack_kept(earlier.record.kept)
    if report.status.outcome == GRADED:
        held = results_of(report, kept, described.specs, earlier.tests)
        if len(held) < len(described.specs):
            return None
        results = tuple(held.values())
        if not _stands(report, kept, results, earlier):
            return None
    else:
        results = tuple(TestResult(spec, "blocked", report.status.message) for spec in described.specs)
    points = points_of_tests(described.specs, assignment)
    graded = Graded(
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
    new = report_of(graded, assignment, _diagnosis(report, results, earlier.known))
    new = structs.replace(new, python=report.python, notes=report.notes)
    raw = merged_raw(unpack_raw(earlier.record.raw), {}, described.nodes.values())
    return record_of(new, raw, kept_of(graded))


def regraded(
    grader: Grader, diagnoser: Diagnoser, submission: Submission, earlier: Earlier
) -> tuple[ScoreReport, Record] | None:
    """Run what must be run anew, and take over the rest.

    Returns:
        The report and its record; None if the whole submission must be graded.

    Raises:
        KitFault: the kit or the machine failed; nothing is said about the submission.
    """
    report, kept = unpack(earlier.record.report), unpack_kept(earlier.record.kept)
    graded = grader.grade_some(submission, results_of(report, kept, grader.specs, earlier.tests))
    if graded is None:
        return None
    if _stands(report, kept, graded.results, earlier):
        diagnosis, seconds = _diagnosis(report, graded.results, earlier.known), 0.0
    else:
        diagnosis, seconds = timed(diagnoser, graded)
    new = report_of(graded, grader.assignment, diagnosis, seconds)
    raw = merged_raw(unpack_raw(earlier.record.raw), graded.raw, grader.nodes.values())
    return new, record_of(new, raw, kept_of(graded))


def results_of(
    report: ScoreReport, kept: Kept, specs: Sequence[TestSpec], without: Collection[str]
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


def merged_raw(old: dict[str, Any], new: dict[str, Any], nodes: Collection[str]) -> dict[str, Any]:
    """Merge pytest's records of a run and of a partial rerun: rerun tests anew, the others as they were."""
    entries = {test["nodeid"]: test for record in (old, new) for test in record.get("tests", ())}
    tests = [entries[node] for node in nodes if node in entries]
    if not tests:
        return {}
    outcomes = Counter(test["outcome"] for test in tests)
    summary = {**outcomes, "total": len(tests), "collected": len(nodes)}
    return {**(old or new), **new, "summary": summary, "tests": tests}


def _stands(report: ScoreReport, kept: Kept, results: Sequence[TestResult], earlier: Earlier) -> bool:
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

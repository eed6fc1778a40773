"""Tell what of an assignment changed since a result, and count its points anew where nothing else did."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import msgspec
from msgspec import structs

from autograder.course import Assignment
from autograder.course.course_loading import FRESH_LOOK_FILE
from autograder.faults import CourseFault, translate_file_errors
from autograder.files import list_files_without_tool_caches
from autograder.grading import HiddenTestResult, HiddenTestSpec
from autograder.grading.results import apportion_points, compute_concept_scores, earns_full_points
from autograder.reports import ScoreReport
from autograder.reports.report_model import FinalScore, Points, ReportedAssignment, ReportedConcept

POINTS = "the points"
VISIBILITY = "who sees what"


def digest_assignment_parts(assignment: Assignment) -> dict[str, str]:
    """Return a digest of each part of an assignment that a result depends on, by the part's name for people.

    Raises:
        CourseFault: a file of the assignment cannot be read.
    """
    feedback = assignment.feedback
    settings = {
        POINTS: [(concept.name, concept.points, concept.bonus) for concept in assignment.concepts],
        VISIBILITY: (feedback.hidden_tests, feedback.diagnosis, feedback.repair),
        "what a failed test shows": feedback.observed_values,
        "the limits": assignment.limits,
        "the conventions": assignment.conventions,
        "the hints of the assignment": assignment.own_hints,
        "what a submission must define": assignment.defines,
        "the packages that a submission may import": sorted(assignment.packages),
        "the names of the files to grade": assignment.graded_files,
    }
    hidden_files = list_files_without_tool_caches(assignment.hidden_suite_folder)
    files = {
        "the hidden tests": [*hidden_files, assignment.folder / FRESH_LOOK_FILE],
        "the reference solution": [assignment.solution_file],
        "the template": [assignment.template_folder / name for name in ("value.py", "value.ipynb")],
    }
    return {
        **{name: _digest(msgspec.json.encode(setting)) for name, setting in settings.items()},
        **{name: _digest(*map(_read_named_file, paths)) for name, paths in files.items()},
    }


def find_reason_to_run(parts_before: Mapping[str, str], parts_now: Mapping[str, str]) -> str:
    """Return what changed, if it may change outcomes; empty if at most points or visibilities did.

    >>> find_reason_to_run({"the points": "1", "the limits": "2"}, {"the points": "1", "the limits": "3"})
    'the limits changed'
    """
    changed = (name for name, digest in parts_now.items() if parts_before.get(name) != digest)
    return next((f"{name} changed" for name in changed if name not in (POINTS, VISIBILITY)), "")


def rescore_report(report: ScoreReport, test_specs: Sequence[HiddenTestSpec], assignment: Assignment) -> ScoreReport:
    """Return a report with the points and visibilities that an assignment has now; every outcome stays."""
    outcomes = {test.id: test.outcome for test in report.tests}
    results = [HiddenTestResult(spec, outcomes[spec.id]) for spec in test_specs]
    max_points = apportion_points(test_specs, assignment)
    points = {result.spec.id: max_points[result.spec.id] * earns_full_points(result) for result in results}
    concepts = compute_concept_scores(results, max_points, assignment)
    core, bonus = (
        Points(
            score=float(sum((one.score for one in concepts if one.bonus == is_bonus), Fraction(0))),
            max_score=float(sum((one.max_score for one in concepts if one.bonus == is_bonus), Fraction(0))),
        )
        for is_bonus in (False, True)
    )
    feedback = assignment.feedback
    return structs.replace(
        report,
        assignment=ReportedAssignment(name=assignment.name, version=assignment.version, title=assignment.title),
        score=core.score,
        max_score=core.max_score,
        bonus=bonus,
        final=FinalScore(score=core.score, max_score=core.max_score, bonus=bonus.score),
        concepts=[
            ReportedConcept(name=one.name, score=float(one.score), max_score=float(one.max_score), bonus=one.bonus)
            for one in concepts
        ],
        tests=[
            structs.replace(
                test,
                score=float(points[test.id]),
                max_score=float(max_points[test.id]),
                visibility=feedback.hidden_tests,
            )
            for test in report.tests
        ],
        diagnosis=structs.replace(report.diagnosis, visibility=feedback.diagnosis, repair_level=feedback.repair),
        timing=structs.replace(report.timing, graded_at=datetime.now(UTC).isoformat(timespec="seconds")),
    )


def _read_named_file(path: Path) -> bytes:
    """Return a file's name and content; nothing if there is no file."""
    with translate_file_errors(path, fault_class=CourseFault):
        return path.name.encode() + b"\0" + path.read_bytes() if path.is_file() else b""


def _digest(*contents: bytes) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).hexdigest()[:16]

"""Make the score report of a graded submission."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from autograder.course import Assignment
from autograder.diagnosis import NONE, Diagnosis
from autograder.diagnosis.diagnoser import BUSY
from autograder.diagnosis.model import Counterexample, Replay
from autograder.grading import GradedSubmission
from autograder.grading.results import HiddenTestResult, earns_full_points
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.repair.model import Edit, Repair
from autograder.reports.causes import map_failed_tests_to_plainer_ones
from autograder.reports.report_model import (
    SCHEMA_VERSION,
    FinalScore,
    Isolation,
    Points,
    ReportedAssignment,
    ReportedConcept,
    ReportedDiagnosis,
    ReportedSubmission,
    ReportedTest,
    ScoreReport,
    Status,
    Timing,
)
from autograder.text import escape_for_display, escape_lines_for_display, escape_name_unambiguously

Part = TypeVar("Part")
MOST_NOTES = 100
CELL = "code cell "
COUNTED = "Code cells are counted from the top of the notebook, whatever number Jupyter shows beside them."


def make_score_report(
    graded_submission: GradedSubmission,
    assignment: Assignment,
    diagnosis: Diagnosis = NONE,
    diagnosis_seconds: float = 0.0,
) -> ScoreReport:
    """Return the score report of one graded submission.

    Args:
        graded_submission: the result of grading it.
        assignment: the assignment that it belongs to.
        diagnosis: what is said about its mistakes.
        diagnosis_seconds: how long the diagnosis took.
    """
    concepts = [
        ReportedConcept(
            name=concept.name, score=float(concept.score), max_score=float(concept.max_score), bonus=concept.bonus
        )
        for concept in graded_submission.concept_scores
    ]
    core, bonus = (_sum_points(graded_submission, bonus=is_bonus) for is_bonus in (False, True))
    times = {**graded_submission.seconds_by_stage, "diagnosis": diagnosis_seconds}
    if diagnosis is NONE:
        del times["diagnosis"]
    plainer_tests = map_failed_tests_to_plainer_ones(graded_submission.test_results)
    return ScoreReport(
        schema_version=SCHEMA_VERSION,
        kit_version=get_kit_version_with_code_digest(),
        python=platform.python_version(),
        assignment=ReportedAssignment(name=assignment.name, version=assignment.version, title=assignment.title),
        submission=ReportedSubmission(
            id=escape_name_unambiguously(graded_submission.submission_id),
            sha256=graded_submission.sha256,
            files=sorted(escape_for_display(name, 200) for name in graded_submission.files)[:200],
        ),
        status=Status(
            outcome=graded_submission.status,
            message=escape_for_display(graded_submission.message, 1000),
            provisional=graded_submission.has_wall_clock_stop or diagnosis.reason == BUSY,
        ),
        score=core.score,
        max_score=core.max_score,
        bonus=bonus,
        final=FinalScore(score=core.score, max_score=core.max_score, bonus=bonus.score),
        lateness=None,
        concepts=concepts,
        tests=[
            _make_reported_test(one, graded_submission.max_points_by_test, assignment, plainer_tests.get(one.spec.id))
            for one in graded_submission.test_results
        ],
        diagnosis=ReportedDiagnosis(
            visibility=assignment.feedback.diagnosis,
            repair_level=assignment.feedback.repair,
            **structs.asdict(_escape_diagnosis(diagnosis)),
        ),
        notes=[*_format_notes(graded_submission.notes), *_make_counting_notes(graded_submission)],
        isolation=Isolation(tier=graded_submission.tier),
        timing=Timing(
            graded_at=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds={name: round(value, 6) for name, value in times.items()},
            tests={result.spec.id: round(result.seconds, 6) for result in graded_submission.test_results},
            processes=graded_submission.process_count,
        ),
        fresh_look=escape_for_display(graded_submission.fresh_look, 300),
    )


def _sum_points(graded_submission: GradedSubmission, *, bonus: bool) -> Points:
    """Return the points of all concepts, or of the bonus."""
    concepts = [concept for concept in graded_submission.concept_scores if concept.bonus == bonus]
    return Points(
        score=float(sum((concept.score for concept in concepts), Fraction(0))),
        max_score=float(sum((concept.max_score for concept in concepts), Fraction(0))),
    )


def _format_notes(notes: tuple[str, ...]) -> list[str]:
    first_notes = [escape_for_display(note, 500) for note in notes[:MOST_NOTES]]
    return [*first_notes, f"And {len(notes) - MOST_NOTES} more."] if len(notes) > MOST_NOTES else first_notes


def _make_counting_notes(graded_submission: GradedSubmission) -> list[str]:
    """Return a note on how code cells are counted, if a message names one."""
    names_cell = any(
        CELL in text
        for text in (*graded_submission.notes, *(result.message for result in graded_submission.test_results))
    )
    return [COUNTED] if names_cell else []


def _escape_diagnosis(diagnosis: Diagnosis) -> Diagnosis:
    """Return a diagnosis that shows what was read of the student's objects as plain text."""
    return structs.replace(
        diagnosis,
        counterexample=_escape_as(diagnosis.counterexample, Counterexample),
        replay=_escape_as(diagnosis.replay, Replay),
        repair=escape_repair(diagnosis.repair) if diagnosis.repair else None,
    )


def escape_repair(repair: Repair) -> Repair:
    """Return a repair whose lines are safe to display and still whole, tabs included, so that they can be applied."""
    return structs.replace(
        repair,
        edits=tuple(map(_escape_edit, repair.edits)),
        others=tuple(tuple(map(_escape_edit, edits)) for edits in repair.others),
    )


def _escape_edit(edit: Edit) -> Edit:
    texts = {name: getattr(edit, name) for name in ("file", "before", "after", "function", "old", "new")}
    return structs.replace(edit, **{name: escape_lines_for_display(text) for name, text in texts.items()})


def _escape_as(value: Any, target_type: type[Part]) -> Part | None:
    return msgspec.convert(_escape_value(msgspec.to_builtins(value)), type=target_type) if value is not None else None


def _escape_value(value: Any) -> Any:
    match value:
        case str():
            return "\n".join(escape_for_display(line) for line in value.split("\n"))
        case dict():
            return {name: _escape_value(item) for name, item in value.items()}
        case list() | tuple():
            return [_escape_value(item) for item in value]
        case _:
            return value


def _make_reported_test(
    result: HiddenTestResult,
    max_points_by_test: Mapping[str, Fraction],
    assignment: Assignment,
    plainer: HiddenTestResult | None,
) -> ReportedTest:
    points = max_points_by_test[result.spec.id]
    has_points = earns_full_points(result)
    hint = f"First make this pass: {plainer.spec.sentence}" if plainer else result.spec.hint
    return ReportedTest(
        id=result.spec.id,
        concept=result.spec.concept,
        sentence=result.spec.sentence,
        outcome=result.outcome,
        cause=result.stop_cause,
        score=float(points) if has_points else 0.0,
        max_score=float(points),
        message=escape_for_display(result.message, 600),
        hint="" if has_points else hint,
        visibility=assignment.feedback.hidden_tests,
        follows=plainer.spec.id if plainer else "",
    )

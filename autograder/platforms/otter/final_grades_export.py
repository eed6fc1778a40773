"""Write ``final_grades.csv`` as ``otter grade`` does: a row per file, a column per question, here a concept."""

from __future__ import annotations

from pathlib import PurePosixPath

from autograder.editable_csv import quote_cell_if_needed
from autograder.formula_injection import neutralize_formula
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.platforms.otter.results_json_writer import DIGITS
from autograder.reports.report_wording import format_points

TOTAL = ("total_points_earned", "percent_correct", "grading_status")
POINTS = "points-per-question"
PERCENT_DIGITS = 4


def make_final_grades_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make the table. A question has the points that the program earned; the total is what counts in the end."""
    factor = options.max_points / results.max_points if options.max_points and results.max_points else 1.0
    max_points = _round_points(results.max_points * factor)
    concepts = {concept.name: concept for row in results.rows for concept in row.report.concepts}
    rows: list[list[str | float]] = [["file", *map(neutralize_formula, concepts), *TOTAL]]
    full_marks = (_round_points(concept.max_score * factor) for concept in concepts.values())
    rows.append([POINTS, *full_marks, max_points, 1.0, "--"])
    for row in results.rows:
        points_by_concept = {concept.name: _round_points(concept.score * factor) for concept in row.report.concepts}
        total = _round_points(row.points * factor)
        percent = round(total / max_points, PERCENT_DIGITS) if max_points else 0.0
        status = (
            "Completed" if row.report.status.outcome == "graded" else neutralize_formula(row.report.status.message)
        )
        cells = [points_by_concept.get(name, 0.0) for name in concepts]
        rows.append([neutralize_formula(_get_file_or_submission_name(row)), *cells, total, percent, status])
    changes = tuple(ExportChange(row.name, "", format_points(row.points * factor)) for row in results.rows)
    table = "".join(f"{','.join(quote_cell_if_needed(str(cell)) for cell in row)}\n" for row in rows)
    return ExportResult({"final_grades.csv": table.encode("utf-8", "backslashreplace")}, changes)


def _get_file_or_submission_name(submission_result: SubmissionResult) -> str:
    """Return what Otter would call a submission: its file's name."""
    names = submission_result.origin.names if submission_result.origin else ()
    if len(names) == 1:
        return PurePosixPath(names[0]).name
    files = [PurePosixPath(name) for name in submission_result.report.submission.files]
    return files[0].name if len(files) == 1 and files[0].stem == submission_result.name else submission_result.name


def _round_points(points: float) -> float:
    return round(float(points), DIGITS)

"""The table of a batch: one row a student."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.reports.terminal import number
from autograder.reports.write import write_whole

FORMULA = re.compile(r"(^|[;\t\r\n])(?=[\s'\"]*[=+\-@＝＋－＠])")
"""Where a spreadsheet could see a formula begin: at the start, and where it parts cells, which in half of Europe is
at semicolons. Signs of full width count in Asia."""


def write_gradebook(reports: Iterable[ScoreReport], assignment: Assignment, path: Path) -> None:
    """Write ``gradebook.csv``: points in all, per concept, and what a person should look at.

    Args:
        reports: one a student; read one at a time and not kept.
        assignment: gives the columns.
        path: where to write.

    Raises:
        CallerFault: it cannot be written.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    concepts = [concept.name for concept in assignment.concepts]
    writer.writerow(["submission", "score", "max_score", "bonus", "status", *concepts, "grader_errors", "message"])
    for report in reports:
        points = {concept.name: concept.score for concept in report.concepts}
        errors = sum(test.outcome == "grader error" for test in report.tests)
        writer.writerow(
            [
                plain_cell(report.submission.id),
                number(report.score),
                number(report.max_score),
                number(report.bonus.score),
                report.status.outcome,
                *(number(points.get(name, 0.0)) for name in concepts),
                errors,
                plain_cell(report.status.message),
            ]
        )
    write_whole(path, text.getvalue().encode())


def plain_cell(text: str) -> str:
    """Text that a spreadsheet shows and never computes; two that differ stay different."""
    return FORMULA.sub(r"\1'", text)

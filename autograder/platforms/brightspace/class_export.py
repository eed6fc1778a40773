"""Make what Brightspace takes for a class: grades to import, and feedback files for the folders of a download."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from autograder.editable_csv import EditableCsv, quote_cell_if_needed
from autograder.faults import CallerFault
from autograder.platforms.brightspace.reader import NAME
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.grade_column import GradeColumn
from autograder.platforms.common.grade_column_update import compute_grade_column_update
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.platforms.common.student_row_index import iterate_member_identities, list_identity_facts
from autograder.platforms.common.zip_packing import is_safe_zip_path, make_zip
from autograder.reports.html_report import render_published_page
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_name_unambiguously

GRADES = re.compile(r"(?P<title>.*) Points Grade(?: <(?P<about>[^<]*)>)?\s*", re.S)
MAXIMUM = re.compile(r"\bMaxPoints:(\d+(?:[.,]\d+)?)")
LAST = "End-of-Line Indicator"
KEYS = ("orgdefinedid", "username")


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make ``grades.csv`` for "Import" in Grades, and ``feedback.zip`` for "Add Feedback Files" of the assignment.

    Given the table that Brightspace exported, write only rows that change, under the table's own header.
    """
    export = (
        _fill_in_sheet(results, options, options.sheet)
        if options.sheet is not None
        else _make_grades_from_roster(results, options)
    )
    own_results = [result for result in results.rows if result.origin and result.origin.platform == NAME]
    result_by_folder = {folder: result for result in own_results if result.origin for folder in result.origin.names}
    pages = {
        f"{folder}/feedback.html": render_published_page(result.report)
        for folder, result in result_by_folder.items()
        if is_safe_zip_path(folder)
    }
    feedback_problems = [
        f"{escape_name_unambiguously(result.name)}: no feedback file, because a zip cannot store the folder's name"
        for folder, result in result_by_folder.items()
        if not is_safe_zip_path(folder)
    ]
    files = {**export.files, **({"feedback.zip": make_zip(pages)} if pages else {})}
    return replace(export, files=files, unmatched=(*export.unmatched, *feedback_problems))


def _fill_in_sheet(results: ClassResults, options: ExportOptions, content: bytes) -> ExportResult:
    sheet = EditableCsv(content, options.sheet_name or "the gradebook")
    header = sheet.rows[0].cells
    key_columns = [index for index, cell in enumerate(header) if cell.strip().casefold() in KEYS]
    if not key_columns:
        raise CallerFault(
            "the table has no column OrgDefinedId or Username", sheet.name, "export it again, with both key fields"
        )
    column, cell_by_row, export = compute_grade_column_update(sheet, _iterate_grade_columns(header), results, options)
    lines = [[*(sheet.get_raw_cells(0)[key_column] for key_column in (*key_columns, column)), LAST]]
    lines += [
        [*(sheet.get_raw_cells(row)[key_column] for key_column in key_columns), quote_cell_if_needed(cell), "#"]
        for row, cell in sorted(cell_by_row.items())
    ]
    return replace(export, files={"grades.csv": _encode_table(lines, sheet.separator)})


def _iterate_grade_columns(header: tuple[str, ...]) -> Iterator[GradeColumn]:
    for index, cell in enumerate(header):
        if title_match := GRADES.fullmatch(cell):
            max_points_match = MAXIMUM.search(title_match["about"] or "")
            points = float(max_points_match[1].replace(",", ".")) if max_points_match else None
            yield GradeColumn(
                index, title_match["title"], (cell, f"{title_match['title']} Points Grade"), max_points=points
            )


def _make_grades_from_roster(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make grades without Brightspace's table, with ids from the course's list or from the download."""
    title = options.settings.get("column", "") or results.title
    max_points = options.max_points or results.max_points
    lines = [["OrgDefinedId", "Username", quote_cell_if_needed(f"{title} Points Grade"), LAST]]
    changes, unmatched = [], []
    for result in (row for row in results.rows if row.attempt_counts):
        for student, ids in _iterate_student_ids(result):
            if not any(ids):
                unmatched.append(
                    f"{escape_name_unambiguously(result.name)}: neither OrgDefinedId nor Username of "
                    f"{escape_name_unambiguously(student)} is known"
                )
                continue
            score = format_points(float(rescale_points(result.points, results.max_points, max_points)))
            lines.append([*(quote_cell_if_needed(f"#{id_}") if id_ else "" for id_ in ids), score, "#"])
            changes.append(ExportChange(escape_name_unambiguously(student), "", score))
    return ExportResult({"grades.csv": _encode_table(lines)}, tuple(changes), tuple(unmatched))


def _iterate_student_ids(result: SubmissionResult) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each student with the ids that Brightspace knows: OrgDefinedId and Username."""
    if result.people:
        for row in result.people:
            cells_by_title = {key.strip().casefold(): cell.strip().removeprefix("#") for key, cell in row.items()}
            logins = [value for kind, value in list_identity_facts(row) if kind == "login"]
            username = cells_by_title.get("username", "") or next(iter(logins), "").removeprefix("#")
            yield next(iter(row.values())), (cells_by_title.get("orgdefinedid", ""), username)
    else:
        for student, facts in iterate_member_identities(result):
            yield student, ("", next((value for kind, value in facts if kind == "login"), ""))


def _encode_table(lines: list[list[str]], separator: str = ",") -> bytes:
    return "".join(separator.join(cells) + "\r\n" for cells in lines).encode("utf-8", "surrogateescape")

"""Read Brightspace's downloads of assignments; write its import of grades, and feedback files for the same folders.

Documentation: https://community.d2l.com/brightspace. The names of folders in a download follow samples from
others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

from autograder.faults import CallerFault
from autograder.platforms.common.download import Download
from autograder.platforms.common.export_files import is_safe_zip_path, make_zip
from autograder.platforms.common.grade_column import GradeColumn, compute_grade_column_update
from autograder.platforms.common.platform_model import (
    ClassResults,
    DownloadedSubmission,
    ExportOptions,
    ExportResult,
    Platform,
)
from autograder.reports.html_report import render_published_page
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.tables import EditableCsv, quote_cell_if_needed
from autograder.text import escape_name_unambiguously

NAME = "brightspace"
OVERVIEW = "index.html"
"""The overview page that Brightspace puts beside the students' folders."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FOLDER = re.compile(
    r"(?P<user>\d+)-(?P<folder>\d+) - (?P<name>.+?)"
    r" - (?P<month>[A-Z][a-z]{2,8}) (?P<day>\d{1,2}), (?P<year>\d{4})"
    r" (?P<hour>\d{1,2})[:_]?(?P<minute>\d\d) (?P<half>[AP]M)",
    re.S,
)
"""A name may contain `` - ``, too; the last part is the time."""


class BrightspaceDownloadReader:
    """Reads "Download" of an assignment's submissions: a folder for each time that somebody handed in."""

    def recognises(self, download: Download) -> bool:
        """Return whether everything in the download is such a folder, or Brightspace's own overview."""
        names = [name for name in download.top_level_names if name != OVERVIEW]
        return bool(names) and all(FOLDER.fullmatch(name) and download.is_folder(name) for name in names)

    def read(self, download: Download) -> Iterable[DownloadedSubmission]:
        """Yield a submission for each folder; several of one student are attempts.

        Raises:
            CallerFault: something else lies among the folders.
        """
        paths_by_folder: dict[str, list[str]] = {}
        for path in download.file_paths:
            paths_by_folder.setdefault(path.partition("/")[0], []).append(path)
        for name in download.top_level_names:
            match = FOLDER.fullmatch(name)
            if match and download.is_folder(name):
                yield _make_submission(match, paths_by_folder.get(name, []))
            elif name != OVERVIEW:
                advice = "name the zip as it was downloaded, in English"
                raise download.make_foreign_name_fault(name, "Brightspace", advice)


def _make_submission(match: re.Match[str], paths: list[str]) -> DownloadedSubmission:
    name, submission_time = match[0], _parse_folder_time(match)
    attempt = f"{submission_time:%Y-%m-%d %H:%M}" if submission_time else name.rpartition(" - ")[2]
    return DownloadedSubmission(
        name=f"{match['name']}_{match['user']}-{match['folder']}_{attempt.replace(' ', '_').replace(':', '-')}",
        origin=SubmissionOrigin(
            NAME, (Person(match["user"], match["name"]),), handed_in=submission_time, attempt=attempt, names=(name,)
        ),
        files={paths[0].removeprefix(f"{name}/"): paths[0]} if len(paths) == 1 else {},
        folder="" if len(paths) == 1 else name,
    )


def _parse_folder_time(match: re.Match[str]) -> datetime | None:
    """Return the time in a folder's name, without a zone; None where there is no such time."""
    hour = int(match["hour"]) % 12 + (12 if match["half"] == "PM" else 0)
    try:
        month = MONTHS.index(match["month"][:3].lower()) + 1
        return datetime(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]))
    except ValueError:
        return None


GRADES = re.compile(r"(?P<title>.*) Points Grade(?: <(?P<about>[^<]*)>)?\s*", re.S)
MAXIMUM = re.compile(r"\bMaxPoints:(\d+(?:[.,]\d+)?)")
LAST = "End-of-Line Indicator"
KEYS = ("orgdefinedid", "username")


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make ``grades.csv`` for "Import" in Grades, and ``feedback.zip`` for "Add Feedback Files" of the assignment.

    Only rows that change are written, under the header of the table that Brightspace exported.

    Raises:
        CallerFault: there is no table, it has no key, or not just one column is the assignment's.
    """
    if options.sheet is None:
        advice = "export it in Grades, Enter Grades, Export, and name it with --gradebook"
        raise CallerFault("the table of grades is missing", "export brightspace", advice)
    export = _fill_in_sheet(results, options, options.sheet)
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


def _encode_table(lines: list[list[str]], separator: str) -> bytes:
    return "".join(separator.join(cells) + "\r\n" for cells in lines).encode("utf-8", "surrogateescape")


platform = Platform(
    NAME,
    "Brightspace",
    reader=BrightspaceDownloadReader(),
    class_writer=make_class_export,
    settings={"column": "the grade item: its title, or the header's whole cell"},
)

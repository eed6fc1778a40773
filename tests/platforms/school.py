"""A platform that a course could have added: folders called ``name#number``, and a table of points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from autograder.platforms import (
    ClassResults,
    Download,
    DownloadedSubmission,
    ExportChange,
    ExportOptions,
    ExportResult,
    Platform,
)
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.reports import ScoreReport
from autograder.submissions import Person, SubmissionOrigin
from autograder.tables import EditableCsv

NAME = re.compile(r"(?P<name>[^#]+)#(?P<id>\d+)(?P<late>!?)(?:@(?P<when>\d+))?")


class Reader:
    def recognises(self, download: Download) -> bool:
        return bool(download.top_level_names) and all(NAME.fullmatch(name) for name in download.top_level_names)

    def read(self, download: Download) -> Iterator[DownloadedSubmission]:
        for name in download.top_level_names:
            if match := NAME.fullmatch(name):
                when = datetime.fromtimestamp(int(match["when"]), UTC) if match["when"] else None
                person = Person(match["id"], match["name"])
                origin = SubmissionOrigin(
                    "school", (person,), handed_in=when, marked_late=bool(match["late"]), names=(name,)
                )
                files = {path.partition("/")[2]: path for path in download.file_paths if path.startswith(f"{name}/")}
                yield DownloadedSubmission(f"{match['name']}_{match['id']}", origin, files)


def report_file(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    return {"points.txt": f"{report.score:g} {options.settings.get('word', 'points')}\n".encode()}


def class_file(results: ClassResults, options: ExportOptions) -> ExportResult:
    sheet = EditableCsv(options.sheet or b"id,points\n", options.sheet_name)
    by_id = {row.origin.people[0].id: row for row in results.rows if row.origin and row.origin.people}
    changes, missing = [], []
    for number, row in enumerate(sheet.rows[1:], start=1):
        result = by_id.pop(row.cells[0], None)
        if result:
            change = ExportChange(row.cells[0], row.cells[1], f"{result.points:g}", submission=result.name)
            changes.append(protect_manual_entries(change, options))
            sheet.set_cell(number, 1, changes[-1].after)
        else:
            missing.append(row.cells[0])
    unmatched = tuple(f"{row.name} is not in the table" for row in by_id.values())
    return ExportResult({"points.csv": bytes(sheet)}, tuple(changes), unmatched, tuple(missing))


SCHOOL = Platform("school", "School", Reader(), report_file, class_file, {"word": "what points are called"})

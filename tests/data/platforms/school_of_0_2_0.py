"""A platform that a course could have added: folders called ``name#number``, and a table of points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from autograder.platforms import Arrival, Change, Download, Export, Given, Platform, Results
from autograder.platforms.decisions import settled
from autograder.platforms.sheet import Sheet
from autograder.reports import ScoreReport
from autograder.submissions import Origin, Person

NAME = re.compile(r"(?P<name>[^#]+)#(?P<id>\d+)(?P<late>!?)(?:@(?P<when>\d+))?")


class Reader:
    def recognises(self, download: Download) -> bool:
        return bool(download.top) and all(NAME.fullmatch(name) for name in download.top)

    def read(self, download: Download) -> Iterator[Arrival]:
        for name in download.top:
            if match := NAME.fullmatch(name):
                when = datetime.fromtimestamp(int(match["when"]), UTC) if match["when"] else None
                person = Person(match["id"], match["name"])
                origin = Origin("school", (person,), handed_in=when, marked_late=bool(match["late"]), names=(name,))
                files = {path.partition("/")[2]: path for path in download.paths if path.startswith(f"{name}/")}
                yield Arrival(f"{match['name']}_{match['id']}", origin, files)


def report_file(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    return {"points.txt": f"{report.score:g} {given.settings.get('word', 'points')}\n".encode()}


def class_file(results: Results, given: Given) -> Export:
    sheet = Sheet(given.sheet or b"id,points\n", given.sheet_name)
    by_id = {row.origin.people[0].id: row for row in results.rows if row.origin and row.origin.people}
    changes, missing = [], []
    for number, row in enumerate(sheet.rows[1:], start=1):
        result = by_id.pop(row.cells[0], None)
        if result:
            change = Change(row.cells[0], row.cells[1], f"{result.points:g}", submission=result.name)
            changes.append(settled(change, given))
            sheet.put(number, 1, changes[-1].after)
        else:
            missing.append(row.cells[0])
    unmatched = tuple(f"{row.name} is not in the table" for row in by_id.values())
    return Export({"points.csv": bytes(sheet)}, tuple(changes), unmatched, tuple(missing))


SCHOOL = Platform("school", "School", Reader(), report_file, class_file, {"word": "what points are called"})

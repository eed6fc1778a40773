"""Brightspace: its downloads of assignments, its import of grades, and feedback files for the same folders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from autograder.faults import CallerFault
from autograder.platforms.column import Column, chosen, filled, scaled
from autograder.platforms.download import Download
from autograder.platforms.feedback import feedback_page
from autograder.platforms.model import Arrival, Change, Export, Given, Platform, Result, Results
from autograder.platforms.packing import zip_of
from autograder.platforms.sheet import Sheet, quoted
from autograder.platforms.students import facts, known_of
from autograder.reports.terminal import number
from autograder.submissions.origin import Origin, Person
from autograder.text import clean, clean_name

NAME = "brightspace"
OVERVIEW = "index.html"
"""What Brightspace itself puts beside the students' folders."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FOLDER = re.compile(
    r"(?P<user>\d+)-(?P<folder>\d+) - (?P<name>.+?)"
    r" - (?P<month>[A-Z][a-z]{2,8}) (?P<day>\d{1,2}), (?P<year>\d{4})"
    r" (?P<hour>\d{1,2})[:_]?(?P<minute>\d\d) (?P<half>[AP]M)"
)
"""A name may hold `` - `` too: what stands last is the time."""
GRADES = re.compile(r"(?P<title>.*) Points Grade(?: <(?P<about>.*)>)?\s*", re.S)
MAXIMUM = re.compile(r"\bMaxPoints:(\d+(?:[.,]\d+)?)")
LAST = "End-of-Line Indicator"
KEYS = ("orgdefinedid", "username")


class BrightspaceReader:
    """Reads "Download" of an assignment's submissions: a folder for each time that somebody handed in."""

    def recognises(self, download: Download) -> bool:
        """Whether everything in it is such a folder, or Brightspace's own overview."""
        names = [name for name in download.top if name != OVERVIEW]
        return bool(names) and all(FOLDER.fullmatch(name) and download.is_folder(name) for name in names)

    def read(self, download: Download) -> Iterable[Arrival]:
        """A submission for each folder; several of one student are attempts.

        Raises:
            CallerFault: something else lies among them.
        """
        files: dict[str, list[str]] = {}
        for path in download.paths:
            files.setdefault(path.partition("/")[0], []).append(path)
        for name in download.top:
            found = FOLDER.fullmatch(name)
            if found and download.is_folder(name):
                yield _arrival(found, files.get(name, []))
            elif name != OVERVIEW:
                raise CallerFault(
                    f"'{clean(name, 80)}' is no folder as Brightspace packs them",
                    str(download.source),
                    "name the zip as it was downloaded, in English",
                )


def _arrival(found: re.Match[str], paths: list[str]) -> Arrival:
    name, when = found[0], _when(found)
    attempt = f"{when:%Y-%m-%d %H:%M}" if when else name.rpartition(" - ")[2]
    return Arrival(
        name=f"{found['name']}_{found['user']}-{found['folder']}_{attempt.replace(' ', '_').replace(':', '-')}",
        origin=Origin(NAME, (Person(found["user"], found["name"]),), handed_in=when, attempt=attempt, names=(name,)),
        files={paths[0].removeprefix(f"{name}/"): paths[0]} if len(paths) == 1 else {},
        folder="" if len(paths) == 1 else name,
    )


def _when(found: re.Match[str]) -> datetime | None:
    """The time in a folder's name, without a zone; None where there is no such time."""
    hour = int(found["hour"]) % 12 + (12 if found["half"] == "PM" else 0)
    try:
        month = MONTHS.index(found["month"][:3].lower()) + 1
        return datetime(int(found["year"]), month, int(found["day"]), hour, int(found["minute"]))
    except ValueError:
        return None


def write_class(results: Results, given: Given) -> Export:
    """``grades.csv`` for "Import" in Grades, and ``feedback.zip`` for "Add Feedback Files" of the assignment.

    With the table that Brightspace exported, only rows that change are written, under its own header.
    """
    export = _from_sheet(results, given, given.sheet) if given.sheet is not None else _from_ids(results, given)
    pages = {
        f"{folder}/feedback.html": feedback_page(result.report)
        for result in results.rows
        if result.origin and result.origin.platform == NAME
        for folder in result.origin.names
    }
    files = {**export.files, **({"feedback.zip": zip_of(pages)} if pages else {})}
    return Export(files, export.changes, export.unmatched, export.missing, export.notes)


def _from_sheet(results: Results, given: Given, content: bytes) -> Export:
    sheet = Sheet(content, given.sheet_name or "the sheet")
    header = sheet.rows[0].cells
    keys = [index for index, cell in enumerate(header) if cell.strip().casefold() in KEYS]
    if not keys:
        raise CallerFault(
            "has neither OrgDefinedId nor Username", sheet.name, "export it again, with both key fields"
        )
    column = chosen(list(_columns(header)), given.settings.get("column", ""), results, sheet.name)
    maximum = column.maximum or given.max_points or results.max_points
    found = filled(sheet, column, results, maximum)
    lines = [[*(sheet.raw(0)[key] for key in (*keys, column.index)), LAST]]
    lines += [
        [*(sheet.raw(row)[key] for key in keys), quoted(cell), "#"] for row, cell in sorted(found.cells.items())
    ]
    table = {"grades.csv": _table(lines, sheet.separator)}
    return Export(table, found.changes, found.unmatched, found.missing, found.notes)


def _columns(header: tuple[str, ...]) -> Iterator[Column]:
    for index, cell in enumerate(header):
        if found := GRADES.fullmatch(cell):
            maximum = MAXIMUM.search(found["about"] or "")
            points = float(maximum[1].replace(",", ".")) if maximum else None
            yield Column(index, found["title"], (cell, f"{found['title']} Points Grade"), points)


def _from_ids(results: Results, given: Given) -> Export:
    """Without a table of Brightspace's: ids as the course's list or the download says them."""
    title = given.settings.get("column", "") or results.title
    maximum = given.max_points or results.max_points
    lines = [["OrgDefinedId", "Username", quoted(f"{title} Points Grade"), LAST]]
    changes, unmatched = [], []
    for result in (one for one in results.rows if one.attempt_counts):
        for student, ids in _ids(result):
            if not any(ids):
                unmatched.append(
                    f"{clean_name(result.name)}: neither OrgDefinedId nor Username of {clean_name(student)} is known"
                )
                continue
            score = number(scaled(result.points, results, maximum))
            lines.append([*(quoted(f"#{one}") if one else "" for one in ids), score, "#"])
            changes.append(Change(clean_name(student), "", score))
    return Export({"grades.csv": _table(lines)}, tuple(changes), tuple(unmatched))


def _ids(result: Result) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each student, with what Brightspace knows them by: OrgDefinedId and Username."""
    if result.people:
        for row in result.people:
            plain = {key.strip().casefold(): cell.strip().removeprefix("#") for key, cell in row.items()}
            logins = [value for kind, value in facts(row) if kind == "login"]
            username = plain.get("username", "") or next(iter(logins), "").removeprefix("#")
            yield next(iter(row.values())), (plain.get("orgdefinedid", ""), username)
    else:
        for student, known in known_of(result):
            yield student, ("", next((value for kind, value in known if kind == "login"), ""))


def _table(lines: list[list[str]], separator: str = ",") -> bytes:
    return "".join(separator.join(cells) + "\r\n" for cells in lines).encode()


platform = Platform(
    NAME,
    "Brightspace",
    reader=BrightspaceReader(),
    class_writer=write_class,
    settings={"column": "the grade item: its title, or the header's whole cell"},
)

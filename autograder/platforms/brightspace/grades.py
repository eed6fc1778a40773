"""Make what Brightspace takes for a class: grades to import, and feedback files for the folders of a download."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.faults import CallerFault
from autograder.platforms.brightspace.reader import NAME
from autograder.platforms.column import Column, chosen, filled
from autograder.platforms.feedback import feedback_page
from autograder.platforms.model import Change, Export, Given, Result, Results
from autograder.platforms.packing import is_packable, zip_of
from autograder.platforms.points import rescaled
from autograder.platforms.sheet import Sheet, quoted
from autograder.platforms.students import facts, known_of
from autograder.reports.words import number
from autograder.text import clean_name

GRADES = re.compile(r"(?P<title>.*) Points Grade(?: <(?P<about>.*)>)?\s*", re.S)
MAXIMUM = re.compile(r"\bMaxPoints:(\d+(?:[.,]\d+)?)")
LAST = "End-of-Line Indicator"
KEYS = ("orgdefinedid", "username")


def write_class(results: Results, given: Given) -> Export:
    """Make ``grades.csv`` for "Import" in Grades, and ``feedback.zip`` for "Add Feedback Files" of the assignment.

    Given the table that Brightspace exported, write only rows that change, under the table's own header.
    """
    export = _from_sheet(results, given, given.sheet) if given.sheet is not None else _from_ids(results, given)
    ours = [one for one in results.rows if one.origin and one.origin.platform == NAME]
    folders = {folder: one for one in ours if one.origin for folder in one.origin.names}
    pages = {f"{name}/feedback.html": feedback_page(one.report) for name, one in folders.items() if is_packable(name)}
    lost = [
        f"{clean_name(one.name)}: no zip can hold the folder's name: no feedback"
        for name, one in folders.items()
        if not is_packable(name)
    ]
    files = {**export.files, **({"feedback.zip": zip_of(pages)} if pages else {})}
    return Export(files, export.changes, (*export.unmatched, *lost), export.missing, export.notes)


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
    found = filled(sheet, column, results, maximum, given)
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
            yield Column(index, found["title"], (cell, f"{found['title']} Points Grade"), maximum=points)


def _from_ids(results: Results, given: Given) -> Export:
    """Make grades without Brightspace's table, with ids from the course's list or from the download."""
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
            score = number(float(rescaled(result.points, results.max_points, maximum)))
            lines.append([*(quoted(f"#{one}") if one else "" for one in ids), score, "#"])
            changes.append(Change(clean_name(student), "", score))
    return Export({"grades.csv": _table(lines)}, tuple(changes), tuple(unmatched))


def _ids(result: Result) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each student with the ids that Brightspace knows: OrgDefinedId and Username."""
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
    return "".join(separator.join(cells) + "\r\n" for cells in lines).encode("utf-8", "surrogateescape")

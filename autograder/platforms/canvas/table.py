"""The gradebook that Canvas exports, and the column of one assignment in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from autograder.faults import CallerFault
from autograder.platforms.canvas.points import has_comma, number_of
from autograder.platforms.canvas.students import Student
from autograder.platforms.sheet import Sheet
from autograder.text import clean, listed

TITLE = re.compile(r"(?P<title>.*)\((?P<id>[0-9]+)\)", re.S)
EXPORT = "in Canvas: Grades, Export, Export Entire Gradebook"


class Gradebook:
    """An exported gradebook: its students, and where their scores stand."""

    def __init__(self, content: bytes, name: str) -> None:
        """Read it.

        Raises:
            CallerFault: it is none, or some program has changed its ids.
        """
        self.sheet = Sheet(content, name)
        self.name = name
        self._rows = rows = self.sheet.rows
        self.header = [cell.strip() for cell in rows[0].cells]
        if not {"ID", "Section"} <= set(self.header) or not {"Student", "LastName"} & set(self.header[:1]):
            raise CallerFault("is no gradebook of Canvas's", name, EXPORT)
        self.first = self.header.index("Section") + 1
        """The first column that is not about the student."""
        points = [place for place, row in enumerate(rows) if "Points Possible" in row.cells[0]]
        if not points:
            raise CallerFault("has no row 'Points Possible'", name, EXPORT)
        self.points_row = points[0]
        self.students: dict[int, Student] = {}
        """By row."""
        for place, row in enumerate(rows):
            if place > self.points_row and any(cell.strip() for cell in row.cells):
                self.students[place] = self._student(row.cells, row.line)

    def cell(self, row: int, column: int) -> str:
        """What stood there in the file."""
        cells = self._rows[row].cells
        return cells[column].strip() if column < len(cells) else ""

    def column(self, wanted: str, names: Sequence[str]) -> int:
        """The assignment's column.

        Args:
            wanted: its id or title in Canvas; empty if the caller does not say.
            names: what the course calls it: the one column whose title holds one of them is taken.

        Raises:
            CallerFault: there is none, or several would do; names those that there are.
        """
        open_ = {
            place: title for place, title in enumerate(self.header) if place >= self.first and self._is_open(place)
        }
        if wanted:
            found = _exactly(open_, wanted)
            what = f"has no assignment '{clean(wanted, 80)}'" if not found else "has several such assignments"
        else:
            words = [_plain(name) for name in names]
            found = [place for place, title in open_.items() if any(word and word in _plain(title) for word in words)]
            which = listed([f"'{clean(name, 80)}'" for name in dict.fromkeys(names)])
            what = f"has {'no' if not found else 'more than one'} assignment whose title holds {which}"
        if len(found) != 1:
            titles = [clean(open_[place], 80) for place in found or open_][:8]
            there = f"there are: {', '.join(titles)}" if titles else EXPORT
            raise CallerFault(what, self.name, f"say which: --set column=ID; {there}")
        return found[0]

    def possible(self, column: int) -> Decimal | None:
        """Full marks of a column; None where it has none."""
        return number_of(self.cell(self.points_row, column))

    def _is_open(self, column: int) -> bool:
        """Whether it is an assignment's that may be written: without points it still has an id in its title."""
        points = self.cell(self.points_row, column)
        return number_of(points) is not None or (not points and bool(TITLE.fullmatch(self.header[column])))

    def comma(self, column: int) -> bool:
        """Whether the file writes its numbers with a decimal comma."""
        return has_comma(self.cell(self.points_row, column))

    def _student(self, cells: Sequence[str], line: int) -> Student:
        known = dict(zip(self.header[: self.first], (cell.strip() for cell in cells), strict=False))
        id_ = known.get("ID", "")
        if not re.fullmatch("[0-9]+", id_):
            advice = "a spreadsheet program may have changed the file: export it again and do not open it"
            raise CallerFault(f"'{clean(id_, 40)}' is no id of a student's", f"{self.name}, line {line}", advice)
        name = known.get("Student") or f"{known.get('LastName', '')}, {known.get('FirstName', '')}"
        return Student(id_, name, known.get("SIS User ID", ""), known.get("SIS Login ID", ""))


def _exactly(columns: dict[int, str], wanted: str) -> list[int]:
    """Columns with this id, or else this title, or else this title in small letters or capitals."""
    parts = {place: TITLE.fullmatch(title) for place, title in columns.items()}
    by_id = [place for place, match in parts.items() if match and match["id"] == wanted.strip()]
    titles = {place: (columns[place], match["title"].strip() if match else "") for place, match in parts.items()}
    exact = [place for place, both in titles.items() if wanted in both]
    folded = [place for place, both in titles.items() if wanted.casefold() in (one.casefold() for one in both)]
    return by_id or exact or folded


def _plain(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.replace("_", " ").casefold()))

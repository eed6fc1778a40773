"""Tell a worksheet's columns apart by their cells, because its headers are in the teacher's language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.csv_sheet import EditableCsv, SheetRow
from autograder.faults import CallerFault
from autograder.list_and_count_wording import join_with_and
from autograder.platforms.moodle.number_format import try_parse_number
from autograder.platforms.moodle.yes_no_words import are_yes_or_no_words
from autograder.safe_text import escape_for_display

NUMBERED = re.compile(r"(.*?)(\d+)\s*", re.S)
ADVICE = "use the worksheet as Moodle gives it: in the assignment, Submissions, Download grading worksheet"


@dataclass(frozen=True, slots=True)
class WorksheetColumns:
    """Places of columns, from 0; None for one that is not there."""

    width: int
    """How many there are in the widest row."""
    grade: int
    max_grade: int | None
    """Full marks, in every row."""
    changeable: int | None
    """Whether the grade can be changed; None where no column says so in a language that is known."""
    grade_date: int | None
    """When the grade was last changed."""
    feedback_comment: int | None

    @property
    def has_marking_workflow(self) -> bool:
        """Return whether a state of marking stands between full marks and "Grade can be changed"."""
        return self.changeable is not None and self.max_grade is not None and self.changeable > self.max_grade + 1

    @property
    def possible_grade_changeable_columns(self) -> tuple[int, ...]:
        """Return where "Grade can be changed" is or may be: after full marks, or one further with a marking state."""
        if self.changeable is not None or self.max_grade is None:
            return () if self.changeable is None else (self.changeable,)
        return tuple(place for place in (self.max_grade + 1, self.max_grade + 2) if place < self.width)

    @property
    def possible_team_columns(self) -> tuple[int, ...]:
        """Return where a team's name may stand: before the grade, or before the marker's name in front of the grade.

        The first columns are the participant's number, and the full name or the status.
        """
        return tuple(place for place in (self.grade - 1, self.grade - 2) if place > 1)


def require_participant_rows(sheet: EditableCsv) -> list[tuple[int, SheetRow]]:
    """Return the rows of a worksheet that hold a participant, each with its place in the sheet.

    Raises:
        CallerFault: no row holds a participant, or a row does not begin with a participant's number.
    """
    found = [(place, row) for place, row in enumerate(sheet.rows) if place and any(map(str.strip, row.cells))]
    for _, row in found:
        if not NUMBERED.fullmatch(row.cells[0]):
            where = f"{sheet.name}, line {row.line}"
            raise CallerFault(
                "the row does not begin with a participant's number, such as 'Participant 7'", where, ADVICE
            )
    if not found:
        raise CallerFault("the worksheet holds no participant", sheet.name, ADVICE)
    return found


def identify_worksheet_columns(
    sheet: EditableCsv, rows: Sequence[SheetRow], settings: Mapping[str, str]
) -> WorksheetColumns:
    """Find the columns of a worksheet.

    Args:
        sheet: the worksheet; its header and its name are used.
        rows: the rows of participants, at least one.
        settings: ``grade_column`` and ``feedback_column`` are headers.

    Raises:
        CallerFault: no column surely holds grades, or a setting names no column.
    """
    header = sheet.rows[0].cells
    width = max(len(header), *(len(row.cells) for row in rows))
    cells = [[row.cells[place] if place < len(row.cells) else "" for row in rows] for place in range(width)]
    named = {one.strip().casefold(): place for place, one in enumerate(header)}
    maxima = [place for place in range(2, width - 1) if _are_full_marks(cells, place)]
    if wanted := settings.get("grade_column", ""):
        grade = _get_named_column(wanted, named, sheet)
    elif maxima:
        grade = maxima[-1] - 1  # the last: a student's own field may look like one, and stands before
    elif (place := named.get("grade", 0)) and all(try_parse_number(one) is not None for one in cells[place] if one):
        grade = place
    else:
        raise CallerFault(
            f"no column of grades stands beside full marks among {_listed(header)}",
            sheet.name,
            "name it with --set grade_column='...'; an assignment graded with a scale has none",
        )
    maximum = grade + 1 if grade + 1 in maxima else None
    after = range(0) if maximum is None else range(maximum + 1, min(maximum + 3, width))
    changeable = next((place for place in after if are_yes_or_no_words(cells[place])), None)
    return WorksheetColumns(
        width, grade, maximum, changeable, *_find_columns_after_grade(grade, cells, named, settings, sheet)
    )


def _are_full_marks(cells: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether a column repeats one positive number, right of grades or blank cells and left of words."""
    full = try_parse_number(cells[place][0])
    if not full or any(one != cells[place][0] for one in cells[place]):
        return False
    grades, behind = [one for one in cells[place - 1] if one.strip()], cells[place + 1]
    return all(try_parse_number(one) is not None for one in grades) and all(
        one.strip() and try_parse_number(one) is None for one in behind
    )


def _find_columns_after_grade(
    grade: int,
    cells: Sequence[Sequence[str]],
    named: Mapping[str, int],
    settings: Mapping[str, str],
    sheet: EditableCsv,
) -> tuple[int | None, int | None]:
    """Find grade dates and comments: the last column has comments if it holds no dates and the one before it does."""
    last = len(cells) - 1
    graded, comment = named.get("last modified (grade)"), named.get("feedback comments")
    if are_all_dates_or_dashes(cells[last]):
        graded = last
    elif last - 1 > grade and are_all_dates_or_dashes(cells[last - 1]):
        graded, comment = last - 1, last
    if wanted := settings.get("feedback_column", ""):
        comment = _get_named_column(wanted, named, sheet)
    return graded, comment


def are_all_dates_or_dashes(cells: Sequence[str]) -> bool:
    """Return whether each cell is a day and a time, in any language, or the ``-`` that Moodle writes for none."""
    return all(one.strip() == "-" or _is_date(one) for one in cells)


def _is_date(cell: str) -> bool:
    groups = re.findall(r"\d+", cell)
    return len(cell) < 80 and len(groups) >= 3 and any(len(one) == 4 for one in groups)


def _get_named_column(wanted: str, named: Mapping[str, int], sheet: EditableCsv) -> int:
    place = named.get(wanted.strip().casefold(), 0)
    if not place:
        raise CallerFault(
            f"the worksheet has no column '{escape_for_display(wanted, 60)}'",
            sheet.name,
            f"choose from {_listed(sheet.rows[0].cells)}",
        )
    return place


def _listed(header: Sequence[str]) -> str:
    return join_with_and([f"'{escape_for_display(one, 40)}'" for one in header[:20]])

"""Tell a worksheet's columns apart by their cells, because its headers are in the teacher's language; read dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from autograder.faults import CallerFault
from autograder.tables import EditableCsv, SheetRow
from autograder.text import escape_for_display, join_with_and

TEAM_TITLES = frozenset(
    {
        "group", "gruppe", "grup", "grupo", "grupp", "gruppo", "groupe", "groep", "taldea", "ομάδα", "група",
        "группы", "группа", "المجموعة", "گروپ", "グループ", "그룹", "小组", "群組",
    }
)  # fmt: skip
STATUS_TITLES = frozenset(
    {
        "status", "statut", "estado", "estat", "stato", "egoera", "κατάσταση", "статус", "الحالة", "حالت",
        "ステータス", "상태", "状态", "狀態",
    }
)  # fmt: skip
"""The column behind the participant's name, or behind the number where names are hidden."""


NO = frozenset(
    {
        "no", "nein", "non", "não", "nee", "nej", "nei", "ei", "ez", "nu", "ne", "nie", "nem", "hayır", "tidak",
        "không", "όχι", "нет", "не", "ні", "لا", "نہیں", "خیر", "לא", "नहीं", "ไม่", "いいえ", "아니오", "아니요", "否",
    }
)  # fmt: skip
YES = frozenset(
    {
        "yes", "ja", "oui", "sí", "si", "sì", "sim", "bai", "da", "kyllä", "jah", "tak", "ano", "áno", "igen", "evet",
        "ya", "có", "ναι", "да", "так", "نعم", "ہاں", "بله", "כן", "हाँ", "ใช่", "はい", "예", "네", "是", "是的",
    }
)  # fmt: skip


def is_no_in_known_language(cell: str) -> bool:
    """Return whether a cell says no; an unknown word does not.

    >>> is_no_in_known_language(" Nein "), is_no_in_known_language("maybe")
    (True, False)
    """
    return cell.strip().casefold() in NO


def _are_all_yes_or_no(cells: Iterable[str]) -> bool:
    """Return whether each cell says yes or no."""
    return all(cell.strip().casefold() in NO | YES for cell in cells)


NUMBER = re.compile(r"\d{1,12}(?:[.,]\d{1,10})?")


def try_parse_number(cell: str) -> Decimal | None:
    """Return the number in a cell; None if the cell holds anything else.

    >>> try_parse_number("17,5"), try_parse_number("-"), try_parse_number("1.234,5")
    (Decimal('17.5'), None, None)
    """
    return Decimal(cell.strip().replace(",", ".")) if NUMBER.fullmatch(cell.strip()) else None


def format_number(number: Decimal, decimal_mark: str) -> str:
    """Return a number written as short as it can be: 20, 17.5 or 17,5.

    >>> format_number(Decimal("20.00"), ","), format_number(Decimal("17.50"), ",")
    ('20', '17,5')
    """
    text = f"{number:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", decimal_mark)


NUMBERED = re.compile(r"(.*?)(?<!\d)(\d++)\s*", re.S)
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
        return tuple(column for column in (self.max_grade + 1, self.max_grade + 2) if column < self.width)

    @property
    def possible_team_columns(self) -> tuple[int, ...]:
        """Return where a team's name may stand: before the grade, or before the marker's name in front of the grade.

        The first columns are the participant's number, and the full name or the status.
        """
        return tuple(column for column in (self.grade - 1, self.grade - 2) if column > 1)


def require_participant_rows(sheet: EditableCsv) -> list[tuple[int, SheetRow]]:
    """Return the rows of a worksheet that hold a participant, each with its place in the sheet.

    Raises:
        CallerFault: no row holds a participant, or a row does not begin with a participant's number.
    """
    participant_rows = [
        (row_index, row) for row_index, row in enumerate(sheet.rows) if row_index and any(map(str.strip, row.cells))
    ]
    for _, row in participant_rows:
        if not NUMBERED.fullmatch(row.cells[0]):
            location = f"{sheet.name}, line {row.line}"
            raise CallerFault(
                "the row does not begin with a participant's number, such as 'Participant 7'", location, ADVICE
            )
    if not participant_rows:
        raise CallerFault("the worksheet holds no participant", sheet.name, ADVICE)
    return participant_rows


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
    cells = [[row.cells[column] if column < len(row.cells) else "" for row in rows] for column in range(width)]
    column_by_title = {title.strip().casefold(): column for column, title in enumerate(header)}
    full_marks_columns = [column for column in range(2, width - 1) if _are_full_marks(cells, column)]
    if title := settings.get("grade_column", ""):
        grade = _get_named_column(title, column_by_title, sheet)
    elif full_marks_columns:
        grade = full_marks_columns[-1] - 1  # the last: a student's own field may look like one, and stands before
    elif (column := column_by_title.get("grade", 0)) and all(
        try_parse_number(cell) is not None for cell in cells[column] if cell
    ):
        grade = column
    else:
        raise CallerFault(
            f"no column of grades stands beside full marks among {_format_titles(header)}",
            sheet.name,
            "name it with --set grade_column='...'; an assignment graded with a scale has none",
        )
    max_grade = grade + 1 if grade + 1 in full_marks_columns else None
    columns_after_max_grade = range(0) if max_grade is None else range(max_grade + 1, min(max_grade + 3, width))
    changeable = next((column for column in columns_after_max_grade if _are_all_yes_or_no(cells[column])), None)
    return WorksheetColumns(
        width,
        grade,
        max_grade,
        changeable,
        *_find_columns_after_grade(grade, cells, column_by_title, settings, sheet),
    )


def _are_full_marks(cells: Sequence[Sequence[str]], column: int) -> bool:
    """Return whether a column repeats one positive number, right of grades or blank cells and left of words."""
    full_marks = try_parse_number(cells[column][0])
    if not full_marks or any(cell != cells[column][0] for cell in cells[column]):
        return False
    grades, next_cells = [cell for cell in cells[column - 1] if cell.strip()], cells[column + 1]
    return all(try_parse_number(cell) is not None for cell in grades) and all(
        cell.strip() and try_parse_number(cell) is None for cell in next_cells
    )


def _find_columns_after_grade(
    grade: int,
    cells: Sequence[Sequence[str]],
    column_by_title: Mapping[str, int],
    settings: Mapping[str, str],
    sheet: EditableCsv,
) -> tuple[int | None, int | None]:
    """Find grade dates and comments: the last column has comments if it holds no dates and the one before it does."""
    last_column = len(cells) - 1
    grade_date, feedback_comment = (
        column_by_title.get("last modified (grade)"),
        column_by_title.get("feedback comments"),
    )
    if _are_all_dates_or_dashes(cells[last_column]):
        grade_date = last_column
    elif last_column - 1 > grade and _are_all_dates_or_dashes(cells[last_column - 1]):
        grade_date, feedback_comment = last_column - 1, last_column
    if title := settings.get("feedback_column", ""):
        feedback_comment = _get_named_column(title, column_by_title, sheet)
    return grade_date, feedback_comment


def _are_all_dates_or_dashes(cells: Sequence[str]) -> bool:
    """Return whether each cell is a day and a time, in any language, or the ``-`` that Moodle writes for none."""
    return all(cell.strip() == "-" or _looks_like_date(cell) for cell in cells)


ENGLISH = "set your language in Moodle to English, and download the worksheet again"
DATE_FORMATS = (
    "%A, %d %B %Y, %I:%M %p",
    "%A, %B %d, %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%A, %B %d, %Y, %H:%M",
    "%Y-%m-%d %H:%M",
)
"""How Moodle writes dates in English, in English of the United States, and on a clock of 24 hours; and the kit."""


def try_parse_english_date(cell: str) -> datetime | None:
    """Return the minute that a date names, in the teacher's time zone; None for dates in other languages.

    >>> str(try_parse_english_date("Friday, 20 November 2026, 2:18 PM")), try_parse_english_date("20. November 2026")
    ('2026-11-20 14:18:00', None)
    """
    for date_format in DATE_FORMATS:
        with suppress(ValueError):
            return datetime.strptime(" ".join(cell.split()), date_format)
    return None


def _looks_like_date(cell: str) -> bool:
    numbers = re.findall(r"\d+", cell)
    return len(cell) < 80 and len(numbers) >= 3 and any(len(number) == 4 for number in numbers)


def _get_named_column(title: str, column_by_title: Mapping[str, int], sheet: EditableCsv) -> int:
    column = column_by_title.get(title.strip().casefold(), 0)
    if not column:
        raise CallerFault(
            f"the worksheet has no column '{escape_for_display(title, 60)}'",
            sheet.name,
            f"choose from {_format_titles(sheet.rows[0].cells)}",
        )
    return column


def _format_titles(header: Sequence[str]) -> str:
    return join_with_and([f"'{escape_for_display(title, 40)}'" for title in header[:20]])

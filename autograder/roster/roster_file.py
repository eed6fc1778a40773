"""Read the file of the course's list, row by row, whichever program wrote it."""

from __future__ import annotations

from autograder.csv_sheet import CsvSheet
from autograder.faults import CallerFault
from autograder.roster.lti_member_list_file import parse_lti_student_table_if_json
from autograder.roster.row_fields import CERTAIN_ID_COLUMNS, FIRST_NAME_COLUMNS, LAST_NAME_COLUMNS, LOGIN_COLUMNS
from autograder.safe_text import make_file_name_collision_key

POINTS_POSSIBLE = "Points Possible"
"""What a row of Canvas's gradebook begins with that is no student's."""


def parse_roster_rows(file_content: bytes, file_name_in_messages: str) -> list[dict[str, str]]:
    """Return a row per student, by column; the first cell of each is what the course calls the student.

    Args:
        file_content: CSV with a header, in UTF-8 or in UTF-16 with a byte order mark, such as a platform's own
            export; or JSON, a platform's list of members.
        file_name_in_messages: the file's name, for messages.

    Raises:
        CallerFault: the content is not such a table, or two rows begin alike.
    """
    cells = parse_lti_student_table_if_json(file_content, file_name_in_messages) or [
        [*row.cells] for row in CsvSheet(file_content, file_name_in_messages).rows
    ]
    table = [[cell.strip() for cell in row] for row in cells]
    header, *rows = _with_key_first(table)
    keys = [cell or f"column {number}" for number, cell in enumerate(header, start=1)]
    filled = [row for row in rows if row and row[0] and row[0] != POINTS_POSSIBLE]
    seen: set[str] = set()
    for row in filled:
        if make_file_name_collision_key(row[0]) in seen:
            raise CallerFault(
                f"has two rows for '{row[0]}'",
                where=file_name_in_messages,
                advice="keep one, or put a column first that differs",
            )
        seen.add(make_file_name_collision_key(row[0]))
    return [dict(zip(keys, [*row, *[""] * len(keys)], strict=False)) for row in filled]


def _with_key_first(table: list[list[str]]) -> list[list[str]]:
    """Return the table; if it begins with parts of names, move a column that tells students apart to the front."""
    header, *rows = table
    if header[0].casefold() not in (*FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS):
        return table
    columns = {place: [row[place] if place < len(row) else "" for row in rows] for place in range(len(header))}
    keys = [
        place
        for place, cells in columns.items()
        if all(cells)
        and (header[place].casefold() in (*CERTAIN_ID_COLUMNS, *LOGIN_COLUMNS) or all("@" in cell for cell in cells))
    ]
    if not keys:
        return table
    return [[*row[keys[0] : keys[0] + 1], *row[: keys[0]], *row[keys[0] + 1 :]] for row in table]

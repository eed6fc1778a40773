"""Write decisions as an editable table, and read the changes made in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import get_args

from autograder.decisions.decision_model import Decision, Kind
from autograder.editable_csv import EditableCsv, SheetRow
from autograder.faults import CallerFault
from autograder.formula_injection import neutralize_formula, restore_formula
from autograder.safe_text import escape_for_display

COLUMNS = ("id", "kind", "who", "subject", "value", "reason", "author", "decided_at", "undo")
EVERYONE_CELL = "everyone"
YES_WORDS = ("yes", "y", "1", "true", "x")
EDITABLE = ("value", "reason")


@dataclass(frozen=True, slots=True)
class RequestedDecisionChange:
    """A change that a row of the table requests."""

    row_location: str
    """File and line, for messages."""
    decision: Decision
    """A new decision, not checked yet; or the decision to be undone."""
    is_undo: bool = False


def encode_decision_sheet(decisions: Iterable[Decision]) -> bytes:
    """Return decisions as CSV; no cell is a formula to a spreadsheet."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for decision in decisions:
        cells = (
            decision.kind,
            decision.who or EVERYONE_CELL,
            decision.subject,
            decision.value,
            decision.reason,
            decision.author,
            decision.decided_at,
        )
        writer.writerow([decision.id, *map(_format_cell, cells), ""])
    return text.getvalue().encode()


def iterate_requested_decision_changes(
    sheet_content: bytes, file_name: str, decision_in_force_by_id: Mapping[int, Decision]
) -> Iterator[RequestedDecisionChange]:
    """Yield the changes that the rows of a table request.

    A row without an id is a new decision. One whose value or reason was edited is a new decision, too, in place of
    the old one. ``yes`` in the column ``undo`` undoes it. Rows that are missing change nothing.

    Args:
        sheet_content: the file.
        file_name: its name, for messages.
        decision_in_force_by_id: the decisions that are in force, by number.

    Raises:
        CallerFault: it is not such a table; the message names the line.
    """
    sheet = EditableCsv(sheet_content, file_name, by_hand=True)
    header = [cell.strip().casefold() for cell in sheet.rows[0].cells]
    for column in ("kind", "who", "value"):
        if header.count(column) != 1:
            raise CallerFault(
                f"the table has no column {column}", f"{file_name}:1", f"begin it with the line {','.join(COLUMNS)}"
            )
    for row in sheet.rows[1:]:
        if any(cell.strip() for cell in row.cells):
            texts = [restore_formula(cell.replace("\r\n", "\n")) for cell in row.cells]
            cells = dict(zip(header, [*texts, *[""] * len(header)], strict=False))
            yield from _read_row(row, cells, f"{file_name}:{row.line}", decision_in_force_by_id)


def _read_row(
    row: SheetRow, cells: Mapping[str, str], row_location: str, decision_in_force_by_id: Mapping[int, Decision]
) -> Iterator[RequestedDecisionChange]:
    number, undo = cells.get("id", "").strip(), cells.get("undo", "").strip().casefold()
    if undo and undo not in YES_WORDS:
        raise CallerFault(
            f"unknown value '{escape_for_display(undo, 40)}' in the column undo",
            row_location,
            "write yes, or nothing",
        )
    new_decision = _parse_decision(cells, row_location)
    if not number:
        yield RequestedDecisionChange(row_location, new_decision)
        return
    if not number.isdecimal() or int(number) not in decision_in_force_by_id:
        raise CallerFault(
            f"decision {escape_for_display(number, 20)} is not in force",
            row_location,
            "write a new table with `decide list --csv`",
        )
    old_decision = decision_in_force_by_id[int(number)]
    if (new_decision.kind, new_decision.who, new_decision.subject) != (
        old_decision.kind,
        old_decision.who,
        old_decision.subject,
    ):
        raise CallerFault(
            f"the row changes whom or what decision {number} is about",
            row_location,
            "undo it, and add a row without id",
        )
    if undo:
        yield RequestedDecisionChange(row_location, old_decision, is_undo=True)
    elif any(
        cells.get(name) is not None and getattr(new_decision, name) != getattr(old_decision, name)
        for name in EDITABLE
    ):
        if not old_decision.replaces_earlier:
            yield RequestedDecisionChange(row_location, old_decision, is_undo=True)
        yield RequestedDecisionChange(
            row_location,
            replace(new_decision, reason=new_decision.reason if "reason" in cells else old_decision.reason),
        )


def _parse_decision(cells: Mapping[str, str], row_location: str) -> Decision:
    kind = cells["kind"].strip().casefold()
    for valid_kind in get_args(Kind):
        if valid_kind == kind:
            who = cells["who"].strip()
            if not who:
                raise CallerFault(
                    "the row names no student and no submission", row_location, f"write a name, or {EVERYONE_CELL}"
                )
            who = "" if who.casefold() == EVERYONE_CELL else who
            subject, value, reason = (cells.get(name, "").strip() for name in ("subject", "value", "reason"))
            return Decision(valid_kind, who, subject, value, reason)
    kinds = ", ".join(get_args(Kind))
    raise CallerFault(
        f"unknown kind of decision '{escape_for_display(kind, 40)}'", row_location, f"choose from {kinds}"
    )


def _format_cell(text: str) -> str:
    is_number = text.removeprefix("-").replace(".", "", 1).isdecimal()
    return text if is_number else neutralize_formula(text)

"""Check decisions, and read them from a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from typing import get_args

from autograder.course.deadline_rules import DeadlineRules, format_time_for_people
from autograder.decisions.decision_model import (
    EVERYONE,
    Decision,
    Kind,
    compute_moved_deadline,
    normalize_extension,
    normalize_moment_to_iso,
    normalize_points,
)
from autograder.faults import CallerFault
from autograder.reports import ScoreReport
from autograder.reports.wording import format_points
from autograder.tables import EditableCsv, SheetRow
from autograder.text import escape_for_display, neutralize_formula, restore_formula

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


MOST_CHARACTERS = 5000


def check_and_normalize_decision(
    written_decision: Decision,
    report_by_submission_id: Mapping[str, ScoreReport],
    deadline_rules: DeadlineRules,
    now: datetime,
    source_location: str = "",
) -> Decision:
    """Check a decision, and return it with a normalized value.

    Args:
        deadline_rules: the deadlines of ``grading.yml``, or of an LMS, before decisions.
        now: when it is decided.
        source_location: where it was written, for messages; if empty, the decision's student or submission,
            or ``everyone``.

    Raises:
        CallerFault: it is invalid; the message says what is wrong.
    """
    source_location = source_location or escape_for_display(written_decision.who, 80) or "everyone"
    reason = written_decision.reason.strip()
    for text_name, text in (("reason", reason), ("text", written_decision.value.strip())):
        check_text_length(text_name, text, source_location)
    if written_decision.kind in ("override", "exempt", "extend", "reopen") and not reason:
        raise CallerFault(
            "the decision has no reason", source_location, "give one with --reason; the audit log keeps it"
        )
    match written_decision.kind:
        case "override":
            value = _check_score(
                written_decision,
                _require_report(written_decision, report_by_submission_id, source_location),
                source_location,
            )
        case "points":
            _require_report(written_decision, report_by_submission_id, source_location)
            if not written_decision.subject.strip():
                raise CallerFault(
                    "the decision does not say what the points are for", source_location, "name it, such as style"
                )
            value = normalize_points(written_decision.value, source_location)
        case "comment":
            _require_report(written_decision, report_by_submission_id, source_location)
            value = written_decision.value.strip()
            if not value:
                raise CallerFault("the comment is empty", source_location, "write what the student is to read")
        case "exempt":
            _check_test(written_decision, report_by_submission_id, source_location)
            value = ""
        case "extend":
            value = _check_extension(written_decision, deadline_rules, source_location)
        case "reopen":
            value = (
                normalize_moment_to_iso(written_decision.value, deadline_rules.default_zone, source_location)
                if written_decision.value.strip()
                else ""
            )
            if value and datetime.fromisoformat(value) <= now:
                raise CallerFault(
                    f"the attempt would end in the past: {value}", source_location, "name a time in the future"
                )
    return replace(written_decision, subject=written_decision.subject.strip(), value=value, reason=reason)


def check_text_length(text_name: str, text: str, source_location: str = "") -> None:
    """Check that a text of a decision is not too long.

    Raises:
        CallerFault: it is, by this name.
    """
    if len(text) > MOST_CHARACTERS:
        problem = f"the {text_name} has {len(text):,} characters, and may have {MOST_CHARACTERS:,}"
        raise CallerFault(problem, source_location, "shorten it")


def _require_report(
    decision: Decision, report_by_submission_id: Mapping[str, ScoreReport], source_location: str
) -> ScoreReport:
    if decision.who not in report_by_submission_id:
        raise CallerFault("the submission has no report yet", source_location, "run `autograder batch` first")
    return report_by_submission_id[decision.who]


def _check_score(decision: Decision, report: ScoreReport, source_location: str) -> str:
    max_scores = {concept.name: concept.max_score for concept in report.concepts}
    concept = decision.subject.strip()
    if concept and concept not in max_scores:
        raise CallerFault(
            f"unknown concept '{escape_for_display(concept, 80)}'",
            source_location,
            f"choose from {', '.join(max_scores)}",
        )
    value = normalize_points(decision.value, source_location)
    max_score = max_scores[concept] if concept else report.max_score
    if not 0 <= float(value) <= max_score:
        concept_phrase = f" of {concept}" if concept else ""
        message = (
            f"the score must be between 0 and the {format_points(max_score)} points{concept_phrase}, not {value}"
        )
        raise CallerFault(message, source_location)
    return value


def _check_test(decision: Decision, report_by_submission_id: Mapping[str, ScoreReport], source_location: str) -> None:
    reports = (
        [_require_report(decision, report_by_submission_id, source_location)]
        if decision.who != EVERYONE
        else report_by_submission_id.values()
    )
    test_ids = {test.id for report in reports for test in report.tests}
    if decision.subject.strip() not in test_ids:
        near_ids = get_close_matches(decision.subject, sorted(test_ids), 3)
        advice = f"did you mean {' or '.join(near_ids)}?" if near_ids else "name it as the report does"
        raise CallerFault(f"unknown test '{escape_for_display(decision.subject, 80)}'", source_location, advice)


def _check_extension(decision: Decision, deadline_rules: DeadlineRules, source_location: str) -> str:
    if deadline_rules.deadline is None:
        raise CallerFault(
            "the assignment has no deadline to extend", source_location, "write `deadline:` into grading.yml"
        )
    value = normalize_extension(decision.value, deadline_rules.default_zone, source_location)
    if compute_moved_deadline(deadline_rules.deadline, value).timestamp() <= deadline_rules.deadline.timestamp():
        raise CallerFault(
            f"{value} is not after the deadline, which is {format_time_for_people(deadline_rules.deadline)}",
            source_location,
            "choose a later time",
        )
    return value

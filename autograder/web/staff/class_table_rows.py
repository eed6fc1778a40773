"""Make the staff's table of a class: a row for each student or team, filtered and sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograder.batch.personalized_reports import PersonalizedEntry
from autograder.lateness import select_counting_submissions
from autograder.reports import ScoreReport
from autograder.store.web.account_tables import Enrolment
from autograder.store.web.hand_in_table import HandIn, make_owner_name
from autograder.web.stored_class_results import StoredClassResults
from autograder.web.student_display_names import StudentDisplayNames

SHOWN = {"": "everybody", "look": "worth a look", "none": "nothing handed in", "waiting": "waiting"}
"""The table's filters, with their labels."""


@dataclass(frozen=True, slots=True)
class ClassTableRow:
    """A student, or a team."""

    members: tuple[Enrolment, ...]
    hand_ins: list[HandIn]
    report: ScoreReport | None
    """The report of the attempt that counts; None while nothing was graded."""
    look: tuple[str, ...]
    """Why a person should look at it."""

    def mask_members_if_graded_anonymously(self, display_names: StudentDisplayNames) -> ClassTableRow:
        """Return the row with names, or with pseudonyms in their place."""
        members = [display_names.mask_person(one) for one in self.members]
        return replace(self, members=tuple(sorted(members, key=_login) if display_names.are_hidden else members))

    @property
    def joined_logins(self) -> str:
        """Return who it is, by login."""
        return " + ".join(one.login for one in self.members)

    @property
    def joined_names(self) -> str:
        """Return who it is, by name."""
        return " + ".join(one.name for one in self.members)

    @property
    def enrolled_member_if_any(self) -> Enrolment | None:
        """Return a member who is in the course now; None if all have left."""
        return next((one for one in self.members if one.account), None)

    @property
    def last_hand_in_state_or_empty(self) -> str:
        """Return the state of the last attempt; empty if there is none."""
        return self.hand_ins[-1].state if self.hand_ins else ""


SORTS: dict[str, Callable[[ClassTableRow], Any]] = {
    "name": lambda row: row.joined_names.casefold(),
    "attempts": lambda row: len(row.hand_ins),
    "last": lambda row: row.hand_ins[-1].handed_in.timestamp() if row.hand_ins else 0.0,
    "state": lambda row: row.last_hand_in_state_or_empty,
    "score": lambda row: row.report.score if row.report else -1.0,
    "final": lambda row: row.report.final.total if row.report else -1.0,
    "look": lambda row: -len(row.look),
}
"""The columns that the table can be sorted by."""


def make_class_table_rows(
    results: StoredClassResults, students: Sequence[Enrolment], hand_ins: Iterable[HandIn]
) -> list[ClassTableRow]:
    """Return a row for each team, and for each student without one.

    Hand-ins of students who left, and of teams whose members changed since, have rows of their own.

    Args:
        results: the results of the class.
        students: the present students of the course.
        hand_ins: the hand-ins, in the order of arrival.
    """
    entries = results.entries_by_submission_id
    by_owner: dict[str, list[HandIn]] = {}
    for one in hand_ins:
        by_owner.setdefault(one.owner, []).append(one)
    times = results.class_report_context.submission_times
    totals = [(one.report.submission.id, one.report.final.total) for one in entries.values()]
    counts = (
        select_counting_submissions(totals, times, results.assignment.deadline_rules.which_attempt_counts)
        if times
        else set()
    )
    teams: dict[str, list[Enrolment]] = {}
    for student in students:
        teams.setdefault((student.team and f"team {student.team}") or student.login, []).append(student)
    owners = {make_owner_name(team): tuple(team) for team in teams.values()}
    known = {one.login: one for one in students}
    for owner in by_owner.keys() - owners.keys():  # students who left, and teams that changed
        owners[owner] = tuple(known.get(login) or Enrolment(0, login, login, "student") for login in owner.split("+"))
    return [_row(team, by_owner.get(owner, []), entries, counts) for owner, team in owners.items()]


def filter_and_sort_rows(
    rows: Iterable[ClassTableRow], search_text: str, row_filter: str, sort_column: str, descending: bool
) -> list[ClassTableRow]:
    """Return the rows that match the search text and the filter, sorted by a column."""
    wanted = search_text.casefold().split()
    chosen = [
        row
        for row in rows
        if all(word in f"{row.joined_names} {row.joined_logins}".casefold() for word in wanted)
        and _is_shown(row, row_filter)
    ]
    return sorted(sorted(chosen, key=SORTS["name"]), key=SORTS.get(sort_column, SORTS["look"]), reverse=descending)


def _row(
    team: tuple[Enrolment, ...],
    hand_ins: list[HandIn],
    entries: dict[str, PersonalizedEntry],
    counts: set[str],
) -> ClassTableRow:
    graded = [entries[one.submission] for one in hand_ins if one.submission in entries]
    counting = next((one.report for one in graded if one.report.submission.id in counts), None)
    report = counting or (graded[-1].report if graded else None)
    last = graded[-1].report if graded else None
    return ClassTableRow(team, hand_ins, report, tuple(_worth_a_look(hand_ins, report, last)))


def _login(person: Enrolment) -> str:
    return person.login


def _worth_a_look(hand_ins: list[HandIn], report: ScoreReport | None, last: ScoreReport | None) -> Iterable[str]:
    """Yield the reasons why the staff should look at a student or team.

    Args:
        hand_ins: their hand-ins.
        report: the report of the attempt that counts.
        last: the report of the last attempt; if it could not be graded, it may be the one that should have counted.
    """
    if any(one.state == "failed" for one in hand_ins):
        yield "the grader failed"
    if report is None:
        return
    if report.status.outcome != "graded":
        yield report.status.outcome
    if report.status.provisional:
        yield "provisional"
    if report.grader_error_count:
        yield "grader error in a test"
    if last and last.submission.id != report.submission.id and last.status.outcome != "graded":
        yield f"last attempt: {last.status.outcome}"


def _is_shown(row: ClassTableRow, shown: str) -> bool:
    match shown:
        case "look":
            return bool(row.look)
        case "none":
            return not row.hand_ins
        case "waiting":
            return row.last_hand_in_state_or_empty in ("queued", "grading")
        case _:
            return True

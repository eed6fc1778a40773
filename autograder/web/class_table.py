"""Make the staff's table of a class: a row for each student or team, filtered and sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from autograder.batch.personalized_reports import PersonalizedEntry
from autograder.lateness import CountingReason, explain_counting_submissions
from autograder.lateness.counted_submissions import format_counting_cell
from autograder.reports import ScoreReport
from autograder.submissions.origin import TOGETHER
from autograder.web.names import StudentDisplayNames
from autograder.web.results import EffectiveClassResults
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import HandIn, make_owner_name


@dataclass(frozen=True, slots=True)
class ClassTableRow:
    """A student, or a team."""

    members: tuple[Enrolment, ...]
    hand_ins: list[HandIn]
    report: ScoreReport | None
    """The report of the attempt that counts; None while nothing was graded."""
    look: tuple[str, ...]
    """Why a person should look at it."""
    counting_cell: str = ""
    """Which attempt counts, and why; empty while nothing was graded."""

    def mask_members_if_graded_anonymously(self, display_names: StudentDisplayNames) -> ClassTableRow:
        """Return the row with names, or with pseudonyms in their place."""
        members = [display_names.mask_person(member) for member in self.members]
        shown = sorted(members, key=attrgetter("login")) if display_names.are_hidden else members
        return replace(self, members=tuple(shown))

    @property
    def joined_logins(self) -> str:
        """Return who it is, by login."""
        return " + ".join(member.login for member in self.members)

    @property
    def joined_names(self) -> str:
        """Return who it is, by name."""
        return " + ".join(member.name for member in self.members)

    @property
    def first_enrolled_member(self) -> Enrolment | None:
        """Return the first member who is in the course now; None if all have left."""
        return next((member for member in self.members if member.account), None)

    @property
    def last_hand_in_state(self) -> str:
        """Return the state of the last attempt; empty if there is none."""
        return self.hand_ins[-1].state if self.hand_ins else ""


SORTS: dict[str, Callable[[ClassTableRow], Any]] = {
    "name": lambda row: row.joined_names.casefold(),
    "attempts": lambda row: len(row.hand_ins),
    "last": lambda row: row.hand_ins[-1].handed_in.timestamp() if row.hand_ins else 0.0,
    "state": lambda row: row.last_hand_in_state,
    "score": lambda row: row.report.score if row.report else -1.0,
    "final": lambda row: row.report.final.total if row.report else -1.0,
    "look": lambda row: -len(row.look),
}
"""The columns that the table can be sorted by."""
SHOWN: dict[str, tuple[str, Callable[[ClassTableRow], bool]]] = {
    "": ("everybody", lambda row: True),
    "look": ("worth a look", lambda row: bool(row.look)),
    "none": ("nothing handed in", lambda row: not row.hand_ins),
    "waiting": ("waiting", lambda row: row.last_hand_in_state in ("queued", "grading")),
}
"""The table's filters: a label, and which rows are shown."""


def make_class_table_rows(
    results: EffectiveClassResults, students: Sequence[Enrolment], hand_ins: Iterable[HandIn]
) -> list[ClassTableRow]:
    """Return a row for each team, and for each student without one.

    Hand-ins of students who left, and of teams whose members changed since, have rows of their own.

    Args:
        results: the results of the class.
        students: the present students of the course.
        hand_ins: the hand-ins, in the order of arrival.
    """
    entries = results.entries_by_submission_id
    hand_ins_by_owner: dict[str, list[HandIn]] = {}
    for hand_in in hand_ins:
        hand_ins_by_owner.setdefault(hand_in.owner, []).append(hand_in)
    times = results.report_personalization_context.submission_times
    totals = [(entry.report.submission.id, entry.report.final.total) for entry in entries.values()]
    counting = (
        explain_counting_submissions(totals, times, results.assignment.deadline_rules.which_attempt_counts)
        if times
        else {}
    )
    teams: dict[str, list[Enrolment]] = {}
    for student in students:
        teams.setdefault((student.team and f"team {student.team}") or student.login, []).append(student)
    members_by_owner = {make_owner_name(team): tuple(team) for team in teams.values()}
    student_by_login = {student.login: student for student in students}
    for owner in hand_ins_by_owner.keys() - members_by_owner.keys():  # students who left, and teams that changed
        members_by_owner[owner] = tuple(
            student_by_login.get(login) or Enrolment(0, login, login, "student") for login in owner.split(TOGETHER)
        )
    return [
        _make_row(team, hand_ins_by_owner.get(owner, []), entries, counting)
        for owner, team in members_by_owner.items()
    ]


def filter_and_sort_rows(
    rows: Iterable[ClassTableRow], search_text: str, row_filter: str, sort_column: str, descending: bool
) -> list[ClassTableRow]:
    """Return the rows that match the search text and the filter, sorted by a column."""
    _, is_shown = SHOWN.get(row_filter, SHOWN[""])
    search_words = search_text.casefold().split()
    matching_rows = [
        row
        for row in rows
        if is_shown(row)
        and all(word in f"{row.joined_names} {row.joined_logins}".casefold() for word in search_words)
    ]
    return sorted(
        sorted(matching_rows, key=SORTS["name"]), key=SORTS.get(sort_column, SORTS["look"]), reverse=descending
    )


def _make_row(
    team: tuple[Enrolment, ...],
    hand_ins: list[HandIn],
    entries: dict[str, PersonalizedEntry],
    counting: dict[str, tuple[CountingReason, ...]],
) -> ClassTableRow:
    graded = [(hand_in, entries[hand_in.submission].report) for hand_in in hand_ins if hand_in.submission in entries]
    last_report = report = graded[-1][1] if graded else None
    counting_cell = ""
    for hand_in, graded_report in graded:
        if hand_in.submission in counting and not counting_cell:
            report = graded_report
            counting_cell = format_counting_cell(hand_in.attempt, counting[hand_in.submission])
    look = tuple(_iterate_look_reasons(hand_ins, report, last_report))
    return ClassTableRow(team, hand_ins, report, look, counting_cell)


def _iterate_look_reasons(
    hand_ins: list[HandIn], report: ScoreReport | None, last_report: ScoreReport | None
) -> Iterable[str]:
    """Yield the reasons why the staff should look at a student or team.

    Args:
        hand_ins: their hand-ins.
        report: the report of the attempt that counts.
        last_report: the report of the last attempt; if that could not be graded, it may be the one that should have
            counted.
    """
    if any(hand_in.state == "failed" for hand_in in hand_ins):
        yield "the grader failed"
    if report is None:
        return
    if report.status.outcome != "graded":
        yield report.status.outcome
    if report.status.provisional:
        yield "provisional"
    if report.grader_error_count:
        yield "grader error in a test"
    if last_report and last_report.submission.id != report.submission.id and last_report.status.outcome != "graded":
        yield f"last attempt: {last_report.status.outcome}"

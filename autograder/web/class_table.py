"""Make the staff's table of a class: a row for each student or team, filtered and sorted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Any

from autograder.class_reports.submission_summaries import SubmissionSummary
from autograder.lateness import CountingReason, explain_counting_submissions
from autograder.lateness.counted_submissions import format_counting_cell
from autograder.submissions.origin import TOGETHER
from autograder.text import escape_name_unambiguously
from autograder.web.class_summaries import load_class_summaries
from autograder.web.listing import fold_for_search
from autograder.web.names import StudentDisplayNames
from autograder.web.results import EffectiveClassResults
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import HandIn, make_owner_name
from autograder.web.store.roll import CourseMember


@dataclass(frozen=True, slots=True)
class ClassTableRow:
    """A student, or a team."""

    members: tuple[Enrolment, ...]
    hand_ins: list[HandIn]
    summary: SubmissionSummary | None
    """The result of the attempt that counts; None while nothing was graded."""
    look: tuple[str, ...]
    """Why a person should look at it."""
    counting_cell: str = ""
    """Which attempt counts, and why; empty while nothing was graded."""
    counted: HandIn | None = None
    """The attempt that counts; None while nothing was graded."""

    def mask_members_if_graded_anonymously(self, display_names: StudentDisplayNames) -> ClassTableRow:
        """Return the row with names, or with pseudonyms in their place."""
        if not display_names.are_hidden:
            return self
        members = map(display_names.mask_person, self.members)
        return replace(self, members=tuple(sorted(members, key=attrgetter("login"))))

    @property
    def joined_logins(self) -> str:
        """Return who it is, by login."""
        return " + ".join(member.login for member in self.members)

    @property
    def joined_names(self) -> str:
        """Return who it is, by name."""
        return " + ".join(member.name for member in self.members)

    @property
    def mistakes(self) -> tuple[str, ...]:
        """Return the mistakes of the attempt that counts, by title."""
        if self.summary is None:
            return ()
        return (*self.summary.mistakes, *((NO_NAME,) if self.summary.is_wrong_without_name else ()))

    def is_found_by(self, words: Sequence[str]) -> bool:
        """Return whether each of some words, as ``fold_for_search`` makes them, is in a name, login or address."""
        addresses = " ".join(member.address for member in self.members if isinstance(member, CourseMember))
        searched = fold_for_search(f"{self.joined_names} {self.joined_logins} {addresses}")
        return all(word in searched for word in words)

    @property
    def first_enrolled_member(self) -> Enrolment | None:
        """Return the first member who is in the course now; None if all have left."""
        return next((member for member in self.members if member.account), None)

    @property
    def last_hand_in_state(self) -> str:
        """Return the state of the last attempt; empty if there is none."""
        return self.hand_ins[-1].state if self.hand_ins else ""


SORTS: dict[str, Callable[[ClassTableRow], Any]] = {
    "name": lambda row: fold_for_search(row.joined_names),
    "attempts": lambda row: len(row.hand_ins),
    "last": lambda row: row.hand_ins[-1].handed_in.timestamp() if row.hand_ins else 0.0,
    "state": lambda row: row.last_hand_in_state,
    "score": lambda row: row.summary.score if row.summary else -1.0,
    "final": lambda row: row.summary.total if row.summary else -1.0,
    "look": lambda row: -len(row.look),
}
"""The columns that the table can be sorted by."""
SHOWN: dict[str, tuple[str, Callable[[ClassTableRow], bool]]] = {
    "": ("everybody", lambda row: True),
    "look": ("worth a look", lambda row: bool(row.look)),
    "none": ("nothing handed in", lambda row: not row.hand_ins),
    "waiting": ("waiting", lambda row: row.last_hand_in_state in ("queued", "grading")),
    "ungraded": ("handed in, without a result", lambda row: bool(row.hand_ins) and row.summary is None),
    "late": ("late", lambda row: row.summary is not None and row.summary.is_late),
}
"""The table's filters: a label, and which rows are shown."""
NO_NAME = "a mistake without a name"


@dataclass(frozen=True, slots=True)
class ClassView:
    """Which rows of a class are shown, and in which order; its fields stand in the address of the page."""

    words: str = ""
    shown: str = ""
    section: str = ""
    mistake: str = ""
    least: str = ""
    """Points that count in the end, the bonus included; any text that is no number is no bound."""
    most: str = ""
    sort: str = "look"
    order: str = ""
    concepts: str = ""
    """``yes`` for a column of each concept."""

    @property
    def filters(self) -> dict[str, str]:
        """Return the fields that differ from those of the plain page."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) != field.default}

    def select_rows(self, rows: Iterable[ClassTableRow]) -> list[ClassTableRow]:
        """Return the rows that are shown, in order."""
        _, is_shown = SHOWN.get(self.shown, SHOWN[""])
        words, least, most = fold_for_search(self.words).split(), _read_points(self.least), _read_points(self.most)
        matching_rows = [
            row
            for row in rows
            if is_shown(row)
            and any(member.is_in_section(self.section) for member in row.members)
            and (not self.mistake or self.mistake in row.mistakes)
            and (least is None or (row.summary is not None and row.summary.total >= least))
            and (most is None or (row.summary is not None and row.summary.total <= most))
            and (not words or row.is_found_by(words))
        ]
        by_name = sorted(matching_rows, key=SORTS["name"])
        return sorted(by_name, key=SORTS.get(self.sort, SORTS["look"]), reverse=self.order == "down")


def _read_points(text: str) -> float | None:
    try:
        points = float(text.replace(",", "."))
    except ValueError:
        return None
    return points if math.isfinite(points) else None


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
    summaries = load_class_summaries(results)
    hand_ins_by_owner: dict[str, list[HandIn]] = {}
    for hand_in in hand_ins:
        hand_ins_by_owner.setdefault(hand_in.owner, []).append(hand_in)
    totals = [(escape_name_unambiguously(name), one.total) for name, one in summaries.by_submission.items()]
    which_counts = results.assignment.deadline_rules.which_attempt_counts
    times_are_known = bool(summaries.times.by_submission_id)
    counting = explain_counting_submissions(totals, summaries.times, which_counts) if times_are_known else {}
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
        _make_row(team, hand_ins_by_owner.get(owner, []), summaries.by_submission, counting)
        for owner, team in members_by_owner.items()
    ]


def _make_row(
    team: tuple[Enrolment, ...],
    hand_ins: list[HandIn],
    summaries: dict[str, SubmissionSummary],
    counting: dict[str, tuple[CountingReason, ...]],
) -> ClassTableRow:
    graded = [(hand_in, summaries[hand_in.submission]) for hand_in in hand_ins if hand_in.submission in summaries]
    last_summary = summary = graded[-1][1] if graded else None
    counting_cell = ""
    counted = graded[-1][0] if graded else None
    for hand_in, graded_summary in graded:
        if hand_in.submission in counting and not counting_cell:
            summary, counted = graded_summary, hand_in
            counting_cell = format_counting_cell(hand_in.attempt, counting[hand_in.submission])
    look = tuple(_iterate_look_reasons(hand_ins, summary, last_summary))
    return ClassTableRow(team, hand_ins, summary, look, counting_cell, counted)


def _iterate_look_reasons(
    hand_ins: list[HandIn], summary: SubmissionSummary | None, last_summary: SubmissionSummary | None
) -> Iterable[str]:
    """Yield the reasons why the staff should look at a student or team.

    Args:
        hand_ins: their hand-ins.
        summary: the result of the attempt that counts.
        last_summary: the result of the last attempt; if that could not be graded, it may be the one that should have
            counted.
    """
    if any(hand_in.state == "failed" for hand_in in hand_ins):
        yield "the grader failed"
    if summary is None:
        return
    if summary.outcome != "graded":
        yield summary.outcome
    if summary.is_provisional:
        yield "provisional"
    if summary.has_grader_error:
        yield "grader error in a test"
    if last_summary and last_summary is not summary and last_summary.outcome != "graded":
        yield f"last attempt: {last_summary.outcome}"

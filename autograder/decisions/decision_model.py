"""Define a decision of the staff, its values, and which decisions are in force."""

from __future__ import annotations

import re
import uuid
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Literal

from autograder.course.deadline_rules import InvalidTime, add_calendar_days, parse_typed_time
from autograder.faults import CallerFault
from autograder.text import escape_for_display, format_count

Kind = Literal["override", "comment", "exempt", "points", "extend", "reopen"]
ABOUT_SUBMISSIONS: tuple[Kind, ...] = ("override", "comment", "exempt", "points")
"""Kinds of decisions about a submission; the others are about a student, who may not have handed in yet."""
EVERYONE = ""
"""The value of ``who`` for the whole class."""
FOR_EVERYONE: tuple[Kind, ...] = ("exempt", "extend")
"""Kinds of decisions that can be made for the whole class."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of the staff: about whom, its value, and the reason."""

    kind: Kind
    who: str
    """The submission's id as in its report; for ``extend`` and ``reopen`` the student; ``EVERYONE`` for the class."""
    subject: str = ""
    """The concept of an ``override`` (empty: the whole score), the test of an ``exempt``, what ``points`` are for."""
    value: str = ""
    """Points, a comment, a moment (ISO 8601), or a span of time; see ``decision_values``."""
    reason: str = ""
    author: str = ""
    """The name of the person who decided, as they gave it."""
    account: str = ""
    """The user who ran the command, as this machine knows them."""
    decided_at: str = ""
    """UTC, ISO 8601."""
    sha256: str = ""
    """The digest of the files that it is about; empty if it is about no files."""
    run: str = ""
    """An id shared by all decisions of one command, and by no others."""
    id: int = 0
    """The number in the store; 0 until it is saved."""
    undone_at: str = ""
    undone_by: str = ""

    @property
    def replaces_earlier(self) -> bool:
        """Return whether it replaces an earlier decision about the same subject, which comments do not."""
        return self.kind != "comment"

    @property
    def is_undone(self) -> bool:
        """Return whether it was undone."""
        return bool(self.undone_at)


@dataclass(frozen=True, slots=True)
class DecisionProvenance:
    """The author, time and command of a decision."""

    author: str
    """The person's name, as they gave it."""
    account: str
    """The user, as this machine knows them."""
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    """An id shared by all decisions of one command, and by no others."""
    decided_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="microseconds"))

    def make_decision(
        self, kind: Kind, who: str, subject: str = "", value: str = "", reason: str = "", sha256: str = ""
    ) -> Decision:
        """Return a decision by this person; it is not saved yet."""
        return Decision(
            kind, who, subject, value, reason, self.author, self.account, self.decided_at, sha256, self.run
        )

    def mark_as_undone(self, decision: Decision) -> Decision:
        """Return a decision as it is once this person has undone it."""
        return replace(decision, undone_at=self.decided_at, undone_by=self.author)


def select_decisions_in_force(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions in force: not undone, and the last of several about the same subject.

    Args:
        decisions: in the order in which they were made. If the last one is undone, the one before is in force again.
    """
    decision_by_key: dict[tuple[str, ...], Decision] = {}
    for decision in decisions:
        if not decision.is_undone:
            key: tuple[str, ...] = (decision.kind, decision.who, decision.subject)
            if not decision.replaces_earlier:
                key = (*key, str(decision.id), decision.decided_at)
            decision_by_key[key] = decision
    return tuple(sorted(decision_by_key.values(), key=lambda decision: (decision.id, decision.decided_at)))


SPAN = re.compile(r"\s*(\d{1,4})\s*(hours?|days?)\s*", re.IGNORECASE)
"""Matches a span of time; any other value of an extension is a moment."""
MOST_POINTS = Decimal(10**6)


def normalize_points(written_points: str, source_location: str) -> str:
    """Return points in normalized form, such as ``7.5``; a decimal comma is accepted.

    Raises:
        CallerFault: the text is not a number of points with at most two decimals, or is beyond ``MOST_POINTS``.

    >>> normalize_points("7,50", "--score"), normalize_points("-0", "--score")
    ('7.5', '0')
    """
    try:
        points = Decimal(written_points.strip().replace(",", "."))
    except InvalidOperation:
        points = Decimal("NaN")
    if not points.is_finite() or abs(points) > MOST_POINTS:
        raise CallerFault(f"{written_points!r} is not a number of points", source_location, "write it as 7 or 7.5")
    if points != round(points, 2):
        raise CallerFault(
            f"{written_points} is finer than hundredths of a point", source_location, f"write {round(points, 2)}"
        )
    return format(points.normalize() + Decimal(0), "f")


def normalize_extension(written_extension: str, default_zone: tzinfo | None, source_location: str) -> str:
    """Return a moment in ISO 8601, or a span of time such as ``3 days``, in one form.

    Args:
        default_zone: the time zone of a moment that names none.

    Raises:
        CallerFault: that is neither.

    >>> normalize_extension("3 Days", UTC, "--until")
    '3 days'
    >>> normalize_extension("2025-11-21 23:59", UTC, "--until")
    '2025-11-21T23:59:00+00:00'
    """
    if span := SPAN.fullmatch(written_extension):
        number, unit = int(span[1]), span[2].lower().rstrip("s")
        if not number:
            raise CallerFault(f"the time span is zero: {written_extension}", source_location, "write it as 2 days")
        return format_count(number, unit)
    return normalize_moment_to_iso(written_extension, default_zone, source_location)


def normalize_moment_to_iso(written_moment: str, default_zone: tzinfo | None, source_location: str) -> str:
    """Return a moment in ISO 8601 with its offset from UTC.

    Raises:
        CallerFault: it is none.

    >>> normalize_moment_to_iso("2025-11-21 23:59", UTC, "--until")
    '2025-11-21T23:59:00+00:00'
    """
    try:
        return parse_typed_time(written_moment, default_zone, is_end=True).isoformat()
    except InvalidTime as error:
        raise CallerFault(
            str(error), source_location, error.advice or "write it as 2025-11-21 23:59, or as 2 days"
        ) from error


def compute_moved_deadline(deadline: datetime, moment_or_time_span: str) -> datetime:
    """Return a deadline moved by a span of time, or the moment that a value says, in the deadline's time zone.

    >>> compute_moved_deadline(datetime(2026, 11, 20, 23, 59, tzinfo=UTC), "3 days").isoformat()
    '2026-11-23T23:59:00+00:00'
    >>> compute_moved_deadline(datetime(2026, 11, 20, 23, 59, tzinfo=UTC), "2026-11-25T12:00:00+01:00").isoformat()
    '2026-11-25T11:00:00+00:00'
    """
    if span := SPAN.fullmatch(moment_or_time_span):
        number = int(span[1])
        if span[2].lower().startswith("day"):
            return add_calendar_days(deadline, number)
        return (deadline.astimezone(UTC) + timedelta(hours=number)).astimezone(deadline.tzinfo)
    return datetime.fromisoformat(moment_or_time_span).astimezone(deadline.tzinfo)


OUTWEIGHED = "not counted: the score that was set counts alone"
"""What a line says of such a decision."""


def find_outweighed_decisions(decisions_in_force: Iterable[Decision]) -> set[Decision]:
    """Return points by hand, concept points and exemptions about submissions whose whole score is set.

    A decision is left out if an attempt was reopened between it and the set score: files that were handed in since
    may have the one without the other.

    Args:
        decisions_in_force: those about a class that are in force.

    >>> style = Decision("points", "ada-1", "style", "2")
    >>> find_outweighed_decisions([style, Decision("override", "ada-1", value="80")]) == {style}
    True
    """
    decisions = [*decisions_in_force]
    reopened_times = [_get_time(decision) for decision in decisions if decision.kind == "reopen"]
    set_scores = {decision.who: decision for decision in decisions if _is_set_score(decision)}
    return {
        decision
        for decision in decisions
        if decision.kind in ABOUT_SUBMISSIONS
        and decision.kind != "comment"
        and decision.who != EVERYONE
        and not _is_set_score(decision)
        and (set_score := set_scores.get(decision.who))
        and not any(_get_time(set_score) < reopened_at <= _get_time(decision) for reopened_at in reopened_times)
    }


def _is_set_score(decision: Decision) -> bool:
    return decision.kind == "override" and not decision.subject


def _get_time(decision: Decision) -> float:
    return datetime.fromisoformat(decision.decided_at).timestamp() if decision.decided_at else 0.0


def format_decision_line(decision: Decision, outweighed_decisions: Container[Decision] = ()) -> str:
    """Return a decision as a line: ``ada: score 7, "appeal granted" (Kim)``.

    Args:
        outweighed_decisions: the decisions of which the line says that they change no mark; see
            ``find_outweighed_decisions``.
    """
    who = escape_for_display(decision.who, 80) or "everyone"
    note = f"; {OUTWEIGHED}" if decision in outweighed_decisions else ""
    reason = f', "{escape_for_display(decision.reason, 200)}"' if decision.reason else ""
    return f"{who}: {_format_content(decision)}{reason} ({escape_for_display(decision.author, 80)}){note}"


def _format_content(decision: Decision) -> str:
    subject, value = escape_for_display(decision.subject, 80), escape_for_display(decision.value, 200)
    match decision.kind:
        case "override":
            return f"{subject or 'score'} {value}"
        case "comment":
            return f"comment: {value}"
        case "exempt":
            return f"{subject} exempt"
        case "points":
            return f"{value} {'point' if value in ('1', '-1') else 'points'} for {subject}"
        case "extend":
            return f"deadline moved by {value}" if SPAN.fullmatch(value) else f"deadline {value}"
        case "reopen":
            return f"attempt reopened until {value}" if value else "attempt reopened"


@dataclass(frozen=True)
class ClassDecisionsInForce:
    """The decisions about a class that are in force."""

    in_force: tuple[Decision, ...] = ()

    def list_decisions_about_submission(
        self, submission_id: str, reopened_at: datetime | None = None
    ) -> list[Decision]:
        """Return the decisions about a submission, those about everybody first.

        Args:
            submission_id: its id, as in its report.
            reopened_at: when the attempt of these files was reopened; None if it was not. Earlier decisions
                other than exemptions concern other files, and are left out.
        """
        decisions = [
            *self._decisions_by_submission.get(EVERYONE, ()),
            *self._decisions_by_submission.get(submission_id, ()),
        ]
        if reopened_at is None:
            return decisions
        return [
            decision
            for decision in decisions
            if decision.kind == "exempt" or datetime.fromisoformat(decision.decided_at) >= reopened_at
        ]

    @cached_property
    def ids_with_overridden_whole_score(self) -> frozenset[str]:
        """Return the submissions whose whole score a person set."""
        return frozenset(
            decision.who for decision in self.in_force if decision.kind == "override" and not decision.subject
        )

    @cached_property
    def _decisions_by_submission(self) -> dict[str, list[Decision]]:
        decisions_by_submission: dict[str, list[Decision]] = {}
        for decision in self.in_force:
            if decision.kind in ABOUT_SUBMISSIONS:
                decisions_by_submission.setdefault(decision.who, []).append(decision)
        return decisions_by_submission

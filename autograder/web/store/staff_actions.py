"""Store what the staff does to a class, the workers of a server, and its recent faults."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import and_, delete, exists, func, insert, select, update

from autograder.store.audit import AuditAction, AuditContext, AuditEvent, AuditLog
from autograder.store.session import StorePart, StoreSession
from autograder.store.tables import audit, utc_now
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import COLUMNS, HandIn
from autograder.web.store.tables import (
    accounts,
    faults,
    hand_ins,
    publications,
    regrade_trial_marks,
    regrade_trials,
    workers,
)

KIND: AuditAction = "show names"


class AnonymityLiftLog:
    """When the names of each anonymously graded assignment were first shown to the staff.

    Raises ``KitFault`` wherever the database fails.
    """

    def __init__(self, session: StoreSession, audit: AuditLog) -> None:
        self._session, self._audit = session, audit

    def find_lift_time(self, course: str, assignment: str) -> datetime | None:
        """Return when the staff was first shown the names; None if it was not."""
        query = select(audit.c.recorded_at).where(
            audit.c.class_name == course, audit.c.assignment == assignment, audit.c.action == KIND
        )
        lifted_at: datetime | None = self._session.fetch_value(query.order_by(audit.c.id).limit(1))
        return lifted_at

    def lift_anonymity(self, course: str, assignment: str, lifted_by: Enrolment) -> None:
        """Show the staff the names from now on; this cannot be undone."""
        if self.find_lift_time(course, assignment) is not None:
            return
        action = AuditContext(KIND, lifted_by.audit_account, "", course, assignment)
        event = AuditEvent(changed_item="names", student_label="everyone", before="hidden", after="shown")
        self._audit.add_events(action, [event], "decided", lifted_by.name)


class ResultPublicationTable:
    """The publications of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession, audit: AuditLog) -> None:
        self._session, self._audit = session, audit

    def map_published_times(self, course: str, assignment: str) -> dict[int | None, datetime | None]:
        """Return since when results are published, None while they are not: for the class, and for single students.

        The class is under None. A student is under their account if something was decided about them alone since
        it was last decided about the class.
        """
        query = select(publications).where(publications.c.course == course, publications.c.assignment == assignment)
        published_times: dict[int | None, datetime | None] = {None: None}
        for row in self._session.fetch_all(query.order_by(publications.c.id)):
            if row.student is None:
                published_times.clear()
            published_times[row.student] = row.decided_at if row.is_published else None
        return published_times

    def set_results_published(
        self,
        course: str,
        assignment: str,
        decided_by: Enrolment,
        *,
        is_published: bool,
        students: Iterable[Enrolment] | None = None,
    ) -> None:
        """Publish the results of an assignment, or take them back; do nothing where that is the state already.

        Args:
            course: the course.
            assignment: the assignment.
            decided_by: who decides it.
            is_published: whether they are published from now on.
            students: whose results; those of the class when None, whatever was decided about single students before.
        """
        published_times, words = self.map_published_times(course, assignment), ("not published", "published")
        labels: dict[int | None, str] = {None: "everyone"}
        if students is not None:
            labels = {student.account: student.login for student in students}
        changed = {
            account: label
            for account, label in labels.items()
            if (published_times.get(account, published_times[None]) is not None) != is_published
        }
        if not changed:
            return
        values = {"is_published": is_published, "account": decided_by.account}
        with self._session.group_statements():
            for account in changed:
                self._session.insert_row(
                    publications, course=course, assignment=assignment, student=account, **values
                )
            kind: AuditAction = "publish" if is_published else "unpublish"
            action = AuditContext(kind, decided_by.audit_account, "", course, assignment)
            events = [
                AuditEvent(
                    changed_item="results",
                    student_label=label,
                    before=words[not is_published],
                    after=words[is_published],
                )
                for label in changed.values()
            ]
            self._audit.add_events(action, events, "decided", decided_by.name)


TrialState = Literal["waiting", "tried", "failed"]


@dataclass(frozen=True, slots=True)
class RegradeTrial:
    """A regrade of some hand-ins, tried out."""

    id: int
    key: str
    """Names it in addresses."""
    assignment: str
    version: str
    """The assignment's, when the trial was begun."""
    by: str
    begun_at: datetime
    carried_out_at: datetime | None
    """When the hand-ins were queued for a regrade that counts; None until then."""


@dataclass(frozen=True, slots=True)
class HandInTrialOutcome:
    """The effect that a regrade would have on one hand-in."""

    hand_in: HandIn
    state: TrialState = "waiting"
    difference: float = 0.0
    """Points gained, bonus included; below zero for a loss."""
    is_lowered: bool = False
    lines: tuple[str, ...] = ()
    """The change of the mark with its reasons; empty if it stays. If the grader failed, its message."""


class RegradeTrialTable(StorePart):
    """The trials of a store."""

    def queue_trial(
        self,
        course: str,
        assignment: str,
        assignment_version: str,
        chosen_hand_ins: Sequence[HandIn],
        begun_by: Enrolment,
    ) -> RegradeTrial:
        """Queue a regrade trial of some hand-ins."""
        key = secrets.token_urlsafe(18)
        with self._session.transaction():
            trial_id = self._session.insert_row(
                regrade_trials, key=key, course=course, assignment=assignment, version=assignment_version,
                account=begun_by.account,
            )  # fmt: skip
            rows = [{"trial": trial_id, "hand_in": hand_in.id} for hand_in in chosen_hand_ins]
            self._session.execute(insert(regrade_trial_marks), rows)
        trial = self.find_trial(course, key)
        assert trial is not None
        return trial

    def find_trial(self, course: str, trial_key: str) -> RegradeTrial | None:
        """Return a trial by its key; None if there is none."""
        return self._session.fetch_one_as(RegradeTrial, _make_query(course).where(regrade_trials.c.key == trial_key))

    def find_oldest_unfinished_trial(self, course: str) -> RegradeTrial | None:
        """Return the trial that a worker goes on with; None if there is none."""
        is_waiting = exists().where(
            regrade_trial_marks.c.trial == regrade_trials.c.id, regrade_trial_marks.c.state == "waiting"
        )
        query = _make_query(course).where(is_waiting).order_by(regrade_trials.c.id).limit(1)
        return self._session.fetch_one_as(RegradeTrial, query)

    def list_hand_in_outcomes(
        self, trial: RegradeTrial, only_in_state: TrialState | None = None, limit: int = -1
    ) -> list[HandInTrialOutcome]:
        """Return what is known of each hand-in of a trial, in the order of their arrival.

        Args:
            trial: the trial.
            only_in_state: the only state that is wanted.
            limit: how many at most; all when below zero.
        """
        marks = regrade_trial_marks.c
        outcome_columns = [column.label(f"trial_{column.name}") for column in OUTCOME_COLUMNS]
        query = select(*COLUMNS, *outcome_columns).join(hand_ins, hand_ins.c.id == marks.hand_in)
        query = query.where(marks.trial == trial.id).order_by(hand_ins.c.id)
        query = query.where(marks.state == only_in_state) if only_in_state else query
        rows = self._session.fetch_all(query.limit(limit) if limit >= 0 else query)
        return [
            HandInTrialOutcome(
                HandIn(**{column.name: row._mapping[column] for column in COLUMNS}),
                *(row._mapping[column] for column in outcome_columns),
            )
            for row in rows
        ]

    def record_outcomes(self, trial: RegradeTrial, outcomes: Iterable[HandInTrialOutcome]) -> None:
        """Record the outcomes that a worker found; if two workers grade the same hand-in, the first one counts."""
        with self._session.transaction():
            for outcome in outcomes:
                is_waiting = and_(
                    regrade_trial_marks.c.trial == trial.id,
                    regrade_trial_marks.c.hand_in == outcome.hand_in.id,
                    regrade_trial_marks.c.state == "waiting",
                )
                values = {column.name: getattr(outcome, column.name) for column in OUTCOME_COLUMNS}
                self._session.execute(update(regrade_trial_marks).where(is_waiting).values(**values))

    def try_mark_carried_out(self, trial: RegradeTrial) -> bool:
        """Record that the regrade is carried out; return False if that was recorded before.

        Hand-ins that still wait are not tried any more.
        """
        is_open = and_(regrade_trials.c.id == trial.id, regrade_trials.c.carried_out_at.is_(None))
        with self._session.transaction():
            result = self._session.execute(update(regrade_trials).where(is_open).values(carried_out_at=utc_now()))
            is_waiting = and_(regrade_trial_marks.c.trial == trial.id, regrade_trial_marks.c.state == "waiting")
            self._session.execute(update(regrade_trial_marks).where(is_waiting).values(state="tried"))
        return bool(result.rowcount)


OUTCOME_COLUMNS = tuple(regrade_trial_marks.c[field.name] for field in fields(HandInTrialOutcome)[1:])
TRIAL_COLUMNS = tuple(
    regrade_trials.c[name] for name in ("id", "key", "assignment", "version", "begun_at", "carried_out_at")
)


def _make_query(course: str) -> Any:
    query = select(*TRIAL_COLUMNS, accounts.c.name.label("by"))
    query = query.join(accounts, accounts.c.id == regrade_trials.c.account)
    return query.where(regrade_trials.c.course == course)


@dataclass(frozen=True, slots=True)
class LastWorkerRun:
    """The last run of a worker."""

    name: str
    tier: str
    """How strongly it isolates what it grades."""
    kit: str
    python: str
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    """When it ended normally; None while it runs, or if it was killed."""


class WorkerTable(StorePart):
    """The workers of a server."""

    def record_start(
        self, course: str, worker_name: str, isolation_tier: str, kit_version: str, python_version: str
    ) -> None:
        """Record that a worker starts, in place of an earlier run of the same name."""
        now = utc_now()
        started = {"tier": isolation_tier, "kit": kit_version, "python": python_version, "started_at": now}
        with self._session.transaction():
            key = {"course": course, "name": worker_name}
            self._session.update_or_insert(workers, key, **started, seen_at=now, ended_at=None)

    def record_heartbeat(self, course: str, worker_name: str) -> None:
        """Record that a worker is still there."""
        self._update(course, worker_name, seen_at=utc_now())

    def record_end(self, course: str, worker_name: str) -> None:
        """Record that a worker ended as it was told to."""
        self._update(course, worker_name, ended_at=utc_now())

    def list_workers(self, course: str) -> list[LastWorkerRun]:
        """Return the workers of a course by name."""
        columns = (workers.c[field.name] for field in fields(LastWorkerRun))
        query = select(*columns).where(workers.c.course == course).order_by(workers.c.name)
        return self._session.fetch_all_as(LastWorkerRun, query)

    def _update(self, course: str, worker_name: str, **values: datetime) -> None:
        is_worker = and_(workers.c.course == course, workers.c.name == worker_name)
        self._session.execute_and_commit(update(workers).where(is_worker).values(**values))


MOST_FAULTS = 100
"""Faults of a course that are kept."""
MOST_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class RecordedFault:
    """A fault of the server that no hand-in caused."""

    source: str
    """``pages``, or the worker."""
    text: str
    happened_at: datetime


class FaultTable(StorePart):
    """The last faults of a server."""

    def record_fault(self, course: str, source: str, fault_text: str) -> None:
        """Record what went wrong.

        The same fault as the last one only renews its time. Of each course, the oldest faults beyond ``MOST_FAULTS``
        are deleted.
        """
        is_of_course = faults.c.course == course
        values = {"source": source, "text": fault_text[:MOST_CHARACTERS]}
        latest = select(func.max(faults.c.id)).where(is_of_course).scalar_subquery()
        with self._session.transaction():
            is_same = and_(faults.c.id == latest, *(faults.c[name] == value for name, value in values.items()))
            if not self._session.execute(update(faults).where(is_same).values(happened_at=utc_now())).rowcount:
                self._session.insert_row(faults, course=course, **values)
            kept = select(faults.c.id).where(is_of_course).order_by(faults.c.id.desc())
            oldest = self._session.fetch_value(kept.offset(MOST_FAULTS - 1).limit(1))
            if oldest:
                self._session.execute(delete(faults).where(is_of_course, faults.c.id < oldest))

    def list_latest_faults(self, course: str, limit: int) -> list[RecordedFault]:
        """Return the last faults of a course, the latest first."""
        query = select(faults.c.source, faults.c.text, faults.c.happened_at).where(faults.c.course == course)
        return self._session.fetch_all_as(RecordedFault, query.order_by(faults.c.id.desc()).limit(limit))

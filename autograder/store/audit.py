"""Record in one row each event that changes, sends or reveals data of a class.

Such data are marks, comments, names, decisions, deadlines and settings. A row holds the change, the student, the
time, the account that did it, and the answer.

Rows are added, and completed when an answer comes. They stay until the whole course is erased; if a person is erased,
their names in the rows are replaced.
"""

from __future__ import annotations

import getpass
import os
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import and_, bindparam, func, or_, select, update

from autograder.store.session import StorePart
from autograder.store.tables import audit

AuditAction = Literal[
    "batch",
    "regrade",
    "report",
    "deadlines",
    "decide",
    "undo",
    "export",
    "upload",
    "lms",
    "inquiry",
    "publish",
    "unpublish",
    "show names",
    "import",
    "people",
    "settings",
]
"""The kinds of actions; docs/store.md explains each."""


@dataclass(frozen=True, slots=True)
class AuditContext:
    """The fields that all audit rows of one command share."""

    kind: AuditAction
    account: str
    """The user who runs the command, as this machine knows them."""
    platform: str
    class_name: str
    assignment: str
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    """An id shared by all rows of one command, and by no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One change or sending of a mark, a comment, a name, a decision, a deadline or a setting."""

    changed_item: str
    """The kind of thing, such as ``mark`` or ``comment``."""
    target: str = ""
    """Where on the platform, such as a column's id; empty where the platform does not say."""
    student: str = ""
    """The platform's own id of the student."""
    student_label: str
    """The student for people."""
    submission: str = ""
    before: str
    after: str
    platform_state_before: str = ""
    """See ``LastExportedValue.platform_state_before``."""
    overwrote: bool = False
    """See ``LastExportedValue.overwrote_decision``."""
    reason: str = ""
    """Why a person decided so; stored in the column that holds the platform's answer for what was sent."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A row of the audit table."""

    recorded_at: datetime
    action: AuditContext
    event: AuditEvent
    as_account: str
    state: str
    answer: str
    """The platform's answer, or the reason of a person's decision."""


AuditState = Literal["written", "sending", "taken", "refused", "unknown", "decided", "graded"]
"""Written into a file; being sent (or killed meanwhile); taken or refused by the platform; no answer came; decided
here by a person; or changed by grading here."""


@dataclass(frozen=True, slots=True)
class AuditSelection:
    """The rows of one log: those of an assignment of a class, or of no assignment where it is empty."""

    class_name: str
    assignment: str = ""
    about_people: bool | None = None
    """Whether only rows about the people of a course are in it, or only the others; all of them when None."""

    about: frozenset[str] | None = None
    """The students, teams and submissions that the rows are about, besides those about everyone; any when None."""

    @property
    def condition(self) -> Any:
        """Return the condition for its rows."""
        is_of_class = and_(audit.c.class_name == self.class_name, audit.c.assignment == self.assignment)
        if self.about is not None:  # written into the statement: databases limit its parameters, not its length
            names: Any = bindparam("about", sorted(self.about), expanding=True, literal_execute=True)
            is_about_them = or_(audit.c.submission.in_(names), audit.c.student_label == "everyone")
            is_of_class = and_(is_of_class, is_about_them)
        if self.about_people is None:
            return is_of_class
        is_about_people = audit.c.action == "people"
        return and_(is_of_class, is_about_people if self.about_people else ~is_about_people)


@dataclass(frozen=True, slots=True)
class LastExportedValue:
    """One mark or comment, as the kit wrote it last."""

    before: str
    """The value before; empty for none."""
    after: str
    platform_state_before: str = ""
    """The state of the platform or its table when it held ``before``; empty if unknown."""
    was_confirmed: bool = False
    """Whether the platform confirmed that it accepted the value; a written file may never have been uploaded."""
    overwrote_decision: bool = False
    """Whether ``before`` was set by a person, and the staff allowed replacing it."""


WrittenKey = tuple[str, str, str]
"""What (``mark`` or ``comment``), the place on the platform (such as a column's id), the student's id there."""


class AuditLog(StorePart):
    """The audit table of a store."""

    def add_events(
        self,
        context: AuditContext,
        events: Iterable[AuditEvent],
        state: AuditState,
        platform_account_or_decider: str = "",
    ) -> list[int]:
        """Add a row for each event, and commit.

        Args:
            context: what the events have in common.
            events: what happens.
            state: how far the events are.
            platform_account_or_decider: the sender's account on the platform, or the name of who decided; empty for
                files.

        Returns:
            The rows' ids, in the order of the events.
        """
        ids = self.add_events_uncommitted(context, events, state, platform_account_or_decider)
        self._session.commit()
        return ids

    def add_events_uncommitted(
        self,
        context: AuditContext,
        events: Iterable[AuditEvent],
        state: AuditState,
        platform_account_or_decider: str = "",
    ) -> list[int]:
        """Add rows as ``add_events`` does.

        In an open group they are committed with the group, otherwise when a commit is due.
        """
        common = {"as_account": platform_account_or_decider, "state": state}
        with self._session.group_statements():
            return [self._session.insert_row(audit, **common, **_make_columns(context, event)) for event in events]

    def record_outcome(self, row_ids: Sequence[int], state: AuditState, platform_answer: str) -> None:
        """Record the outcome of rows that were being sent, and commit."""
        query = update(audit).where(audit.c.id.in_(row_ids))
        self._session.execute_and_commit(query.values(state=state, answer=platform_answer))

    def load_audit_rows(self, class_name: str, assignment: str) -> list[AuditRow]:
        """Return the audit rows of one assignment of a class, in order.

        An empty assignment does not mean all: it selects rows that belong to no assignment, such as those about LTI.
        """
        rows = self._session.fetch_all(OF_A_CLASS, {"in_class": class_name, "of": assignment})
        return [_make_audit_row(row) for row in rows]

    def count_audit_rows(self, selection: AuditSelection) -> int:
        """Return how many rows a log has."""
        return int(self._session.fetch_value(select(func.count()).select_from(audit).where(selection.condition)))

    def load_latest_audit_rows(self, selection: AuditSelection, skipped: int, count: int) -> list[AuditRow]:
        """Return some rows of a log, the latest first."""
        query = select(audit).where(selection.condition).order_by(audit.c.id.desc()).offset(skipped).limit(count)
        return [_make_audit_row(row) for row in self._session.fetch_all(query)]

    def map_last_exported_values(
        self, class_name: str, assignment: str, platform: str
    ) -> dict[WrittenKey, LastExportedValue]:
        """Return what the kit wrote last to each place, for each student; refused rows are left out."""
        query = OF_A_CLASS.where(audit.c.platform == platform, audit.c.state != "refused")
        return {
            (row.changed_item, row.target, row.student): LastExportedValue(
                row.before, row.after, row.platform_state_before, row.state == "taken", row.overwrote
            )
            for row in self._session.fetch_all(query, {"in_class": class_name, "of": assignment})
        }


def get_os_user_name() -> str:
    """Return the name of the user who runs this, as the machine knows it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may run under a number that has no name
        return f"uid {os.getuid()}"


def _make_columns(context: AuditContext, event: AuditEvent) -> dict[str, Any]:
    columns = {**asdict(context), **asdict(event)}
    columns["action"], columns["answer"] = columns.pop("kind"), columns.pop("reason")
    return columns


def _make_audit_row(row: Any) -> AuditRow:
    context = AuditContext(row.action, row.account, row.platform, row.class_name, row.assignment, row.run)
    names = [field.name for field in fields(AuditEvent) if field.name != "reason"]
    event = AuditEvent(**{name: getattr(row, name) for name in names})
    return AuditRow(row.recorded_at, context, event, row.as_account, row.state, row.answer)


OF_A_CLASS = (
    select(audit)
    .where(audit.c.class_name == bindparam("in_class"), audit.c.assignment == bindparam("of"))
    .order_by(audit.c.id)
)

"""Record in one row each event that changes, sends or reveals data of a class.

Such data are marks, comments, names, decisions, deadlines and settings. A row holds the change, the student, the
time, the account that did it, and the answer.

Rows are added, and completed when an answer comes. They stay until the whole course is erased; if a person is erased,
their names in the rows are replaced.
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from autograder.store.audit_event_state import AuditState
from autograder.store.audit_model import AuditContext, AuditEvent, AuditRow
from autograder.store.column_encoding import decode_text, encode_now, encode_text
from autograder.store.core_table_definitions import audit
from autograder.store.last_exported_value import LastExportedValue, WrittenKey
from autograder.store.session import StorePart


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
        common = {
            "recorded_at": encode_now(),
            "action": context.kind,
            "account": encode_text(context.account),
            "as_account": encode_text(platform_account_or_decider),
            "platform": context.platform,
            "class_name": encode_text(context.class_name),
            "assignment": context.assignment,
            "run": context.run,
            "state": state,
        }
        ids = []
        with self._session.group_statements():
            for event in events:
                result = self._session.execute(insert(audit).values(**common, **_make_columns(event)))
                # A dry run skips the insert, so there is no key.
                key = result.inserted_primary_key if result.is_insert else None
                ids.append(key[0] if key else 0)
        return ids

    def record_outcome(self, row_ids: Sequence[int], state: AuditState, platform_answer: str) -> None:
        """Record the outcome of rows that were being sent, and commit."""
        values = [{"row": row_id, "now": state, "said": encode_text(platform_answer)} for row_id in row_ids]
        if values:
            self._session.execute_and_commit(COMPLETE_ROW, values)

    def load_audit_rows(self, class_name: str, assignment: str) -> list[AuditRow]:
        """Return the audit rows of one assignment of a class, in order.

        An empty assignment does not mean all: it selects rows that belong to no assignment, such as those about LTI.
        """
        values = {"in_class": encode_text(class_name), "of": assignment}
        return [_make_audit_row(row) for row in self._session.fetch_all(OF_A_CLASS, values)]

    def map_last_exported_values(
        self, class_name: str, assignment: str, platform: str
    ) -> dict[WrittenKey, LastExportedValue]:
        """Return what the kit wrote last to each place, for each student; refused rows are left out."""
        values = {"in_class": encode_text(class_name), "of": assignment, "there": platform}
        return {
            (row.changed_item, decode_text(row.target), decode_text(row.student)): LastExportedValue(
                decode_text(row.before),
                decode_text(row.after),
                decode_text(row.platform_state_before),
                row.state == "taken",
                row.overwrote,
            )
            for row in self._session.fetch_all(WRITTEN_ROWS, values)
        }


def get_os_user_name() -> str:
    """Return the name of the user who runs this, as the machine knows it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may run under a number that has no name
        return f"uid {os.getuid()}"


def _make_columns(event: AuditEvent) -> dict[str, str | bool]:
    return {
        "changed_item": event.changed_item,
        "target": encode_text(event.target),
        "student": encode_text(event.student),
        "student_label": encode_text(event.student_label),
        "submission": encode_text(event.submission),
        "before": encode_text(event.before),
        "after": encode_text(event.after),
        "platform_state_before": encode_text(event.platform_state_before),
        "overwrote": event.overwrote,
        "answer": encode_text(event.reason),
    }


def _make_audit_row(row: Any) -> AuditRow:
    action = AuditContext(
        row.action,
        decode_text(row.account),
        row.platform,
        decode_text(row.class_name),
        row.assignment,
        row.run,
    )
    texts = {name: decode_text(getattr(row, name)) for name in AUDIT_EVENT_TEXTS}
    event = AuditEvent(changed_item=row.changed_item, **texts, overwrote=row.overwrote)
    return AuditRow(row.recorded_at, action, event, decode_text(row.as_account), row.state, decode_text(row.answer))


AUDIT_EVENT_TEXTS = (
    "target",
    "student",
    "student_label",
    "submission",
    "before",
    "after",
    "platform_state_before",
)
COMPLETE_ROW = (
    update(audit)
    .where(audit.c.id == bindparam("row"))
    .values(state=bindparam("now"), answer=bindparam("said"))
)  # fmt: skip
OF_A_CLASS = (
    select(audit)
    .where(audit.c.class_name == bindparam("in_class"), audit.c.assignment == bindparam("of"))
    .order_by(audit.c.id)
)
WRITTEN_ROWS = (
    select(audit)
    .where(
        audit.c.class_name == bindparam("in_class"),
        audit.c.assignment == bindparam("of"),
        audit.c.platform == bindparam("there"),
        audit.c.state != "refused",
    )
    .order_by(audit.c.id)
)

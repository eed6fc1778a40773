"""Keep what people decided about a class, with a row in the audit table whenever they decide or undo something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import bindparam, insert, select, update

from autograder.decisions import Decision, DecisionProvenance
from autograder.store.audit import AuditAction, AuditContext, AuditEvent, AuditLog
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.session import StoreSession
from autograder.store.tables import decisions


class StaffDecisionTable:
    """The decisions of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession, audit: AuditLog) -> None:
        self._session, self._audit = session, audit

    def list_all_decisions(self, stored_class: StoredGradedClass) -> list[Decision]:
        """Return all decisions about a class in their order, those that were undone too."""
        return self._session.fetch_all_as(Decision, OF_A_CLASS, {"of": stored_class.id})

    def add_decisions(
        self,
        stored_class: StoredGradedClass,
        class_name: str,
        new_decisions: Sequence[Decision],
        previous_value_by_kind_and_who: Mapping[tuple[str, str], str],
    ) -> list[Decision]:
        """Keep the decisions of one command, all of them or none, and return them with their numbers.

        Args:
            stored_class: the class that they are about.
            class_name: its name in the store.
            new_decisions: the decisions, of one person.
            previous_value_by_kind_and_who: the values until now, by kind and the student or submission; for the audit
                table.
        """
        saved_decisions = []
        with self._session.group_statements():
            for decision in new_decisions:
                result = self._session.execute(
                    insert(decisions).values(batch=stored_class.id, **_make_columns(decision))
                )
                # A dry run skips the insert, so there is no key.
                key = result.inserted_primary_key if result.is_insert else None
                saved_decisions.append(replace(decision, id=key[0] if key else 0))
            self._add_audit_rows("decide", stored_class, class_name, saved_decisions, previous_value_by_kind_and_who)
        return saved_decisions

    def undo_decisions(
        self,
        stored_class: StoredGradedClass,
        class_name: str,
        decisions: Sequence[Decision],
        undone_by: DecisionProvenance,
        reason: str,
    ) -> None:
        """Undo decisions, all of them or none; their rows stay.

        Args:
            stored_class: the class that they are about.
            class_name: its name in the store.
            decisions: the decisions.
            undone_by: who undoes them.
            reason: the reason; for the audit table.
        """
        values = [
            {"row": decision.id, "then": undone_by.decided_at, "by": undone_by.author} for decision in decisions
        ]
        reversals = [
            replace(
                decision,
                value="",
                reason=reason,
                author=undone_by.author,
                account=undone_by.account,
                run=undone_by.run,
            )
            for decision in decisions
        ]
        with self._session.group_statements():
            if values:
                self._session.execute(UNDO, values)
            self._add_audit_rows(
                "undo",
                stored_class,
                class_name,
                reversals,
                {(decision.kind, decision.who): decision.value or decision.kind for decision in decisions},
            )

    def _add_audit_rows(
        self,
        action: AuditAction,
        stored_class: StoredGradedClass,
        class_name: str,
        decisions: Sequence[Decision],
        old_values: Mapping[tuple[str, str], str],
    ) -> None:
        """Add a row to the audit table for each decision, and commit."""
        if not decisions:
            return
        first_decision = decisions[0]
        common = AuditContext(
            action, first_decision.account, "", class_name, stored_class.rules.assignment, first_decision.run
        )
        events = [
            AuditEvent(
                changed_item=decision.kind,
                target=decision.subject,
                student_label=decision.who or "everyone",
                submission=decision.who,
                before=old_values.get((decision.kind, decision.who), ""),
                after=decision.value if action == "undo" else decision.value or decision.kind,
                platform_state_before=f"decision {decision.id}",
                reason=decision.reason,
            )
            for decision in decisions
        ]
        self._audit.add_events(common, events, "decided", first_decision.author)


def _make_columns(decision: Decision) -> dict[str, Any]:
    columns = asdict(decision)
    del columns["id"]
    columns["submission_or_student"] = columns.pop("who")
    return columns


OF_A_CLASS = (
    select(decisions, decisions.c.submission_or_student.label("who"))
    .where(decisions.c.batch == bindparam("of"))
    .order_by(decisions.c.id)
)
UNDO = (
    update(decisions)
    .where(decisions.c.id == bindparam("row"), decisions.c.undone_at == "")
    .values(undone_at=bindparam("then"), undone_by=bindparam("by"))
)

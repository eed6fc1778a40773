"""Record in the audit log when the staff was first shown the names of an anonymously graded assignment."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from autograder.store.audit_log import AuditLog
from autograder.store.audit_model import AuditAction, AuditContext, AuditEvent
from autograder.store.core_table_definitions import audit
from autograder.store.session import StoreSession
from autograder.store.web.account_tables import Enrolment

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

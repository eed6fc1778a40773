"""Keep whether results of an assignment are published: ``reports.report_visibility`` says what that shows."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from autograder.store.audit_log import AuditLog
from autograder.store.audit_model import AuditAction, AuditContext, AuditEvent
from autograder.store.session import StoreSession
from autograder.store.web.account_tables import Enrolment
from autograder.store.web.web_table_definitions import publications

WORDS = {False: "not published", True: "published"}


class ResultPublicationTable:
    """The publications of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession, audit: AuditLog) -> None:
        self._session, self._audit = session, audit

    def find_published_at(self, course: str, assignment: str) -> datetime | None:
        """Return when the results were published; None if they are not published now."""
        query = select(publications).where(publications.c.course == course, publications.c.assignment == assignment)
        row = self._session.fetch_one(query.order_by(publications.c.id.desc()).limit(1))
        return row.decided_at if row and row.is_published else None

    def set_results_published(
        self, course: str, assignment: str, decided_by: Enrolment, *, is_published: bool
    ) -> None:
        """Publish the results of an assignment, or take them back; do nothing if that is the state already.

        Args:
            course: the course.
            assignment: the assignment.
            decided_by: who decides it.
            is_published: whether they are published from now on.
        """
        if (self.find_published_at(course, assignment) is not None) == is_published:
            return
        values = {"is_published": is_published, "account": decided_by.account}
        with self._session.group_statements():
            self._session.insert_row(publications, course=course, assignment=assignment, **values)
            kind: AuditAction = "publish" if is_published else "unpublish"
            action = AuditContext(kind, decided_by.audit_account, "", course, assignment)
            event = AuditEvent(
                changed_item="results",
                student_label="everyone",
                before=WORDS[not is_published],
                after=WORDS[is_published],
            )
            self._audit.add_events(action, [event], "decided", decided_by.name)

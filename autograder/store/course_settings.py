"""Store settings of assignments that the staff changed within a term; they count in place of ``grading.yml``'s."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import delete, insert, select

from autograder.course import Course, load_course
from autograder.store.audit import AuditContext, AuditEvent, AuditLog
from autograder.store.session import StoreSession
from autograder.store.tables import course_settings

ChangedSettings = Mapping[str, Mapping[str, Any]]
"""Values in place of those of ``grading.yml``, by assignment and name; see ``YamlDocument``."""


class CourseSettingsTable:
    """The changed settings of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession, audit: AuditLog) -> None:
        self._session, self._audit = session, audit

    def load_course(self, course_path: Path, class_name: str) -> Course:
        """Load a course with the settings that count: those that were changed here, and else ``grading.yml``'s.

        Raises:
            CourseFault: the course does not hold together; the message says if a changed setting is to blame.
        """
        return load_course(course_path, self.map_changes(class_name))

    def map_changes(self, class_name: str) -> dict[str, dict[str, Any]]:
        """Return the settings of a class that were changed."""
        query = select(course_settings).where(course_settings.c.course == class_name)
        changes: dict[str, dict[str, Any]] = {}
        for row in self._session.fetch_all(query.order_by(course_settings.c.assignment, course_settings.c.name)):
            changes.setdefault(row.assignment, {})[row.name] = row.value
        return changes

    def replace_changes(
        self, context: AuditContext, changed_by: str, values: Mapping[str, Any], events: list[AuditEvent]
    ) -> None:
        """Put values in place of all changed settings of an assignment; what is not among them is the file's again.

        Args:
            context: the form, for the audit log; it names the class and the assignment.
            changed_by: the name of who changes it.
            values: by name.
            events: what changes, from what to what.
        """
        key = {"course": context.class_name, "assignment": context.assignment}
        with self._session.transaction():
            self._session.execute(delete(course_settings).filter_by(**key))
            for name, value in values.items():
                self._session.execute(insert(course_settings).values(**key, name=name, value=value))
            self._audit.add_events_uncommitted(context, events, "decided", changed_by)

"""Open the store: results, classes, decisions and audit in one database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from importlib import import_module

from sqlalchemy import URL, inspect

from autograder.faults import Fault
from autograder.store.audit import AuditLog
from autograder.store.connection import connect_and_migrate
from autograder.store.course_settings import CourseSettingsTable
from autograder.store.results.graded_class_table import GradedClassTables
from autograder.store.results.result_table import ResultTable
from autograder.store.results.staff_decision_table import StaffDecisionTable
from autograder.store.session import DryRunSession, StoreSession

SERVER_TABLE, SERVER_STORE_MODULE = "web_hand_ins", "autograder.web.store.server_store"
"""A database with this table is a server's, too: its deadlines and hand-ins count for every command."""


class Store:
    """An open store with its tables.

    Attributes:
        url: where it is.
        results: results, by submission content and grading rules.
        classes: graded classes with their submission entries.
        audit: the audit log.
        decisions: the staff's decisions.
        settings: settings of the course that the staff changed on the web.
    """

    def __init__(self, session: StoreSession) -> None:
        self.url = session.url
        self.results, self.classes = ResultTable(session), GradedClassTables(session)
        self.audit = AuditLog(session)
        self.decisions = StaffDecisionTable(session, self.audit)
        self.settings = CourseSettingsTable(session, self.audit)
        self.group = session.group_statements
        self.commit = session.commit
        self.commit_if_due = session.commit_if_due

    def has_hand_ins(self, class_name: str, assignment: str) -> bool:
        """Return whether students handed in to an assignment on the web."""
        return False

    def list_roster_rows(self, class_name: str) -> list[dict[str, str]]:
        """Return the students of a class as rows of a roster; none where only a server knows them."""
        return []

    def list_chosen_lms_deadlines(self, class_name: str, assignment: str) -> Sequence[tuple[str, datetime]]:
        """Return the deadlines that LMSs state if the staff chose that they count, each with the student's login.

        An empty login is everybody.
        """
        return []


@contextmanager
def open_or_create_store(url: URL, *, dry_run: bool = False) -> Iterator[Store]:
    """Open a store; everything written into it is committed at the end, even after an exception.

    Args:
        url: where the store is.
        dry_run: whether to skip every write of rows; tables are still made or upgraded, unless the database is
            read-only.

    Raises:
        CallerFault: the store cannot be opened, is not a store, or was written by a later version of the kit.
    """
    with connect_and_migrate(url, accepts_read_only=dry_run) as connection:
        session = (DryRunSession if dry_run else StoreSession)(connection, url)
        is_of_server = inspect(connection).has_table(SERVER_TABLE)
        store_class: type[Store] = import_module(SERVER_STORE_MODULE).ServerStore if is_of_server else Store
        try:
            yield store_class(session)
        except BaseException:
            with suppress(Fault):  # the original exception is raised instead
                session.commit()
            raise
        session.commit()

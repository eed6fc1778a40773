"""Open the store of a server: beside results and classes, what only a server has, in the same database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import URL

from autograder.batch import BatchLocation
from autograder.store import store as core
from autograder.store.session import StoreSession
from autograder.web.store.accounts import AccountTables
from autograder.web.store.hand_ins import GradingQueue, HandInTable
from autograder.web.store.inquiries import InquiryTable
from autograder.web.store.lti.deadlines import LtiDeadlineTable
from autograder.web.store.lti.outbox import LtiMarkRequestLog, MarkOutboxTable, SendPolicyTable
from autograder.web.store.lti.platforms import (
    LtiContextTable,
    LtiMembershipTable,
    LtiOneTimeTicketTable,
    LtiPersonTable,
    LtiPlatformTable,
    LtiResourceLinkTable,
)
from autograder.web.store.mails import MailSettingsTable, MailTable
from autograder.web.store.people.erasure import CourseStudentEraser
from autograder.web.store.people.records import CourseRecords, PersonRecordExporter
from autograder.web.store.people.student import PersonPseudonymizer, StoredPersonReader, StoredStudent
from autograder.web.store.roll import CourseRoll
from autograder.web.store.staff_actions import (
    AnonymityLiftLog,
    FaultTable,
    RegradeTrialTable,
    ResultPublicationTable,
    WorkerTable,
)


class ServerStore(core.Store):
    """An open store with its tables and those of a server.

    Attributes:
        accounts: accounts and enrolments of the web service.
        roll: the people of a course as its staff sees and changes them.
        hand_ins: hand-ins from the web.
        grading_queue: the order in which workers grade these hand-ins.
        inquiries: students' inquiries about their results.
        publications: when results were published on the web.
        workers: the server's workers.
        faults: the server's recent faults.
        anonymity: when the staff was first shown names of an anonymously graded assignment.
        mails: mails that wait to be sent, or were.
        mail_settings: where people get mail, and which.
        people: finds one student, by any name.
        person_records: exports all records of one student.
        terms: exports and erases a whole course.
        regrade_trials: trials of regrades, before they count.
        lti_platforms: learning management systems (LTI platforms) that launch this tool.
        lti_contexts: the platforms' courses.
        lti_links: the links to assignments in the platforms' courses.
        lti_people: the platforms' users, and their accounts here.
        lti_members: the members of the platforms' courses.
        lti_deadlines: the platforms' deadlines, and whether those count.
        lti_tickets: one-time tickets of LTI logins and registrations.
        mark_outbox: marks on their way to platforms.
        mark_requests: the log of requests about these marks.
        line_item_send_policies: when the marks of a line item are sent.
    """

    def __init__(self, session: StoreSession) -> None:
        super().__init__(session)
        self._session = session
        self.accounts = AccountTables(session)
        self.mails, self.mail_settings = MailTable(session), MailSettingsTable(session)
        self.roll = CourseRoll(session, self.audit, self.mail_settings)
        self.hand_ins, self.grading_queue = HandInTable(session, self.mails), GradingQueue(session)
        self.inquiries = InquiryTable(session, self.audit, self.mails)
        self.publications = ResultPublicationTable(session, self.audit)
        self.people = StoredPersonReader(session)
        self.person_records, self.terms = PersonRecordExporter(session), CourseRecords(session)
        self.anonymity = AnonymityLiftLog(session, self.audit)
        self.regrade_trials = RegradeTrialTable(session)
        self.workers, self.faults = WorkerTable(session), FaultTable(session)
        self.lti_platforms, self.lti_tickets = LtiPlatformTable(session), LtiOneTimeTicketTable(session)
        self.lti_contexts, self.lti_links = LtiContextTable(session), LtiResourceLinkTable(session)
        self.lti_people = LtiPersonTable(session)
        self.lti_members, self.lti_deadlines = LtiMembershipTable(session), LtiDeadlineTable(session, self.audit)
        self.mark_outbox, self.mark_requests = MarkOutboxTable(session), LtiMarkRequestLog(session)
        self.line_item_send_policies = SendPolicyTable(session)

    def erase_person(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Erase a student from a course; all of it or nothing.

        Raises:
            CallerFault: one of the student's files is being graded now.
        """
        CourseStudentEraser(self._session, person, name_replacer).erase()

    def has_hand_ins(self, class_name: str, assignment: str) -> bool:
        """Return whether students handed in to an assignment on the web."""
        return bool(self.hand_ins.list_hand_in_owners(class_name, assignment))

    def list_roster_rows(self, class_name: str) -> list[dict[str, str]]:
        """Return the students of a course as rows of a roster."""
        return self.roll.list_roster_rows(class_name)

    def list_chosen_lms_deadlines(self, class_name: str, assignment: str) -> list[tuple[str, datetime]]:
        """Return the deadlines that LMSs state if the staff chose that they count, each with the student's login."""
        if self.lti_deadlines.get_deadline_source(class_name, assignment) != "LMS":
            return []
        said = self.lti_deadlines.list_platform_deadlines(class_name, assignment)
        return [(one.login, one.deadline) for one in said]


@contextmanager
def open_or_create_store(url: URL, *, dry_run: bool = False) -> Iterator[ServerStore]:
    """Open a store as ``store.open_or_create_store`` does, with the tables of a server."""
    with core.open_or_create_store(url, dry_run=dry_run) as store:
        assert isinstance(store, ServerStore)  # its tables are made by all who import this module
        yield store


@contextmanager
def open_server_store(
    location: BatchLocation, *, must_exist: bool = False, dry_run: bool = False
) -> Iterator[ServerStore]:
    """Open the store of a course, with the tables of a server.

    Raises:
        CallerFault: the store cannot be opened, or must exist and does not.
    """
    open_store = location.open_existing_store if must_exist else location.open_or_create_store
    with open_store(dry_run=dry_run) as store:
        assert isinstance(store, ServerStore)
        yield store

"""Open the store: results, classes, web and LTI in one database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import URL

from autograder.faults import Fault
from autograder.store.audit import AuditLog
from autograder.store.connection import connect_and_migrate
from autograder.store.lti.deadlines import LtiDeadlineTable
from autograder.store.lti.outbox import LtiMarkRequestLog, MarkOutboxTable, SendPolicyTable
from autograder.store.lti.people import LtiMembershipTable, LtiPersonTable
from autograder.store.lti.platforms import (
    LtiContextTable,
    LtiOneTimeTicketTable,
    LtiPlatformTable,
    LtiResourceLinkTable,
)
from autograder.store.people.erasure import CourseStudentEraser
from autograder.store.people.records import CourseRecords, PersonRecordExporter
from autograder.store.people.student import StoredPersonReader
from autograder.store.results.graded_class_table import GradedClassTables
from autograder.store.results.result_table import ResultTable
from autograder.store.results.staff_decision_table import StaffDecisionTable
from autograder.store.session import DryRunSession, StoreSession
from autograder.store.web.accounts import AccountTables
from autograder.store.web.hand_ins import GradingQueue, HandInTable
from autograder.store.web.inquiries import InquiryTable
from autograder.store.web.mails import MailSettingsTable, MailTable
from autograder.store.web.server_state import FaultTable, WorkerTable
from autograder.store.web.staff_actions import AnonymityLiftLog, RegradeTrialTable, ResultPublicationTable


class Store:
    """An open store with its tables.

    Attributes:
        results: results, by submission content and grading rules.
        classes: graded classes with their submission entries.
        audit: the audit log.
        decisions: the staff's decisions.
        accounts: accounts and enrolments of the web service.
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
        erasure: erases one student.
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
        self.results, self.classes = ResultTable(session), GradedClassTables(session)
        self.audit = AuditLog(session)
        self.decisions = StaffDecisionTable(session, self.audit)
        self.accounts = AccountTables(session)
        self.mails, self.mail_settings = MailTable(session), MailSettingsTable(session)
        self.hand_ins, self.grading_queue = HandInTable(session, self.mails), GradingQueue(session)
        self.inquiries = InquiryTable(session, self.audit, self.mails)
        self.publications = ResultPublicationTable(session, self.audit)
        self.people, self.erasure = StoredPersonReader(session), CourseStudentEraser(session)
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
        self.group = session.group_statements
        self.commit = session.commit
        self.commit_if_due = session.commit_if_due


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
        try:
            yield Store(session)
        except BaseException:
            with suppress(Fault):  # the original exception is raised instead
                session.commit()
            raise
        session.commit()

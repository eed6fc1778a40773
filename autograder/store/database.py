"""Open the store: results, classes and versions in one database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy import URL

from autograder.faults import Fault
from autograder.store.account_table import AccountTable
from autograder.store.anonymity_table import AnonymityTable
from autograder.store.audit_log import AuditLog
from autograder.store.class_table import ClassTable
from autograder.store.connection import open_connection_and_upgrade_tables
from autograder.store.course_archive_and_erasure import CourseArchiveAndErasure
from autograder.store.decision_table import DecisionTable
from autograder.store.grading_queue import GradingQueue
from autograder.store.hand_in_table import HandInTable
from autograder.store.health_table import HealthTable
from autograder.store.inquiry_table import InquiryTable
from autograder.store.lti_context_table import LtiContextTable
from autograder.store.lti_deadline_table import LtiDeadlineTable
from autograder.store.lti_mark_request_table import LtiMarkRequestTable
from autograder.store.lti_membership_table import LtiMembershipTable
from autograder.store.lti_person_table import LtiPersonTable
from autograder.store.lti_platform_table import LtiPlatformTable
from autograder.store.lti_ticket_table import LtiTicketTable
from autograder.store.mail_table import MailTable
from autograder.store.mark_outbox_table import MarkOutbox
from autograder.store.mark_send_timing_table import MarkSendTimingTable
from autograder.store.person_erasure import PersonErasure
from autograder.store.publication_table import PublicationTable
from autograder.store.regrade_trial_table import RegradeTrialTable
from autograder.store.result_table import ResultTable
from autograder.store.session import ReadOnlySession, StoreSession
from autograder.store.stored_person_reader import StoredPersonReader


class Store:
    """What is kept.

    Attributes:
        results: what was graded, and by what.
        classes: who handed in what.
        audit: what changed or sent a mark.
        decisions: what people decided.
        accounts: who may sign in on the web.
        hand_ins: what was handed in there.
        grading_queue: which of that is graded next, and by which worker.
        inquiries: what students ask about their results there.
        publications: whether results are published there.
        health: which workers grade there, and what went wrong lately.
        anonymity: whether the staff was shown names there.
        mails: mails that wait to be sent, or were.
        people: everything that is kept of one student.
        erasure: takes a student out of all of that.
        terms: everything that is kept of a course.
        regrade_trials: regrades that were tried there before they count.
        lti_platforms: learning management systems that launch this tool.
        lti_contexts: their courses, and the links to assignments in them.
        lti_people: who somebody of a platform is here.
        lti_members: who is in their courses.
        lti_deadlines: the deadlines that they say, and whether those count.
        lti_tickets: what works once while somebody comes in from there.
        mark_outbox: marks on their way to such systems.
        mark_requests: every request about one of them.
        mark_settings: when they are sent.
    """

    def __init__(self, session: StoreSession) -> None:
        self.results, self.classes, self.audit = ResultTable(session), ClassTable(session), AuditLog(session)
        self.decisions = DecisionTable(session, self.audit)
        self.accounts = AccountTable(session)
        self.mails = MailTable(session)
        self.hand_ins, self.grading_queue = HandInTable(session, self.mails), GradingQueue(session)
        self.inquiries = InquiryTable(session, self.audit, self.mails)
        self.publications = PublicationTable(session, self.audit)
        self.people, self.erasure = StoredPersonReader(session), PersonErasure(session)
        self.terms = CourseArchiveAndErasure(session)
        self.anonymity = AnonymityTable(session, self.audit)
        self.regrade_trials, self.health = RegradeTrialTable(session), HealthTable(session)
        self.lti_platforms, self.lti_tickets = LtiPlatformTable(session), LtiTicketTable(session)
        self.lti_contexts, self.lti_people = LtiContextTable(session), LtiPersonTable(session)
        self.lti_members, self.lti_deadlines = LtiMembershipTable(session), LtiDeadlineTable(session, self.audit)
        self.mark_outbox, self.mark_requests = MarkOutbox(session), LtiMarkRequestTable(session)
        self.mark_settings = MarkSendTimingTable(session)
        self.commit, self.tick = session.commit, session.commit_if_due


@contextmanager
def open_store(url: URL, *, dry_run: bool = False) -> Iterator[Store]:
    """Open a store; what was put into it is on the disk in the end, whatever happens meanwhile.

    Args:
        url: where the store is.
        dry_run: whether to skip everything that would write to it.

    Raises:
        CallerFault: the store cannot be opened, is not a store, or was written by a later version of the kit.
    """
    with open_connection_and_upgrade_tables(url) as connection:
        session = (ReadOnlySession if dry_run else StoreSession)(connection, url)
        try:
            yield Store(session)
        except BaseException:
            with suppress(Fault):  # what ended it is told, and not what came of that
                session.commit()
            raise
        session.commit()

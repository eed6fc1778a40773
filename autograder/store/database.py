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
from autograder.store.connection import connect_to_store
from autograder.store.decision_table import DecisionTable
from autograder.store.grading_queue import GradingQueue
from autograder.store.hand_in_table import HandInTable
from autograder.store.health_table import HealthTable
from autograder.store.inquiry_table import InquiryTable
from autograder.store.mail_table import MailTable
from autograder.store.person_erasure import PersonErasure
from autograder.store.person_table import PersonTable
from autograder.store.publication_table import PublicationTable
from autograder.store.regrade_trial_table import RegradeTrialTable
from autograder.store.result_table import ResultTable
from autograder.store.session import ReadOnlySession, StoreSession
from autograder.store.term_table import TermTable


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
    """

    def __init__(self, session: StoreSession) -> None:
        self.results, self.classes, self.audit = ResultTable(session), ClassTable(session), AuditLog(session)
        self.decisions = DecisionTable(session, self.audit)
        self.accounts = AccountTable(session)
        self.mails = MailTable(session)
        self.hand_ins, self.grading_queue = HandInTable(session, self.mails), GradingQueue(session)
        self.inquiries = InquiryTable(session, self.audit, self.mails)
        self.publications = PublicationTable(session, self.audit)
        self.people, self.erasure = PersonTable(session), PersonErasure(session)
        self.terms = TermTable(session)
        self.anonymity = AnonymityTable(session, self.audit)
        self.regrade_trials, self.health = RegradeTrialTable(session), HealthTable(session)
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
    with connect_to_store(url) as connection:
        session = (ReadOnlySession if dry_run else StoreSession)(connection, url)
        try:
            yield Store(session)
        except BaseException:
            with suppress(Fault):  # what ended it is told, and not what came of that
                session.commit()
            raise
        session.commit()

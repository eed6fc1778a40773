"""Write and send the mails that wait in the store: what happened and where to look, and links to sign in."""

from __future__ import annotations

import logging
import os
import smtplib
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from autograder.course import Assignment, Course
from autograder.faults import Fault
from autograder.text import escape_for_display
from autograder.web.people import make_random_token
from autograder.web.results import EffectiveClassResults
from autograder.web.settings import PASSWORD, CourseServerSettings, SmtpServerSettings, is_mail_address
from autograder.web.store.mails import MOST_TRIES, LinkKind, MailKind, QueuedMail, compute_retry_delay
from autograder.web.store.server_store import ServerStore, open_server_store
from autograder.web.wording import format_moment

SUBJECTS: dict[MailKind, str] = {
    "receipt": "Handed in: {assignment}, attempt {attempt}",
    "result": "Your result: {assignment}, attempt {attempt}",
    "answer": "An answer to your question: {assignment}, attempt {attempt}",
}
TEXTS: dict[MailKind, str] = {
    "receipt": "{file} was handed in to {assignment} as attempt {attempt}, {when}.\nSHA-256: {sha256}\n\n{link}\n",
    "result": "Attempt {attempt} of {assignment} was graded. The result is here:\n\n{link}\n",
    "answer": "The staff answered your question about attempt {attempt} of {assignment}:\n\n{link}\n",
}
END = "\n-- \n{course}. Which mails you get is yours to say: {settings}\n"
SIGN_IN = """Somebody, probably you, asked to sign in to {course} as {login}.
This link does so, once, within half an hour:

{link}

You did not ask for it? Then leave it: without the link, nothing happens.
"""
INVITATION = """{course} has an account for you: {login}.
This link signs you in, once, within two weeks:

{link}

Nobody else should see it.
"""
LINKS: dict[LinkKind, tuple[str, str, timedelta]] = {
    "sign-in": ("Sign in to {course}", SIGN_IN, timedelta(minutes=30)),
    "invitation": ("Your account for {course}", INVITATION, timedelta(days=14)),
}
"""For each kind of mail with a personal link its subject, its text, and how long the link works."""
MOST_CHARACTERS = 100


def _write_about_hand_in(mail: QueuedMail, assignment: Assignment, course: str, course_url: str) -> tuple[str, str]:
    """Return the subject and the text of a mail about a hand-in."""
    assert mail.kind != "sign-in"
    assert mail.kind != "invitation"
    path = f"/inquiries/{mail.inquiry_key}" if mail.kind == "answer" else f"/hand-ins/{mail.hand_in_key}"
    values = {
        "assignment": _format_line(assignment.title),
        "attempt": mail.attempt,
        "file": _format_line(mail.file_name),
        "when": format_moment(mail.handed_in, assignment.deadline_rules.default_zone),
        "sha256": mail.sha256,
        "link": f"{course_url}{path}",
    }
    end = END.format(course=course, settings=f"{course_url}/account")
    return SUBJECTS[mail.kind].format(**values), TEXTS[mail.kind].format(**values) + end


def _write_sign_in_link(store: ServerStore, mail: QueuedMail, course: str, course_url: str) -> tuple[str, str]:
    """Return the subject and the text of a mail with a new link to sign in."""
    assert mail.kind == "sign-in" or mail.kind == "invitation"
    token, (subject, text, lifetime) = make_random_token(), LINKS[mail.kind]
    store.accounts.add_invitation(mail.account, token, lifetime)
    values = {"course": course, "login": mail.login, "link": f"{course_url}/link/{token}"}
    return subject.format(**values), text.format(**values)


def _compose_mail_message(mail: QueuedMail, subject: str, text: str, sender_address: str) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["From"] = sender_address
    message["To"] = mail.address
    message["Subject"] = subject
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<{mail.key}@{sender_address.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: automatic responders do not answer
    message.set_content(text)
    return message


def _format_line(text: str) -> str:
    return escape_for_display(text, MOST_CHARACTERS)


POLL_SECONDS = 2.0
HIDDEN = timedelta(minutes=1)
"""How long a mail about a result that its student may not see yet is put off before the next check."""
log = logging.getLogger("autograder.mail")


@dataclass
class QueuedMailSender:
    """Sends mails until it is told to stop.

    Attributes:
        settings: the server's settings.
        server: where mail goes.
        stop: set to end it.
    """

    settings: CourseServerSettings
    server: SmtpServerSettings
    stop: threading.Event

    def run(self) -> None:
        """Send due mails until ``stop`` is set.

        A fault is logged and the next round tries again (refusals of the mail server also go to the page on health).
        """
        while not self.stop.wait(POLL_SECONDS):
            try:
                with open_server_store(self.settings.location) as store:
                    self.send_due_mails(store)
            except Fault as fault:
                log.error("%s", fault)

    def send_due_mails(self, store: ServerStore) -> int:
        """Send every due mail, and return how many were sent; stop early if the server cannot be reached."""
        course, sent_count = self.settings.location.class_key_in_store, 0
        loaded_course: Course | None = None
        while not self.stop.is_set() and (mail := store.mails.try_claim_due_mail(course, datetime.now(UTC))):
            loaded_course = loaded_course or store.settings.load_course(self.settings.course, course)
            assignment = loaded_course.find_assignment(mail.assignment)
            is_gone = assignment is None and mail.kind not in LINKS
            if not mail.is_wanted or is_gone or not is_mail_address(mail.address):
                reason = "the assignment is gone" if is_gone else "no e-mail address is known"
                store.mails.record_mail_outcome(mail, "dropped", reason if mail.is_wanted else "")
                continue
            if mail.kind == "result" and assignment and not _is_result_visible(store, course, assignment, mail):
                store.mails.put_off(mail, datetime.now(UTC) + HIDDEN, counts_as_try=False)
                continue
            title = _format_line(loaded_course.title or "Autograder")
            if assignment:
                written = _write_about_hand_in(mail, assignment, title, self.settings.course_url)
            else:
                written = _write_sign_in_link(store, mail, title, self.settings.course_url)
            message = _compose_mail_message(mail, *written, self.server.sender)
            if not self._send_mail(store, mail, message):
                break
            sent_count += 1
        return sent_count

    def _send_mail(self, store: ServerStore, mail: QueuedMail, message: EmailMessage) -> bool:
        """Send one mail; return whether the server can be reached."""
        try:
            with self.server.open_connection(os.environ.get(PASSWORD, "")) as connection:
                connection.send_message(message)
        except smtplib.SMTPRecipientsRefused as error:
            code, reply = next(iter(error.recipients.values()))
            if code < 500:
                self._schedule_retry(store, mail, f"{code} {reply!r}")
            else:
                self._report_fault(store, f"mail to {mail.submission or mail.login} was refused: {code} {reply!r}")
                store.mails.record_mail_outcome(mail, "failed", f"{code} {reply!r}")
            return True
        except OSError as error:
            self._report_fault(store, f"{self.server.host}: {type(error).__name__}: {error}")
            self._schedule_retry(store, mail, str(error))
            return False
        store.mails.record_mail_outcome(mail, "sent")
        return True

    def _schedule_retry(self, store: ServerStore, mail: QueuedMail, problem: str) -> None:
        if mail.tries >= MOST_TRIES:
            store.mails.record_mail_outcome(mail, "failed", problem)
        else:
            store.mails.put_off(mail, datetime.now(UTC) + compute_retry_delay(mail.tries), problem)

    def _report_fault(self, store: ServerStore, problem: str) -> None:
        log.error("%s", problem)
        store.faults.record_fault(self.settings.location.class_key_in_store, "mail", problem)


def _is_result_visible(store: ServerStore, course: str, assignment: Assignment, mail: QueuedMail) -> bool:
    results = EffectiveClassResults(store, course, assignment)
    hand_in = store.hand_ins.find_hand_in(course, mail.hand_in_key)
    report = results.find_full_report(hand_in) if hand_in else None
    return report is not None and results.cut_report_for_student_or_none(report, mail.account) is not None

"""Write mails: what happened and where to look, and nothing of a result."""

from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from autograder.course import Assignment
from autograder.safe_text import escape_for_display
from autograder.store.web.mail_settings_table import MailKind
from autograder.store.web.mail_table import QueuedMail
from autograder.web.template_filters import format_moment

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
MOST_CHARACTERS = 100


def compose_mail_message(
    mail: QueuedMail, assignment: Assignment, course_title: str, sender_address: str, course_url: str
) -> EmailMessage:
    """Return a mail as it is sent.

    Args:
        mail: what it tells.
        assignment: the assignment that it is about.
        course_title: the course.
        sender_address: the address that it comes from.
        course_url: the course's first page, without a slash at its end.
    """
    path = f"/inquiries/{mail.inquiry_key}" if mail.kind == "answer" else f"/hand-ins/{mail.hand_in_key}"
    values = {
        "assignment": _format_line(assignment.title),
        "attempt": mail.attempt,
        "file": _format_line(mail.file_name),
        "when": format_moment(mail.handed_in, assignment.deadline_rules.default_zone),
        "sha256": mail.sha256,
        "link": f"{course_url}{path}",
    }
    message = EmailMessage(policy=SMTP)
    message["From"] = sender_address
    message["To"] = mail.address
    message["Subject"] = SUBJECTS[mail.kind].format(**values)
    message["Date"] = format_datetime(datetime.now(UTC))
    message["Message-ID"] = f"<{mail.key}@{sender_address.rpartition('@')[2]}>"
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: automatic responders do not answer
    footer = END.format(course=_format_line(course_title or "Autograder"), settings=f"{course_url}/mail")
    message.set_content(TEXTS[mail.kind].format(**values) + footer)
    return message


def _format_line(text: str) -> str:
    return escape_for_display(text, MOST_CHARACTERS)

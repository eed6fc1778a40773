"""Model hand-ins from the web, before and after they are saved."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from autograder.lateness import AttemptAllowance
from autograder.store.web.account_tables import Enrolment
from autograder.store.web.mail_settings_table import MailKind
from autograder.submissions.origin import TOGETHER

State = Literal["queued", "grading", "graded", "failed"]
"""See ``grading_queue``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandIn:
    """One file that a student or a team handed in; its bytes are loaded separately."""

    id: int
    key: str
    """Identifies it in URLs; cannot be guessed."""
    course: str
    assignment: str
    owner: str
    """The login of the student, or the logins of the team, ``ada + bob``."""
    attempt: int
    submission: str
    """Its submission id in class, report and gradebook, such as ``ada-2``."""
    file_name: str
    size: int
    sha256: str
    handed_in: datetime
    state: State
    problem: str
    """Why it could not be graded; for the staff."""


@dataclass(frozen=True, slots=True)
class NewHandIn:
    """A new hand-in, before it is saved."""

    course: str
    assignment: str
    members: Sequence[Enrolment]
    """The students who hand it in; the first one sent it."""
    file_name: str
    """The file's name, for display."""
    content: bytes
    handed_in: datetime | None = None
    """When it arrived, here or elsewhere; None for the present time."""
    is_import: bool = False
    """Whether it was handed in elsewhere, so that no student waits for its result now."""
    mails: tuple[MailKind, ...] = ()
    """The kinds of mails that its members get."""

    @property
    def owner(self) -> str:
        """Return the login of the student, or the logins of the team, ``ada + bob``."""
        return make_owner_name(self.members)

    @property
    def sha256(self) -> str:
        """Return the digest of the content in hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()


def make_owner_name(members: Iterable[Enrolment]) -> str:
    """Return what a hand-in of a student or a team stands under: ``ada``, ``ada + bob``."""
    return TOGETHER.join(sorted(member.login for member in members))


class AttemptLimitReached(Exception):
    """A hand-in was refused because of an attempt limit; the allowance tells which."""

    def __init__(self, allowance: AttemptAllowance) -> None:
        super().__init__("this attempt goes beyond what the assignment allows")
        self.allowance = allowance


class ByteQuotaReached(Exception):
    """A hand-in was refused because what its sender handed in before has too many bytes together with it."""

    def __init__(self, kept_bytes: int) -> None:
        super().__init__("the sender's hand-ins would have too many bytes")
        self.kept_bytes = kept_bytes


@dataclass(frozen=True, slots=True)
class HandInQueueSummary:
    """How many hand-ins of a course are in each state, and since when the oldest one waits."""

    counts: dict[str, int]
    """The number of hand-ins by their state; a state without any is left out."""
    oldest: datetime | None
    """When the oldest one without a result was handed in; None if all have one."""

"""Model the events of the audit log, and what those of one command share."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

AuditAction = Literal[
    "batch",
    "regrade",
    "report",
    "deadlines",
    "decide",
    "undo",
    "export",
    "upload",
    "lms",
    "inquiry",
    "publish",
    "unpublish",
    "show names",
    "import",
]
"""The kinds of actions; docs/store.md explains each."""


@dataclass(frozen=True, slots=True)
class AuditContext:
    """The fields that all audit rows of one command share."""

    kind: AuditAction
    account: str
    """The user who runs the command, as this machine knows them."""
    platform: str
    class_name: str
    assignment: str
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    """An id shared by all rows of one command, and by no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One change or sending of a mark, a comment, a name, a decision, a deadline or a setting."""

    changed_item: str
    """The kind of thing, such as ``mark`` or ``comment``."""
    target: str = ""
    """Where on the platform, such as a column's id; empty where the platform does not say."""
    student: str = ""
    """The platform's own id of the student."""
    student_label: str
    """The student for people."""
    submission: str = ""
    before: str
    after: str
    platform_state_before: str = ""
    """See ``LastExportedValue.platform_state_before``."""
    overwrote: bool = False
    """See ``LastExportedValue.overwrote_decision``."""
    reason: str = ""
    """Why a person decided so; stored in the column that holds the platform's answer for what was sent."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A row of the audit table."""

    recorded_at: datetime
    action: AuditContext
    event: AuditEvent
    as_account: str
    state: str
    answer: str
    """The platform's answer, or the reason of a person's decision."""

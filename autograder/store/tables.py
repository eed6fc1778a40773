"""Define the types of columns, and the tables of results, versions, classes, audit and decisions.

Web and LTI tables are added to the same ``metadata`` elsewhere. Whoever changes a table adds statements to
``connection.UPGRADES``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

from autograder.lateness import StudentNames
from autograder.submissions.origin import SubmissionOrigin


class SurrogateText(TypeDecorator[str]):
    r"""Text that a database may refuse as it is, such as a file's name that is no UTF-8.

    The database holds it as in a JSON string, such as ``caf\udce9``; different texts stay different.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """Return a text with characters that a database refuses escaped."""
        if value is None:
            return None
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()[1:-1]

    def process_result_value(self, value: str | None, dialect: Any) -> str | None:
        """Return the text that was bound."""
        return value if value is None or "\\" not in value else json.loads(f'"{value}"')


class UtcTime(TypeDecorator[datetime]):
    """A moment as ISO 8601 text in UTC, of one length, so that the texts sort as the moments do."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> str | None:
        """Return a moment as text."""
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Any) -> datetime | None:
        """Return the moment in UTC."""
        return None if value is None else datetime.fromisoformat(value)


class Json(TypeDecorator[Any]):
    """A value as JSON in ASCII, where lone surrogates are escapes, read back as ``kind``."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        """Return a value as JSON."""
        return None if value is None else json.dumps(msgspec.to_builtins(value))

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        """Return the value of JSON."""
        return None if value is None else msgspec.convert(json.loads(value), self.kind)


def utc_now() -> datetime:
    """Return this moment in UTC."""
    return datetime.now(UTC)


def required(kind: type[TypeEngine[Any]] | TypeEngine[Any], *names: str) -> Iterator[Column[Any]]:
    """Yield columns of one type that are never null."""
    return (Column(name, kind, nullable=False) for name in names)


metadata = MetaData()

schema = Table("autograder_schema", metadata, Column("version", Integer, primary_key=True, autoincrement=False))
"""The version of the tables; see ``connection.UPGRADES``."""

results = Table(
    "results",
    metadata,
    Column("id", Integer, primary_key=True),
    *required(String(64), "identity", "sha256"),
    *required(Text, "assignment", "kit", "status", "graded_at", "assignment_parts"),
    *required(String(16), "version", "environment_hash", "misconceptions_state"),
    Column("final", Boolean, nullable=False),
    Column("score", Float, nullable=False),
    *required(LargeBinary, "report", "pytest_record"),
    UniqueConstraint(
        "identity", "assignment", "version", "kit", "environment_hash", "misconceptions_state", name="what_decides_it"
    ),
)
"""One result per submission content and grading rules; written once, and replaced only while it is not final.

``assignment_parts`` has, as JSON, a digest of each part of the assignment that the result depends on.
"""

batches = Table(
    "batches",
    metadata,
    Column("id", Integer, primary_key=True),
    *required(SurrogateText, "name", "submissions_path"),
    *required(Text, "assignment", "platform", "kit"),
    *required(String(16), "version", "environment_hash", "misconceptions_state"),
    Column("ran_at", UtcTime, nullable=False, default=utc_now),
    Column("roster", Json(list[dict[str, str]]), nullable=False, default=[]),
    Column("deadline_rules", Text, nullable=False, default=""),
    UniqueConstraint("name", "assignment", name="one_batch"),
)
"""The graded classes: the path of their submissions, the rules of the last grading, and as JSON the roster and the
deadline rules that their marks follow, each empty if there is none."""

members = Table(
    "members",
    metadata,
    Column("batch", Integer, ForeignKey("batches.id"), primary_key=True),
    Column("name", SurrogateText, primary_key=True),
    Column("position", Integer, nullable=False),
    *required(SurrogateText, "path", "problem"),
    *required(String(64), "identity", "sha256"),
    *required(Text, "student", "handed_in"),
    Column("origin", Json(SubmissionOrigin)),
    Column("students", Json(tuple[StudentNames, ...]), nullable=False),
    Column("last_result", Integer),
    Index("in_order", "batch", "position"),
)
"""The submissions of a class. ``identity`` is empty until the submission was read; ``student`` and ``handed_in``
(ISO 8601) until its owner and time are known. ``origin``, in JSON, is null if unknown; ``students``, in JSON, are all
names of each student who handed it in, if known. ``last_result`` is the id of the result that counted last, null if
unknown. It is no foreign key, because that result may be deleted."""

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("recorded_at", UtcTime, nullable=False, default=utc_now),
    *required(Text, "action", "platform", "assignment"),
    Column("run", String(32), nullable=False),
    *required(SurrogateText, "account", "as_account", "class_name", "target", "student", "student_label"),
    *required(SurrogateText, "submission", "before", "after", "platform_state_before", "answer"),
    *required(String(16), "changed_item", "state"),
    Column("overwrote", Boolean, nullable=False),
    Index("audit_of_a_class", "class_name", "assignment", "platform"),
)
"""Events that change, send or reveal data of a class; rows are deleted only with their whole course.

See ``audit_model.AuditContext`` and ``audit_model.AuditEvent``.
"""

decisions = Table(
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("batch", Integer, ForeignKey("batches.id"), nullable=False),
    Column("kind", String(16), nullable=False),
    *required(SurrogateText, "submission_or_student", "subject", "value", "reason", "author", "account", "undone_by"),
    *required(Text, "decided_at", "undone_at"),
    Column("sha256", String(64), nullable=False),
    Column("run", String(32), nullable=False),
    Index("decisions_about_a_class", "batch"),
)
"""The staff's decisions, in order; an undone decision stays, with the time of its undoing.

See ``decisions.Decision``.
"""

course_settings = Table(
    "course_settings",
    metadata,
    Column("course", SurrogateText, primary_key=True),
    Column("assignment", Text, primary_key=True),
    Column("name", String(32), primary_key=True),
    Column("value", Json(Any)),
)
"""Settings of assignments that the staff changed on the web; see ``course_settings.CourseSettingsTable``."""

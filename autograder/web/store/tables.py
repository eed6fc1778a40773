"""Define the tables of the web service."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from autograder.store.tables import Json, SurrogateText, UtcTime, metadata, required, utc_now

accounts = Table(
    "web_accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("login", Text, nullable=False, unique=True),
    Column("name", SurrogateText, nullable=False),
    Column("made_at", UtcTime, nullable=False, default=utc_now),
)
"""People who may sign in. There are no passwords."""

enrolments = Table(
    "web_enrolments",
    metadata,
    Column("account", Integer, ForeignKey("web_accounts.id"), primary_key=True),
    Column("course", SurrogateText, primary_key=True),
    Column("role", String(24), nullable=False),
    Column("team", SurrogateText, nullable=False),
    Column("section", SurrogateText, nullable=False, default=""),
    Column("seen_at", UtcTime),
    Column("ended_at", UtcTime),
)
"""Roles in courses; students with the same team hand in together. A course has the same name as its classes.

``section`` may hold several, with commas between them. ``ended_at`` ends access, however somebody signs in.
"""

invitations = Table(
    "web_invitations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("token", String(64), nullable=False, unique=True),
    Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
    Column("made_at", UtcTime, nullable=False, default=utc_now),
    Column("expires_at", UtcTime, nullable=False),
    Column("used_at", UtcTime),
    Column("revoked_at", UtcTime),
    Index("invitations_of_an_account", "account"),
)
"""Personal links. Tokens are stored as their SHA-256, so that a reader of the store cannot sign in with them."""

sign_ins = Table(
    "web_sign_ins",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
    Column("is_shell", Boolean, nullable=False, default=False),
    Column("made_at", UtcTime, nullable=False, default=utc_now),
    Column("expires_at", UtcTime, nullable=False),
    Index("sign_ins_of_an_account", "account"),
)
"""Browsers that are signed in, by the SHA-256 of what their cookie holds, and shells, by that of their token."""

hand_ins = Table(
    "web_hand_ins",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String(32), nullable=False, unique=True),
    *required(SurrogateText, "course", "file_name"),
    *required(Text, "assignment", "owner", "submission"),
    *required(Integer, "attempt", "size", "turn"),
    Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("handed_in", UtcTime, nullable=False, default=utc_now),
    Column("state", String(16), nullable=False, default="queued"),
    Column("tries", Integer, nullable=False, default=0),
    Column("worker", Text, nullable=False, default=""),
    Column("lease_until", UtcTime),
    Column("problem", SurrogateText, nullable=False, default=""),
    Column("is_behind", Boolean, nullable=False),
    *(Column(name, UtcTime) for name in ("queued_at", "begun_at", "ended_at")),
    Column("content", LargeBinary, nullable=False),
    UniqueConstraint("course", "assignment", "owner", "attempt", name="one_attempt"),
    Index("hand_ins_by_state", "state", "id"),
)
"""Hand-ins from the web, and how far their grading is. See ``store.hand_ins``."""

hand_in_members = Table(
    "web_hand_in_members",
    metadata,
    Column("hand_in", Integer, ForeignKey("web_hand_ins.id"), primary_key=True),
    Column("account", Integer, ForeignKey("web_accounts.id"), primary_key=True),
    Index("hand_ins_of_an_account", "account"),
)
"""The members of each hand-in, as the team was at that time: they and the staff may see it."""

inquiries = Table(
    "web_inquiries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String(32), nullable=False, unique=True),
    Column("hand_in", Integer, ForeignKey("web_hand_ins.id"), nullable=False),
    Column("test", SurrogateText, nullable=False),
    Column("state", String(16), nullable=False),
    Column("changed_at", UtcTime, nullable=False, default=utc_now),
    UniqueConstraint("hand_in", "test", name="one_inquiry"),
)
"""Students' inquiries about results: a row for a test of an attempt, or for its whole result where ``test`` is empty.
See ``inquiry_table.InquirySummary``."""

inquiry_entries = Table(
    "web_inquiry_entries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("inquiry", Integer, ForeignKey("web_inquiries.id"), nullable=False),
    Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("text", SurrogateText, nullable=False),
    Column("written_at", UtcTime, nullable=False, default=utc_now),
    Index("entries_of_an_inquiry", "inquiry"),
)
"""The history of inquiries: questions, answers, and who closed one; rows are never taken away."""

inquiry_readers = Table(
    "web_inquiry_readers",
    metadata,
    Column("inquiry", Integer, ForeignKey("web_inquiries.id"), primary_key=True),
    Column("account", Integer, ForeignKey("web_accounts.id"), primary_key=True),
    Column("last_read", Integer, nullable=False),
)
"""Up to which entry a student has read an inquiry."""

publications = Table(
    "web_publications",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("course", SurrogateText, nullable=False),
    Column("assignment", Text, nullable=False),
    Column("student", Integer, ForeignKey("web_accounts.id")),
    Column("is_published", Boolean, nullable=False),
    Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
    Column("decided_at", UtcTime, nullable=False, default=utc_now),
    Index("publications_of_an_assignment", "course", "assignment"),
)
"""When results of an assignment were published and taken back, for a student or for all; the last row about somebody
is in force for them."""

regrade_trials = Table(
    "web_regrade_trials",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String(32), nullable=False, unique=True),
    Column("course", SurrogateText, nullable=False),
    Column("assignment", Text, nullable=False),
    Column("version", String(16), nullable=False),
    Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
    Column("begun_at", UtcTime, nullable=False, default=utc_now),
    Column("carried_out_at", UtcTime),
)
"""Regrades that the staff tries before they count. See ``regrade_trial_table.RegradeTrial``."""

regrade_trial_marks = Table(
    "web_regrade_trial_marks",
    metadata,
    Column("trial", Integer, ForeignKey("web_regrade_trials.id"), primary_key=True),
    Column("hand_in", Integer, ForeignKey("web_hand_ins.id"), primary_key=True),
    Column("state", String(16), nullable=False, default="waiting"),
    Column("difference", Float, nullable=False, default=0.0),
    Column("is_lowered", Boolean, nullable=False, default=False),
    Column("lines", Json(tuple[str, ...]), nullable=False, default=()),
)
"""The effect that a regrade would have on each hand-in: how the mark would change, and why, as lines in JSON."""

mails = Table(
    "web_mails",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String(32), nullable=False, unique=True),
    Column("course", SurrogateText, nullable=False),
    Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
    Column("hand_in", Integer, ForeignKey("web_hand_ins.id")),
    Column("inquiry", Integer, ForeignKey("web_inquiries.id")),
    Column("kind", String(16), nullable=False),
    Column("state", String(16), nullable=False, default="waiting"),
    Column("tries", Integer, nullable=False, default=0),
    Column("due_at", UtcTime, nullable=False, default=utc_now),
    Column("problem", SurrogateText, nullable=False, default=""),
    Index("mails_by_state", "state", "due_at"),
)
"""Mails, and what became of them; a mail with a link to sign in is about no hand-in. See ``store.mails``."""

mail_settings = Table(
    "web_mail_settings",
    metadata,
    Column("account", Integer, ForeignKey("web_accounts.id"), primary_key=True),
    Column("address", SurrogateText, nullable=False, default=""),
    Column("unwanted", Text, nullable=False, default=""),
)
"""Where somebody gets mail, if not at a login that is an address; and the kinds that they do not want, by spaces."""

workers = Table(
    "web_workers",
    metadata,
    Column("course", SurrogateText, primary_key=True),
    Column("name", SurrogateText, primary_key=True),
    *required(Text, "tier", "kit", "python"),
    Column("started_at", UtcTime, nullable=False, default=utc_now),
    Column("seen_at", UtcTime, nullable=False, default=utc_now),
    Column("ended_at", UtcTime),
)
"""The workers that grade, the last start of each. See ``worker_table.LastWorkerRun``."""

faults = Table(
    "web_faults",
    metadata,
    Column("id", Integer, primary_key=True),
    *required(SurrogateText, "course", "source", "text"),
    Column("happened_at", UtcTime, nullable=False, default=utc_now),
    Index("faults_of_a_course", "course"),
)
"""Recent faults of the pages or of a worker that no hand-in caused; old ones are deleted."""

"""Declare for every column whether it is exported with a person, and what an erasure leaves of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Column, Row, Table, select

from autograder.store.session import StoreSession
from autograder.store.tables import audit, batches, course_settings, decisions, members, results, schema
from autograder.web.store import tables as web
from autograder.web.store.lti import tables as lti_mark_tables
from autograder.web.store.lti import tables as lti_tables


@dataclass(frozen=True, slots=True)
class PersonalData:
    """What becomes of a table's rows and columns; columns are written with spaces between them."""

    rows: Literal["deleted", "shared", "kept"]
    """``deleted``: the rows of an erased person go, with their account, hand-in or class. ``shared``: so do those of
    the person alone; in others, the person is renamed. ``kept``: they hold nothing about a student."""
    exported: str = ""
    """Columns that an export of a person and the archive of a term hold."""
    withheld: str = ""
    """Columns that they do not: secrets, numbers of rows, what is exported as a file, what is about no person."""
    renamed: str = ""
    """Columns of ``shared`` rows with texts in which an erasure replaces the person's names."""


PERSONAL_DATA: dict[Table, PersonalData] = {
    schema: PersonalData("kept", withheld="version"),
    results: PersonalData(
        "deleted",
        exported="version kit graded_at score status report pytest_record",
        withheld="id identity assignment environment_hash misconceptions_state sha256 final assignment_parts",
    ),
    batches: PersonalData(
        "shared",
        exported="roster",
        withheld="id name assignment submissions_path platform version kit environment_hash misconceptions_state"
        " ran_at deadline_rules",
    ),
    members: PersonalData(
        "shared",
        exported="name path problem handed_in origin",
        withheld="batch position identity sha256 student students last_result",
    ),
    audit: PersonalData(
        "shared",
        exported="recorded_at action run as_account platform class_name assignment student student_label submission"
        " changed_item before after platform_state_before overwrote state answer",
        withheld="id account target",
        renamed="account as_account target student student_label submission before after platform_state_before"
        " answer",
    ),
    decisions: PersonalData(
        "shared",
        exported="kind submission_or_student subject value reason author decided_at sha256 run undone_at undone_by",
        withheld="id batch account",
        renamed="submission_or_student subject value reason",
    ),
    course_settings: PersonalData("kept", withheld="course assignment name value"),
    web.accounts: PersonalData("deleted", exported="login name made_at", withheld="id"),
    web.enrolments: PersonalData("deleted", exported="role team section seen_at ended_at", withheld="account course"),
    web.invitations: PersonalData(
        "deleted", exported="made_at expires_at used_at revoked_at", withheld="id token account"
    ),
    web.sign_ins: PersonalData("deleted", exported="is_shell made_at expires_at", withheld="token account"),
    web.hand_ins: PersonalData(
        "shared",
        exported="key course assignment owner attempt submission file_name size sha256 handed_in queued_at begun_at"
        " ended_at state problem",
        withheld="id account tries worker lease_until content is_behind turn",
        renamed="owner submission problem",
    ),
    web.hand_in_members: PersonalData("deleted", withheld="hand_in account"),
    web.inquiries: PersonalData("deleted", exported="key hand_in test state changed_at", withheld="id"),
    web.inquiry_entries: PersonalData(
        "shared", exported="kind text written_at", withheld="id inquiry account", renamed="text"
    ),
    web.inquiry_readers: PersonalData("deleted", withheld="inquiry account last_read"),
    web.publications: PersonalData("shared", withheld="id course assignment student is_published account decided_at"),
    web.regrade_trials: PersonalData(
        "kept", withheld="id key course assignment version account begun_at carried_out_at"
    ),
    web.regrade_trial_marks: PersonalData(
        "shared", withheld="trial hand_in state difference is_lowered lines", renamed="lines"
    ),
    web.mails: PersonalData(
        "deleted", withheld="id key course account hand_in inquiry kind state tries due_at problem"
    ),
    web.mail_settings: PersonalData("deleted", exported="address unwanted", withheld="account"),
    web.workers: PersonalData("kept", withheld="course name tier kit python started_at seen_at ended_at"),
    web.faults: PersonalData("deleted", withheld="id course source text happened_at"),
    lti_tables.platforms: PersonalData(
        "kept",
        withheld="id name kind issuer client_id login_url token_url keys_url token_audience deployments allow_private"
        " made_at removed_at",
    ),
    lti_tables.tickets: PersonalData("kept", withheld="token kind data expires_at"),
    lti_tables.people: PersonalData(
        "deleted",
        withheld="id platform deployment subject account own_account state proposed_account is_test_user made_at",
    ),
    lti_tables.contexts: PersonalData(
        "kept",
        withheld="id platform deployment context title course is_connected members_url line_items_url scopes"
        " members_read_at made_at",
    ),
    lti_tables.memberships: PersonalData("deleted", withheld="context person role left_at"),
    lti_tables.line_items: PersonalData(
        "kept", withheld="id context resource_link assignment line_item_url line_items_url scopes changed_at"
    ),
    lti_tables.deadlines: PersonalData("deleted", withheld="id line_item person deadline said_by said_at"),
    lti_tables.deadline_sources: PersonalData("kept", withheld="course assignment source"),
    lti_mark_tables.marks: PersonalData(
        "deleted",
        withheld="id line_item person url version value state confirmed in_doubt last_timestamp overwrites tries"
        " next_try worker lease_until answer changed_at",
    ),
    lti_mark_tables.attempts: PersonalData(
        "deleted", withheld="id mark recorded_at kind version value status answer"
    ),
    lti_mark_tables.settings: PersonalData("kept", withheld="line_item send_when"),
}
"""What becomes of each table; ``tests/web/store/test_personal_data.py`` proves that no column is missing."""


def make_course_condition(table: Table, course: str) -> Any:
    """Return the condition for the rows of a course, in a table that has a course or refers to one that has."""
    column = {batches: batches.c.name, audit: audit.c.class_name}.get(table, table.c.get("course"))
    if column is not None:
        return column == course
    referring_column = next(column for column in table.c if column.foreign_keys)
    (key,) = referring_column.foreign_keys
    return referring_column.in_(select(key.column).where(make_course_condition(key.column.table, course)))


def export_rows(session: StoreSession, table: Table, condition: Any) -> list[dict[str, Any]]:
    """Return rows of a table for people to read, in the order in which they were written."""
    query = select(*list_exported_columns(table)).where(condition)
    return [make_export_record(row) for row in session.fetch_all(query.order_by(*table.primary_key.columns))]


def list_exported_columns(table: Table) -> list[Column[Any]]:
    """Return the columns of a table that an export holds."""
    return [table.c[name] for name in PERSONAL_DATA[table].exported.split()]


def make_export_record(row: Row[Any]) -> dict[str, Any]:
    """Return a row for people to read."""
    return {name: _make_readable(value) for name, value in row._mapping.items()}


def _make_readable(value: Any) -> Any:
    if value is None:
        return ""
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value

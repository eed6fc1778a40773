"""Export all records of one student of a course: account, hand-ins, inquiries, decisions, audit rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Column, Row, or_, select

from autograder.store.core_table_definitions import audit, batches, decisions
from autograder.store.people.stored_person_reader import roster_row_contains_login
from autograder.store.people.stored_student import StoredStudent
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.session import StorePart, StoreSession
from autograder.store.web.hand_in_table import COLUMNS
from autograder.store.web.web_table_definitions import (
    accounts,
    hand_ins,
    inquiries,
    inquiry_entries,
    invitations,
    mail_settings,
    sign_ins,
)
from autograder.submissions.origin import TOGETHER

SECRET_COLUMNS = ("content", "token", "worker", "lease_until", "id", "account", "batch", "inquiry", "target")
"""Columns left out of exports: bytes exported as separate files, digests of secrets, and row numbers."""


class PersonRecordExporter(StorePart):
    """Exports what a store keeps of people."""

    def export_account(self, person: StoredStudent) -> dict[str, Any]:
        """Return the account of a student with what signs them in, without any secret."""
        if person.account is None:
            return {"login": person.login, "names": sorted(person.texts)}
        account_id = person.account.account
        row = self._session.fetch_one(select(accounts).where(accounts.c.id == account_id))
        mail = self._session.fetch_one(select(mail_settings).where(mail_settings.c.account == account_id))
        links, browsers = (
            self._session.fetch_all(select(table).where(table.c.account == account_id))
            for table in (invitations, sign_ins)
        )
        return {
            **make_export_record(row),
            "names": sorted(person.texts),
            "role": person.account.role,
            "team": person.account.team,
            "mail": None if mail is None else make_export_record(mail),
            "links": [make_export_record(link) for link in links],
            "browsers": [make_export_record(browser) for browser in browsers],
        }

    def list_hand_in_records_for_export(self, person: StoredStudent) -> list[dict[str, Any]]:
        """Return the student's submissions, from the web and from batches, without the files."""
        hand_in_ids = [hand_in.id for hand_in in person.hand_ins]
        rows = self._session.fetch_all(select(*COLUMNS).where(hand_ins.c.id.in_(hand_in_ids)).order_by(hand_ins.c.id))
        web_records = [make_export_record(row) for row in rows]
        web_names = {record["submission"] for record in web_records}
        return [
            *web_records,
            *(
                {"assignment": submission.assignment, **_describe_entry(submission.entry)}
                for submission in person.entries
                if submission.entry.name not in web_names
            ),
        ]

    def list_inquiry_records(self, person: StoredStudent) -> list[dict[str, Any]]:
        """Return the inquiries about the student's hand-ins, each with its history, without names of staff."""
        records = []
        for hand_in in person.hand_ins:
            inquiry_rows = self._session.fetch_all(select(inquiries).where(inquiries.c.hand_in == hand_in.id))
            for inquiry in inquiry_rows:
                entries = [
                    {**make_export_record(entry), "login": _hide_staff(entry.login, hand_in.owner)}
                    for entry in fetch_inquiry_history(self._session, inquiry.id, accounts.c.login)
                ]
                records.append({**make_export_record(inquiry), "hand_in": hand_in.submission, "history": entries})
        return records

    def export_decisions(self, person: StoredStudent) -> list[dict[str, Any]]:
        """Return what people decided about a student or their submissions."""
        names = list(_collect_person_and_submission_names(person))
        assignment_by_class = {submission.class_id: submission.assignment for submission in person.entries}
        query = select(decisions).where(
            decisions.c.batch.in_(assignment_by_class), decisions.c.submission_or_student.in_(names)
        )
        return [
            {"assignment": assignment_by_class[row.batch], **make_export_record(row)}
            for row in self._session.fetch_all(query.order_by(decisions.c.id))
        ]

    def list_audit_records_for_export(self, person: StoredStudent) -> list[dict[str, Any]]:
        """Return the rows of the audit table about a student, or about what they did."""
        names = list(_collect_person_and_submission_names(person))
        is_about_person = or_(
            *(audit.c[column].in_(names) for column in ("submission", "student_label")),
            audit.c.account == f"web:{person.login}",
        )
        query = select(audit).where(audit.c.class_name == person.course, is_about_person).order_by(audit.c.id)
        return [make_export_record(row) for row in self._session.fetch_all(query)]

    def list_roster_rows(self, person: StoredStudent) -> list[dict[str, str]]:
        """Return the rows of rosters that a student has."""
        query = select(batches.c.roster).where(batches.c.name == person.course)
        rows = [row for batch in self._session.fetch_all(query) for row in batch.roster]
        return [row for row in rows if roster_row_contains_login(row, person.login)]


def make_export_record(database_row: Any) -> dict[str, Any]:
    """Return a row for people to read, without secrets and numbers of other rows."""
    values = {name: value for name, value in database_row._mapping.items() if name not in SECRET_COLUMNS}
    return {name: _make_readable(value) for name, value in values.items()}


def _make_readable(value: Any) -> Any:
    if value is None:
        return ""
    return value.isoformat(timespec="microseconds") if isinstance(value, datetime) else value


def fetch_inquiry_history(
    session: StoreSession, inquiry_id: int, *account_columns: Column[Any]
) -> Sequence[Row[Any]]:
    """Return the events of an inquiry in their order, each with columns of its writer's account."""
    query = select(*account_columns, inquiry_entries).join(accounts, accounts.c.id == inquiry_entries.c.account)
    return session.fetch_all(query.where(inquiry_entries.c.inquiry == inquiry_id).order_by(inquiry_entries.c.id))


def _collect_person_and_submission_names(person: StoredStudent) -> set[str]:
    """Return all names under which rows may be about a student: of submissions, of teams, and the login."""
    owners = {hand_in.owner for hand_in in person.hand_ins}
    students = {
        submission.entry.submission_time.student for submission in person.entries if submission.entry.submission_time
    }
    return {person.login, *person.solo_submission_names, *person.team_submission_names, *owners, *students}


def _describe_entry(entry: StoredSubmissionEntry) -> dict[str, Any]:
    submission_time = entry.submission_time
    return {
        "submission": entry.name,
        "path": str(entry.path),
        "problem": entry.problem,
        "handed_in": submission_time.handed_in.isoformat() if submission_time else "",
        "origin": msgspec.to_builtins(entry.origin) if entry.origin else None,
    }


def _hide_staff(login: str, owner: str) -> str:
    return login if login in owner.split(TOGETHER) else "the staff"

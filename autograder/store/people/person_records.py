"""Export all records of one student of a course: account, hand-ins, inquiries, decisions, audit rows."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import and_, or_, select

from autograder.store.core_table_definitions import audit, batches, decisions
from autograder.store.people.personal_data import export_rows, list_exported_columns, make_export_record
from autograder.store.people.stored_person_reader import roster_row_contains_login
from autograder.store.people.stored_student import StoredStudent
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.session import StorePart, StoreSession
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


class PersonRecordExporter(StorePart):
    """Exports what a store keeps of people."""

    def export_account(self, person: StoredStudent) -> dict[str, Any]:
        """Return the account of a student with what signs them in, without any secret."""
        if person.account is None:
            return {"login": person.login, "names": sorted(person.texts)}
        account_id = person.account.account
        (account,) = export_rows(self._session, accounts, accounts.c.id == account_id)
        mails, links, browsers = (
            export_rows(self._session, table, table.c.account == account_id)
            for table in (mail_settings, invitations, sign_ins)
        )
        return {
            **account,
            "names": sorted(person.texts),
            "role": person.account.role,
            "team": person.account.team,
            "mail": mails[0] if mails else None,
            "links": links,
            "browsers": browsers,
        }

    def list_hand_in_records_for_export(self, person: StoredStudent) -> list[dict[str, Any]]:
        """Return the student's submissions, from the web and from batches, without the files."""
        is_own = hand_ins.c.id.in_([hand_in.id for hand_in in person.hand_ins])
        web_records = export_rows(self._session, hand_ins, is_own)
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
            for record in export_inquiries(self._session, inquiries.c.hand_in == hand_in.id):
                for entry in record["history"]:
                    entry["login"] = _hide_staff(entry["login"], hand_in.owner)
                    del entry["name"]
                submission = record.pop("submission")
                records.append({**record, "hand_in": submission})
        return records

    def export_decisions(self, person: StoredStudent) -> list[dict[str, Any]]:
        """Return what people decided about a student or their submissions."""
        assignment_by_class = {submission.class_id: submission.assignment for submission in person.entries}
        is_about_person = decisions.c.submission_or_student.in_(_collect_person_and_submission_names(person))
        query = select(batches.c.assignment, *list_exported_columns(decisions))
        query = query.join(batches, batches.c.id == decisions.c.batch).order_by(decisions.c.id)
        query = query.where(decisions.c.batch.in_(assignment_by_class), is_about_person)
        return [make_export_record(row) for row in self._session.fetch_all(query)]

    def list_audit_records_for_export(self, person: StoredStudent) -> list[dict[str, Any]]:
        """Return the rows of the audit table about a student, or about what they did."""
        names = _collect_person_and_submission_names(person)
        is_about_person = or_(
            audit.c.submission.in_(names), audit.c.student_label.in_(names), audit.c.account == f"web:{person.login}"
        )
        return export_rows(self._session, audit, and_(audit.c.class_name == person.course, is_about_person))

    def list_roster_rows(self, person: StoredStudent) -> list[dict[str, str]]:
        """Return the rows of rosters that a student has."""
        rosters = export_rows(self._session, batches, batches.c.name == person.course)
        rows = [row for record in rosters for row in record["roster"]]
        return [row for row in rows if roster_row_contains_login(row, person.login)]


def export_inquiries(session: StoreSession, condition: Any) -> list[dict[str, Any]]:
    """Return inquiries in their order, each with the name of its submission and its history."""
    query = select(inquiries.c.id, *list_exported_columns(inquiries), hand_ins.c.submission)
    query = query.join(hand_ins, hand_ins.c.id == inquiries.c.hand_in).where(condition).order_by(inquiries.c.id)
    records = []
    for row in session.fetch_all(query):
        history = select(accounts.c.login, accounts.c.name, *list_exported_columns(inquiry_entries))
        history = history.join(accounts, accounts.c.id == inquiry_entries.c.account)
        history = history.where(inquiry_entries.c.inquiry == row.id).order_by(inquiry_entries.c.id)
        record = make_export_record(row)
        del record["id"]
        records.append({**record, "history": [make_export_record(entry) for entry in session.fetch_all(history)]})
    return records


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

"""Read all records of one student of a course: account, hand-ins, decisions, audit rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import or_, select

from autograder.store.column_encoding import decode_text, encode_text
from autograder.store.core_table_definitions import audit, batches, decisions, members
from autograder.store.lti.lti_table_definitions import people as lti_people
from autograder.store.people.stored_student import StoredStudent, StudentSubmissionEntry
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry, convert_row_to_entry
from autograder.store.session import StoreSession
from autograder.store.web.account_tables import AccountTables, Enrolment
from autograder.store.web.hand_in_table import COLUMNS, convert_row_to_hand_in
from autograder.store.web.web_table_definitions import (
    accounts,
    enrolments,
    hand_in_members,
    hand_ins,
    inquiries,
    inquiry_entries,
    invitations,
    mail_settings,
    sign_ins,
)
from autograder.student_name_comparison import normalize_student_name_keeping_case
from autograder.submissions.submission_aliases import map_aliases_to_submissions, map_written_names

SECRET_COLUMNS = ("content", "token", "worker", "lease_until", "id", "account", "batch", "inquiry", "target")
"""Columns left out of exports: bytes exported as separate files, digests of secrets, and row numbers."""


class StoredPersonReader:
    """What a store keeps of people. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession) -> None:
        self._session = session

    def find_person(self, course: str, login: str) -> StoredStudent | None:
        """Return what is kept of a person of the course, a student or a member of its staff; None if nothing is.

        Args:
            course: what the course is called in the store.
            login: the person's login, or the name under which batches know them, also as the gradebook writes it.
        """
        login = normalize_student_name_keeping_case(login)
        account = AccountTables(self._session).find_enrolment(course, login)
        entries = tuple(self._iterate_entries(course, login))
        if account is None and not entries:
            login = self._find_name_as_written(course, login)
            entries = tuple(self._iterate_entries(course, login))
        if account is None and not entries:
            return None
        account_id = account.account if account else -1
        hand_in_query = select(*COLUMNS).join(hand_in_members, hand_in_members.c.hand_in == hand_ins.c.id)
        hand_in_query = hand_in_query.where(
            hand_in_members.c.account == account_id, hand_ins.c.course == encode_text(course)
        )
        course_query = select(enrolments.c.course).where(
            enrolments.c.account == account_id, enrolments.c.course != encode_text(course)
        )
        return StoredStudent(
            course,
            login,
            account,
            self._collect_texts(course, login, account, entries),
            tuple(
                convert_row_to_hand_in(row) for row in self._session.fetch_all(hand_in_query.order_by(hand_ins.c.id))
            ),
            entries,
            tuple(decode_text(row.course) for row in self._session.fetch_all(course_query)),
        )

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
                query = select(accounts.c.login, inquiry_entries).join(
                    accounts, accounts.c.id == inquiry_entries.c.account
                )
                history = self._session.fetch_all(
                    query.where(inquiry_entries.c.inquiry == inquiry.id).order_by(inquiry_entries.c.id)
                )
                entries = [
                    {**make_export_record(entry), "login": _hide_staff(entry.login, hand_in.owner)}
                    for entry in history
                ]
                records.append({**make_export_record(inquiry), "hand_in": hand_in.submission, "history": entries})
        return records

    def export_decisions(self, person: StoredStudent) -> list[dict[str, Any]]:
        """Return what people decided about a student or their submissions."""
        names = [encode_text(name) for name in _collect_person_and_submission_names(person)]
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
        names = [encode_text(name) for name in _collect_person_and_submission_names(person)]
        is_about_person = or_(
            *(audit.c[column].in_(names) for column in ("submission", "student_label")),
            audit.c.account == encode_text(f"web:{person.login}"),
        )
        query = (
            select(audit)
            .where(audit.c.class_name == encode_text(person.course), is_about_person)
            .order_by(audit.c.id)
        )
        return [make_export_record(row) for row in self._session.fetch_all(query)]

    def list_roster_rows(self, person: StoredStudent) -> list[dict[str, str]]:
        """Return the rows of rosters that a student has."""
        query = select(batches.c.roster).where(batches.c.name == encode_text(person.course), batches.c.roster != "")
        rows = [row for batch in self._session.fetch_all(query) for row in json.loads(batch.roster)]
        return [row for row in rows if roster_row_contains_login(row, person.login)]

    def _iterate_entries(self, course: str, login: str) -> Iterator[StudentSubmissionEntry]:
        for entry in self._list_entries_of_course(course):
            students = entry.entry.names_of_each_student
            name = normalize_student_name_keeping_case(entry.entry.name)
            if any(login in names for names in students) or name == login:
                yield entry

    def _list_entries_of_course(self, course: str) -> list[StudentSubmissionEntry]:
        query = select(batches.c.id.label("class_id"), batches.c.assignment, members)
        query = query.join(members, members.c.batch == batches.c.id).where(batches.c.name == encode_text(course))
        found = []
        for row in self._session.fetch_all(query.order_by(batches.c.id, members.c.position)):
            entry = convert_row_to_entry(row)
            is_shared = len(entry.names_of_each_student) > 1
            found.append(StudentSubmissionEntry(row.class_id, row.assignment, entry, is_shared=is_shared))
        return found

    def _find_name_as_written(self, course: str, written: str) -> str:
        """Return the name of the student or submission that the gradebook writes so; the text itself if none is."""
        entries = [one.entry for one in self._list_entries_of_course(course)]
        students = [name for entry in entries for names in entry.names_of_each_student for name in names]
        submission = map_aliases_to_submissions(entries).get(written)
        name = submission.name if submission else map_written_names(students).get(written, written)
        return normalize_student_name_keeping_case(name)

    def _collect_texts(
        self, course: str, login: str, account: Enrolment | None, entries: tuple[StudentSubmissionEntry, ...]
    ) -> frozenset[str]:
        texts = {login}
        if account:
            texts.add(account.name)
            query = select(mail_settings.c.address).where(mail_settings.c.account == account.account)
            texts.update(decode_text(row.address) for row in self._session.fetch_all(query))
            query = select(accounts.c.login, accounts.c.name).join(
                lti_people, lti_people.c.own_account == accounts.c.id
            )
            for row in self._session.fetch_all(query.where(lti_people.c.account == account.account)):
                texts.update((row.login, decode_text(row.name)))
        for submission in entries:
            origin = submission.entry.origin
            texts.update(*(names for names in submission.entry.names_of_each_student if login in names))
            people = origin.people if origin else ()
            own_people = (
                people if len(people) == 1 else [person for person in people if login in (person.login, person.email)]
            )
            texts.update(text for person in own_people for text in (person.name, person.email, person.login))
        roster_query = select(batches.c.roster).where(batches.c.name == encode_text(course), batches.c.roster != "")
        for row in self._session.fetch_all(roster_query):
            for roster_row in json.loads(row.roster):
                if roster_row_contains_login(roster_row, login):
                    texts.update(
                        cell for column, cell in roster_row.items() if _is_roster_column_other_than_group(column)
                    )
        return frozenset({login, *(text for text in texts if len(text.strip()) > 1)})


def _collect_person_and_submission_names(person: StoredStudent) -> set[str]:
    """Return all names under which rows may be about a student: of submissions, of teams, and the login."""
    owners = {hand_in.owner for hand_in in person.hand_ins}
    students = {
        submission.entry.timed_submission.student
        for submission in person.entries
        if submission.entry.timed_submission
    }
    return {person.login, *person.unshared_submission_names, *person.shared_submission_names, *owners, *students}


def roster_row_contains_login(roster_row: dict[str, str], login: str) -> bool:
    """Return whether a row of a roster is about a student."""
    return login in {normalize_student_name_keeping_case(cell) for cell in roster_row.values()}


def _is_roster_column_other_than_group(column_name: str) -> bool:
    """Return whether a column of a roster is about one person alone.

    Every column is, unknown ones too, apart from group, section, team and role.
    """
    return column_name.casefold() not in ("group", "section", "team", "role")


def make_export_record(database_row: Any) -> dict[str, Any]:
    """Return a row for people to read, without secrets and numbers of other rows."""
    values = {name: value for name, value in database_row._mapping.items() if name not in SECRET_COLUMNS}
    return {name: decode_text(value) if isinstance(value, str) else value for name, value in values.items()}


def _describe_entry(entry: StoredSubmissionEntry) -> dict[str, Any]:
    timed_submission = entry.timed_submission
    return {
        "submission": entry.name,
        "path": str(entry.path),
        "problem": entry.problem,
        "handed_in": timed_submission.handed_in.isoformat() if timed_submission else "",
        "origin": msgspec.to_builtins(entry.origin) if entry.origin else None,
    }


def _hide_staff(login: str, owner: str) -> str:
    return login if login in owner.split("+") else "the staff"

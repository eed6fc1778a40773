"""Export all records of one student or of one course, and erase the course when the term is over."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import and_, delete, or_, select

from autograder.faults import CallerFault
from autograder.store.results.graded_class_table import StoredSubmissionEntry
from autograder.store.session import StorePart, StoreSession, delete_results_without_submission, delete_rows_cascading
from autograder.store.tables import audit, batches, course_settings, decisions
from autograder.submissions.origin import TOGETHER
from autograder.web.store.people.erasure import delete_lms_records
from autograder.web.store.people.personal_data import (
    export_rows,
    list_exported_columns,
    make_course_condition,
    make_export_record,
)
from autograder.web.store.people.student import StoredStudent, roster_row_contains_login
from autograder.web.store.tables import (
    accounts,
    enrolments,
    faults,
    hand_ins,
    inquiries,
    inquiry_entries,
    invitations,
    mail_settings,
    publications,
    regrade_trials,
    sign_ins,
)


class PersonRecordExporter(StorePart):
    """Exports what a store keeps of people."""

    def export_account(self, person: StoredStudent) -> dict[str, Any]:
        """Return the account of a student with what signs them in, without any secret."""
        if person.account is None:
            return {"login": person.login, "names": sorted(person.texts)}
        account_id = person.account.account
        (account,) = export_rows(self._session, accounts, accounts.c.id == account_id)
        is_of_course = and_(enrolments.c.account == account_id, enrolments.c.course == person.course)
        (enrolment,) = export_rows(self._session, enrolments, is_of_course)
        mails, links, browsers = (
            export_rows(self._session, table, table.c.account == account_id)
            for table in (mail_settings, invitations, sign_ins)
        )
        return {
            **account,
            "names": sorted(person.texts),
            **enrolment,
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
            for record in _export_inquiries(self._session, inquiries.c.hand_in == hand_in.id):
                for entry in record["history"]:
                    is_own = entry["login"] in hand_in.owner.split(TOGETHER)
                    entry["login"] = entry["login"] if is_own else "the staff"
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


def _export_inquiries(session: StoreSession, condition: Any) -> list[dict[str, Any]]:
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


OF_A_COURSE = (hand_ins, regrade_trials, publications, faults, batches, audit, course_settings)


class CourseRecords(StorePart):
    """Reads all records of a course for its archive, and erases them but for staff, LMS links and their deadlines."""

    def list_assignments_with_data(self, course: str) -> list[str]:
        """Return the assignments with stored data."""
        graded_query = select(batches.c.assignment).where(batches.c.name == course)
        hand_in_query = select(hand_ins.c.assignment).where(hand_ins.c.course == course)
        rows = self._session.fetch_all(graded_query.union(hand_in_query))
        return sorted(row.assignment for row in rows)

    def list_pending_submission_names(self, course: str) -> list[str]:
        """Return the names of hand-ins that wait to be graded, or are graded now."""
        is_pending = and_(hand_ins.c.course == course, hand_ins.c.state.in_(["queued", "grading"]))
        return [row.submission for row in self._session.fetch_all(select(hand_ins.c.submission).where(is_pending))]

    def export_people(self, course: str) -> list[dict[str, Any]]:
        """Return everybody in a course."""
        query = select(accounts.c.login, accounts.c.name, *list_exported_columns(enrolments))
        query = query.join(enrolments, enrolments.c.account == accounts.c.id)
        query = query.where(enrolments.c.course == course).order_by(accounts.c.login)
        return [make_export_record(row) for row in self._session.fetch_all(query)]

    def list_inquiry_records(self, course: str, assignment: str) -> list[dict[str, Any]]:
        """Return the inquiries about an assignment in their order, each with its history."""
        is_of_assignment = and_(hand_ins.c.course == course, hand_ins.c.assignment == assignment)
        return _export_inquiries(self._session, is_of_assignment)

    def export_decisions(self, course: str, assignment: str) -> list[dict[str, Any]]:
        """Return what people decided about an assignment, in its order."""
        class_query = select(batches.c.id).where(batches.c.name == course, batches.c.assignment == assignment)
        return export_rows(self._session, decisions, decisions.c.batch.in_(class_query))

    def list_audit_records_for_export(self, course: str, assignment: str) -> list[dict[str, Any]]:
        """Return everything that changed or sent a mark of an assignment, in its order."""
        is_of_assignment = and_(audit.c.class_name == course, audit.c.assignment == assignment)
        return export_rows(self._session, audit, is_of_assignment)

    def lock_hand_ins(self, course: str) -> None:
        """Let nobody of a course hand in until the open group is committed."""
        with self._session.group_statements():
            self._session.lock_rows(enrolments, enrolments.c.course == course)

    def erase_student_records(self, course: str) -> None:
        """Erase a course except its staff, its links to LMSs and everybody's deadlines there; all of it or nothing.

        The links hold no data about students, and the next term needs them.

        Raises:
            CallerFault: a hand-in waits to be graded.
        """
        with self._session.transaction():
            self.lock_hand_ins(course)
            pending_names = self.list_pending_submission_names(course)
            if pending_names:
                raise CallerFault(
                    f"submission {pending_names[0]} still waits to be graded",
                    advice="wait until everything is graded",
                )
            for table in OF_A_COURSE:
                delete_rows_cascading(self._session, table, make_course_condition(table, course))
            is_student = and_(enrolments.c.course == course, enrolments.c.role == "student")
            account_query = select(enrolments.c.account).where(is_student)
            account_ids = [row.account for row in self._session.fetch_all(account_query)]
            self._session.execute(delete(enrolments).where(is_student))
            delete_lms_records(self._session, course)
            is_not_enrolled = accounts.c.id.not_in(select(enrolments.c.account))
            delete_rows_cascading(self._session, accounts, and_(accounts.c.id.in_(account_ids), is_not_enrolled))
            delete_results_without_submission(self._session)

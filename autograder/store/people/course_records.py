"""Export all records of one course for an archive, and erase the course when the term is over."""

from __future__ import annotations

from typing import Any

from sqlalchemy import and_, delete, select

from autograder.faults import CallerFault
from autograder.store.core_table_definitions import audit, batches, decisions
from autograder.store.people.lms_record_erasure import delete_lms_records_of_students
from autograder.store.people.person_records import export_inquiries
from autograder.store.people.personal_data import (
    export_rows,
    list_exported_columns,
    make_course_condition,
    make_export_record,
)
from autograder.store.row_removal import delete_results_without_submission, delete_rows_cascading
from autograder.store.session import StorePart
from autograder.store.web.web_table_definitions import (
    accounts,
    enrolments,
    faults,
    hand_ins,
    publications,
    regrade_trials,
)

OF_A_COURSE = (hand_ins, regrade_trials, publications, faults, batches, audit)


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
        return export_inquiries(self._session, is_of_assignment)

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
            delete_lms_records_of_students(self._session, course)
            is_not_enrolled = accounts.c.id.not_in(select(enrolments.c.account))
            delete_rows_cascading(self._session, accounts, and_(accounts.c.id.in_(account_ids), is_not_enrolled))
            delete_results_without_submission(self._session)

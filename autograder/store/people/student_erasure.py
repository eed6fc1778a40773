"""Erase one student from a store: delete rows of that student alone, and leave the rows of teams."""

from __future__ import annotations

from sqlalchemy import and_, delete, or_, select, update

from autograder.faults import CallerFault
from autograder.store.core_table_definitions import audit, decisions, members
from autograder.store.lti.lti_table_definitions import people as lti_people
from autograder.store.people.lms_record_erasure import delete_lms_records_of_account
from autograder.store.people.person_pseudonymizer import PersonPseudonymizer
from autograder.store.people.personal_data import make_course_condition
from autograder.store.people.shared_row_pseudonymizer import SharedRowPseudonymizer
from autograder.store.people.stored_student import StoredStudent
from autograder.store.row_removal import delete_results_without_submission, delete_rows_cascading
from autograder.store.session import StorePart
from autograder.store.web.web_table_definitions import (
    accounts,
    enrolments,
    faults,
    hand_in_members,
    hand_ins,
    inquiries,
    inquiry_entries,
)

MARKS = ("comment", "inquiry")
"""Kinds of audit rows whose values are text about a student instead of a mark."""


class CourseStudentEraser(StorePart):
    """Erases a student from a course; shared work stays, without the student's name."""

    def list_other_logins_in_store(self, login: str) -> frozenset[str]:
        """Return the logins of all other accounts in the store, whatever their courses."""
        rows = self._session.fetch_all(select(accounts.c.login).where(accounts.c.login != login))
        return frozenset(row.login for row in rows)

    def erase_person_from_course(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Erase a student from a course of the store; all of it or nothing.

        Raises:
            CallerFault: one of the student's files is being graded now.
        """
        with self._session.transaction():
            self._lock_rows(person)
            self._replace_names_in_audit_rows_about(person, name_replacer)
            self._delete_own_rows(person, name_replacer)
            self._leave_shared_hand_ins(person, name_replacer)
            shared_rows = SharedRowPseudonymizer(self._session, person, name_replacer)
            shared_rows.replace_in_entries_and_rosters()
            self._delete_account(person)
            shared_rows.replace_in_texts()
            delete_results_without_submission(self._session)
            shared_rows.replace_in_kept_results()

    def _lock_rows(self, person: StoredStudent) -> None:
        """Lock the student's rows, so that hand-ins and claims wait for the end of this transaction."""
        account_id = person.account.account if person.account else -1
        self._session.lock_rows(enrolments, enrolments.c.account == account_id)
        is_own = hand_ins.c.id.in_([hand_in.id for hand_in in person.hand_ins])
        self._session.lock_rows(hand_ins, is_own)
        grading_query = select(hand_ins.c.submission).where(is_own, hand_ins.c.state == "grading")
        hand_in = self._session.fetch_one(grading_query)
        if hand_in:
            raise CallerFault(
                f"submission {hand_in.submission} is being graded", advice="wait a minute, then run the command again"
            )

    def _replace_names_in_audit_rows_about(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Replace names and delete texts in audit rows about the student.

        The rows still tell that a mark changed, when, by whom, from what and to what.
        """
        names = list({person.login} | person.solo_submission_names)
        is_about_person = and_(
            audit.c.class_name == person.course,
            or_(audit.c.submission.in_(names), audit.c.student_label.in_(names)),
        )
        columns = dict.fromkeys(("student", "student_label", "submission"), name_replacer.pseudonym)
        self._session.execute(
            update(audit).where(is_about_person).values(**columns, platform_state_before="", answer="")
        )
        is_text = audit.c.changed_item.in_(MARKS)
        self._session.execute(
            update(audit).where(audit.c.submission == name_replacer.pseudonym, is_text).values(before="", after="")
        )
        is_by_person = audit.c.account == f"web:{person.login}"
        self._session.execute(update(audit).where(is_by_person).values(answer="", as_account=name_replacer.pseudonym))

    def _delete_own_rows(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        names = list({person.login} | person.solo_submission_names)
        is_about_person = decisions.c.submission_or_student.in_(names)
        self._session.execute(
            delete(decisions).where(make_course_condition(decisions, person.course), is_about_person)
        )
        for submission in person.entries:
            if not submission.is_of_team:
                is_own = and_(members.c.batch == submission.class_id, members.c.name == submission.entry.name)
                self._session.execute(delete(members).where(is_own))
        hand_in_ids = [hand_in.id for hand_in in person.solo_hand_ins]
        delete_rows_cascading(self._session, hand_ins, hand_ins.c.id.in_(hand_in_ids))
        fault_rows = self._session.fetch_all(select(faults).where(faults.c.course == person.course))
        fault_ids = [row.id for row in fault_rows if name_replacer.is_person_named_in(row.text)]
        self._session.execute(delete(faults).where(faults.c.id.in_(fault_ids)))

    def _leave_shared_hand_ins(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Remove a student from a team's hand-ins, which stay with the others."""
        if person.account is None:
            return
        account_id, hand_in_ids = person.account.account, [hand_in.id for hand_in in person.team_hand_ins]
        is_own = and_(hand_in_members.c.hand_in.in_(hand_in_ids), hand_in_members.c.account == account_id)
        self._session.execute(delete(hand_in_members).where(is_own))
        for hand_in in person.team_hand_ins:
            member_query = select(hand_in_members.c.account).where(hand_in_members.c.hand_in == hand_in.id)
            other_account = self._session.fetch_value(member_query)
            is_hand_in = hand_ins.c.id == hand_in.id
            if other_account is None:  # no other member is left
                delete_rows_cascading(self._session, hand_ins, is_hand_in)
                continue
            file_name = name_replacer.make_neutral_file_name_if_needed(hand_in.file_name)
            self._session.execute(update(hand_ins).where(is_hand_in).values(file_name=file_name))
            is_sender = and_(is_hand_in, hand_ins.c.account == account_id)
            self._session.execute(update(hand_ins).where(is_sender).values(account=other_account))
            inquiry_query = select(inquiries.c.id).where(inquiries.c.hand_in == hand_in.id)
            is_own_entry = and_(inquiry_entries.c.inquiry.in_(inquiry_query), inquiry_entries.c.account == account_id)
            self._session.execute(delete(inquiry_entries).where(is_own_entry))
        is_empty = inquiries.c.id.not_in(select(inquiry_entries.c.inquiry))
        delete_rows_cascading(self._session, inquiries, and_(inquiries.c.hand_in.in_(hand_in_ids), is_empty))

    def _delete_account(self, person: StoredStudent) -> None:
        if person.account is None:
            return
        account_id = person.account.account
        condition = and_(enrolments.c.account == account_id, enrolments.c.course == person.course)
        self._session.execute(delete(enrolments).where(condition))
        if person.other_courses:
            delete_lms_records_of_account(self._session, person.course, account_id)
            return
        # another person who was proposed to be this student
        is_proposed = lti_people.c.proposed_account == account_id
        columns = {"proposed_account": None, "state": "own"}
        self._session.execute(update(lti_people).where(is_proposed).values(**columns))
        lti_rows = self._session.fetch_all(select(lti_people.c.own_account).where(lti_people.c.account == account_id))
        for deleted_id in {account_id, *(row.own_account for row in lti_rows)}:
            delete_rows_cascading(self._session, accounts, accounts.c.id == deleted_id)

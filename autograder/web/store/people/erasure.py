"""Erase one student from a store: delete rows of that student alone, and rename the student in those of others."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs
from sqlalchemy import and_, delete, literal, or_, select, update

from autograder.faults import CallerFault
from autograder.store.results.deadline_rules_snapshot import serialize_deadline_rules, try_parse_deadline_rules
from autograder.store.results.graded_class_table import (
    StoredSubmissionEntry,
    convert_entry_to_row,
    convert_row_to_entry,
)
from autograder.store.results.result_model import pack_report, unpack_report
from autograder.store.session import StoreSession, delete_results_without_submission, delete_rows_cascading
from autograder.store.tables import audit, batches, decisions, members, results
from autograder.web.store.lti.tables import contexts, deadlines, line_items, marks, memberships, people
from autograder.web.store.people.personal_data import PERSONAL_DATA, make_course_condition
from autograder.web.store.people.student import PersonPseudonymizer, StoredStudent, roster_row_contains_login
from autograder.web.store.tables import (
    accounts,
    enrolments,
    faults,
    hand_in_members,
    hand_ins,
    inquiries,
    inquiry_entries,
    publications,
)

MARKS = ("comment", "inquiry")
"""Kinds of audit rows whose values are text about a student instead of a mark."""


class CourseStudentEraser:
    """Erases one student from a course; shared work stays, without the student's name.

    Raises ``KitFault`` wherever the database fails.
    """

    def __init__(self, session: StoreSession, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        self._session, self._person, self._name_replacer = session, person, name_replacer
        self._account_id = person.account.account if person.account else -1
        self._own_names = [person.login, *person.solo_submission_names]

    def erase(self) -> None:
        """Erase the student; all of it or nothing.

        Raises:
            CallerFault: one of the student's files is being graded now.
        """
        with self._session.transaction():
            self._lock_rows()
            self._replace_names_in_audit_rows()
            self._delete_own_rows()
            self._leave_shared_hand_ins()
            self._replace_in_entries_and_rosters()
            self._delete_account()
            self._replace_in_texts()
            delete_results_without_submission(self._session)
            self._replace_in_kept_results()

    def _lock_rows(self) -> None:
        """Lock the student's rows, so that hand-ins and claims wait for the end of this transaction."""
        self._session.lock_rows(enrolments, enrolments.c.account == self._account_id)
        is_own = hand_ins.c.id.in_([hand_in.id for hand_in in self._person.hand_ins])
        self._session.lock_rows(hand_ins, is_own)
        grading_query = select(hand_ins.c.submission).where(is_own, hand_ins.c.state == "grading")
        hand_in = self._session.fetch_one(grading_query)
        if hand_in:
            raise CallerFault(
                f"submission {hand_in.submission} is being graded", advice="wait a minute, then run the command again"
            )

    def _replace_names_in_audit_rows(self) -> None:
        """Replace names and delete texts in audit rows about the student.

        The rows still tell that a mark changed, when, by whom, from what and to what.
        """
        pseudonym, names = self._name_replacer.pseudonym, self._own_names
        is_named = or_(audit.c.submission.in_(names), audit.c.student_label.in_(names))
        is_about_person = and_(audit.c.class_name == self._person.course, is_named)
        columns = dict.fromkeys(("student", "student_label", "submission"), pseudonym)
        self._session.execute(
            update(audit).where(is_about_person).values(**columns, platform_state_before="", answer="")
        )
        is_text = audit.c.changed_item.in_(MARKS)
        self._session.execute(
            update(audit).where(audit.c.submission == pseudonym, is_text).values(before="", after="")
        )
        is_by_person = audit.c.account == f"web:{self._person.login}"
        self._session.execute(update(audit).where(is_by_person).values(answer="", as_account=pseudonym))

    def _delete_own_rows(self) -> None:
        person = self._person
        is_about_person = decisions.c.submission_or_student.in_(self._own_names)
        self._session.execute(
            delete(decisions).where(make_course_condition(decisions, person.course), is_about_person)
        )
        for submission in person.entries:
            if not submission.is_of_team:
                is_own = and_(members.c.batch == submission.class_id, members.c.name == submission.entry.name)
                self._session.execute(delete(members).where(is_own))
        hand_in_ids = [hand_in.id for hand_in in person.solo_hand_ins]
        delete_rows_cascading(self._session, hand_ins, hand_ins.c.id.in_(hand_in_ids))
        is_own = and_(publications.c.course == person.course, publications.c.student == self._account_id)
        self._session.execute(delete(publications).where(is_own))
        fault_rows = self._session.fetch_all(select(faults).where(faults.c.course == person.course))
        fault_ids = [row.id for row in fault_rows if self._name_replacer.is_person_named_in(row.text)]
        self._session.execute(delete(faults).where(faults.c.id.in_(fault_ids)))

    def _leave_shared_hand_ins(self) -> None:
        """Remove a student from a team's hand-ins, which stay with the others."""
        account_id, hand_ins_of_teams = self._account_id, self._person.team_hand_ins
        hand_in_ids = [hand_in.id for hand_in in hand_ins_of_teams]
        is_own = and_(hand_in_members.c.hand_in.in_(hand_in_ids), hand_in_members.c.account == account_id)
        self._session.execute(delete(hand_in_members).where(is_own))
        for hand_in in hand_ins_of_teams:
            member_query = select(hand_in_members.c.account).where(hand_in_members.c.hand_in == hand_in.id)
            other_account = self._session.fetch_value(member_query)
            is_hand_in = hand_ins.c.id == hand_in.id
            if other_account is None:  # no other member is left
                delete_rows_cascading(self._session, hand_ins, is_hand_in)
                continue
            file_name = self._name_replacer.make_neutral_file_name_if_needed(hand_in.file_name)
            self._session.execute(update(hand_ins).where(is_hand_in).values(file_name=file_name))
            is_sender = and_(is_hand_in, hand_ins.c.account == account_id)
            self._session.execute(update(hand_ins).where(is_sender).values(account=other_account))
            inquiry_query = select(inquiries.c.id).where(inquiries.c.hand_in == hand_in.id)
            is_own_entry = and_(inquiry_entries.c.inquiry.in_(inquiry_query), inquiry_entries.c.account == account_id)
            self._session.execute(delete(inquiry_entries).where(is_own_entry))
        is_empty = inquiries.c.id.not_in(select(inquiry_entries.c.inquiry))
        delete_rows_cascading(self._session, inquiries, and_(inquiries.c.hand_in.in_(hand_in_ids), is_empty))

    def _delete_account(self) -> None:
        person, account_id = self._person, self._account_id
        condition = and_(enrolments.c.account == account_id, enrolments.c.course == person.course)
        self._session.execute(delete(enrolments).where(condition))
        if person.other_courses:
            delete_lms_records(self._session, person.course, account_id)
            return
        # another person who was proposed to be this student
        is_proposed = people.c.proposed_account == account_id
        columns = {"proposed_account": None, "state": "own"}
        self._session.execute(update(people).where(is_proposed).values(**columns))
        lti_rows = self._session.fetch_all(select(people.c.own_account).where(people.c.account == account_id))
        for deleted_id in {account_id, *(row.own_account for row in lti_rows)}:
            delete_rows_cascading(self._session, accounts, accounts.c.id == deleted_id)

    def _replace_in_texts(self) -> None:
        """Replace the name in the texts of the course's rows that stay, and write the rows that this changes."""
        replace_names = self._name_replacer.replace_names
        for table in (table for table, data in PERSONAL_DATA.items() if data.renamed):
            texts = [table.c[name] for name in PERSONAL_DATA[table].renamed.split()]
            key = [*table.primary_key.columns]
            query = select(*key, *texts).where(make_course_condition(table, self._person.course))
            for row in self._session.fetch_all(query):
                before = {column.name: row._mapping[column] for column in texts}
                after = {
                    name: replace_names(value) if isinstance(value, str) else tuple(map(replace_names, value))
                    for name, value in before.items()
                }
                if after != before:
                    is_row = and_(*(column == row._mapping[column] for column in key))
                    self._session.execute(update(table).where(is_row).values(**after))

    def _replace_in_entries_and_rosters(self) -> None:
        """Remove a student from entries shared with others, from rosters and from personal deadlines."""
        for batch in self._session.fetch_all(select(batches).where(batches.c.name == self._person.course)):
            for row in self._session.fetch_all(select(members).where(members.c.batch == batch.id)):
                entry = convert_row_to_entry(row)
                new_entry = _remove_person(entry, self._person.login, self._name_replacer)
                if new_entry != entry:
                    condition = and_(members.c.batch == batch.id, members.c.name == row.name)
                    values = convert_entry_to_row(batch.id, row.position, new_entry, row)
                    self._session.execute(update(members).where(condition).values(**values))
            rules = try_parse_deadline_rules(batch.deadline_rules)
            if rules is not None:
                rules = rules.without_extensions_of(self._name_replacer.texts)
            columns = {
                "roster": [one for one in batch.roster if not roster_row_contains_login(one, self._person.login)],
                "deadline_rules": serialize_deadline_rules(rules) if rules else batch.deadline_rules,
            }
            self._session.execute(update(batches).where(batches.c.id == batch.id).values(**columns))

    def _replace_in_kept_results(self) -> None:
        """Replace names of files in results that others share: a team, or students with the same submission."""
        identities = {submission.entry.submission_identity for submission in self._person.entries}
        rows = self._session.fetch_all(
            select(results.c.id, results.c.report).where(results.c.identity.in_(identities))
        )
        for row in rows:
            report = unpack_report(row.report)
            files = [
                self._name_replacer.replace_names(self._name_replacer.make_neutral_file_name_if_needed(name))
                for name in report.submission.files
            ]
            if files != report.submission.files:
                new_report = structs.replace(report, submission=structs.replace(report.submission, files=files))
                condition = results.c.id == row.id
                self._session.execute(update(results).where(condition).values(report=pack_report(new_report)))


def _remove_person(
    entry: StoredSubmissionEntry, login: str, name_replacer: PersonPseudonymizer
) -> StoredSubmissionEntry:
    """Return a team's entry without one member."""
    submission_time, origin = entry.submission_time, entry.origin
    if submission_time:
        members = tuple(names for names in submission_time.members if login not in names)
        submission_time = replace(
            submission_time, student=name_replacer.replace_names(submission_time.student), members=members
        )
    if origin:
        own_names = name_replacer.texts
        origin = replace(
            origin,
            people=tuple(
                person for person in origin.people if not {person.login, person.email, person.name} & own_names
            ),
            names=tuple(map(name_replacer.replace_names, origin.names)),
            roster=tuple(row for row in origin.roster if not roster_row_contains_login(dict(row), login)),
        )
    name = name_replacer.replace_names(entry.name)
    path = entry.path.with_name(name_replacer.replace_names(entry.path.name)) if name != entry.name else entry.path
    problem = name_replacer.replace_names(entry.problem)
    return replace(entry, name=name, path=path, problem=problem, submission_time=submission_time, origin=origin)


def delete_lms_records(session: StoreSession, course: str, account_id: int | None = None) -> None:
    """Delete a course's LMS records of one account, or of all students, who may be in another course, too.

    Args:
        session: the open transaction.
        course: the name of the course here.
        account_id: the account; all but the course's staff when None.
    """
    context_query = select(contexts.c.id).where(contexts.c.course == course)
    link_query = select(line_items.c.id).where(line_items.c.context.in_(context_query))
    staff_query = select(enrolments.c.account).where(enrolments.c.course == course)
    is_member = people.c.account.not_in(staff_query) if account_id is None else people.c.account == account_id
    person_query = select(people.c.id).where(is_member)
    is_personal = deadlines.c.person.is_not(None) if account_id is None else deadlines.c.person.in_(person_query)
    is_mark = literal(True) if account_id is None else marks.c.person.in_(person_query)
    delete_rows_cascading(session, marks, and_(marks.c.line_item.in_(link_query), is_mark))
    session.execute(delete(deadlines).where(deadlines.c.line_item.in_(link_query), is_personal))
    is_in_course = memberships.c.context.in_(context_query)
    session.execute(delete(memberships).where(is_in_course, memberships.c.person.in_(person_query)))

"""Erase one student from a store: delete rows of that student alone, and replace the name in shared rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from msgspec import structs
from sqlalchemy import Table, and_, delete, or_, select, update

from autograder.faults import CallerFault
from autograder.store.audit_log import AUDIT_EVENT_TEXTS
from autograder.store.column_encoding import decode_text, encode_text
from autograder.store.core_table_definitions import audit, batches, decisions, members, results
from autograder.store.lti.lti_table_definitions import people as lti_people
from autograder.store.people.person_pseudonymizer import PersonPseudonymizer
from autograder.store.people.stored_person_reader import roster_row_contains_login
from autograder.store.people.stored_student import StoredStudent
from autograder.store.results.deadline_rules_snapshot import serialize_deadline_rules, try_parse_deadline_rules
from autograder.store.results.packed_result import pack_report, unpack_report
from autograder.store.results.submission_entry_rows import (
    StoredSubmissionEntry,
    convert_entry_to_row,
    convert_row_to_entry,
)
from autograder.store.row_removal import delete_results_without_submission, delete_rows_cascading
from autograder.store.session import StoreSession
from autograder.store.web.web_table_definitions import (
    accounts,
    enrolments,
    faults,
    hand_in_members,
    hand_ins,
    inquiries,
    inquiry_entries,
    regrade_trial_marks,
)

SHARED_TEXTS = {
    decisions: ("submission_or_student", "subject", "value", "reason"),
    audit: (*AUDIT_EVENT_TEXTS, "answer", "account", "as_account"),
    inquiry_entries: ("text",),
    hand_ins: ("owner", "submission", "problem"),
}
"""Columns of other people's rows in which the student may be named."""
MARKS = ("comment", "inquiry")
"""Kinds of audit rows whose values are text about a student instead of a mark."""


class CourseStudentEraser:
    """Erases a student from a course; shared work stays, without the student's name.

    Raises ``KitFault`` wherever the database fails.
    """

    def __init__(self, session: StoreSession) -> None:
        self._session = session

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
            self._replace_names_in_entries(person, name_replacer)
            self._delete_account(person)
            for table, columns in SHARED_TEXTS.items():
                self._rewrite_rows(
                    table, columns, self._is_of_course(table, person.course), name_replacer.replace_names
                )
            self._replace_names_in_trials(name_replacer)
            delete_results_without_submission(self._session)
            self._replace_names_in_kept_results(person, name_replacer)

    def _lock_rows(self, person: StoredStudent) -> None:
        """Lock the student's rows, so that hand-ins and claims wait for the end of this transaction."""
        account_id = person.account.account if person.account else -1
        self._session.execute(
            update(enrolments).where(enrolments.c.account == account_id).values(course=enrolments.c.course)
        )
        is_own = hand_ins.c.id.in_([hand_in.id for hand_in in person.hand_ins])
        self._session.execute(update(hand_ins).where(is_own).values(course=hand_ins.c.course))
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
        names = [encode_text(name) for name in ({person.login} | person.unshared_submission_names)]
        is_about_person = and_(
            audit.c.class_name == encode_text(person.course),
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
        is_by_person = audit.c.account == encode_text(f"web:{person.login}")
        self._session.execute(update(audit).where(is_by_person).values(answer="", as_account=name_replacer.pseudonym))

    def _delete_own_rows(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        names = [encode_text(name) for name in ({person.login} | person.unshared_submission_names)]
        for batch in self._list_classes(person):
            self._session.execute(
                delete(decisions).where(decisions.c.batch == batch, decisions.c.submission_or_student.in_(names))
            )
        for submission in person.entries:
            if not submission.is_shared:
                condition = and_(
                    members.c.batch == submission.class_id, members.c.name == encode_text(submission.entry.name)
                )
                self._session.execute(delete(members).where(condition))
        delete_rows_cascading(
            self._session, hand_ins, hand_ins.c.id.in_([hand_in.id for hand_in in person.solo_hand_ins])
        )
        is_of_course = faults.c.course == encode_text(person.course)
        fault_rows = self._session.fetch_all(select(faults).where(is_of_course))
        fault_ids = [row.id for row in fault_rows if name_replacer.is_person_named_in(decode_text(row.text))]
        self._session.execute(delete(faults).where(faults.c.id.in_(fault_ids)))

    def _leave_shared_hand_ins(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Remove a student from a team's hand-ins, which stay with the others."""
        if person.account is None:
            return
        account_id, hand_in_ids = person.account.account, [hand_in.id for hand_in in person.shared_hand_ins]
        is_own = and_(hand_in_members.c.hand_in.in_(hand_in_ids), hand_in_members.c.account == account_id)
        self._session.execute(delete(hand_in_members).where(is_own))
        for hand_in in person.shared_hand_ins:
            member_query = select(hand_in_members.c.account).where(hand_in_members.c.hand_in == hand_in.id)
            other_member = self._session.fetch_one(member_query)
            values: dict[str, Any] = {
                "file_name": encode_text(name_replacer.make_neutral_file_name_if_needed(hand_in.file_name))
            }
            if other_member is None:  # no other member is left
                delete_rows_cascading(self._session, hand_ins, hand_ins.c.id == hand_in.id)
                continue
            sender_query = select(hand_ins.c.account).where(hand_ins.c.id == hand_in.id)
            if self._session.execute(sender_query).scalar_one() == account_id:
                values["account"] = other_member.account
            self._session.execute(update(hand_ins).where(hand_ins.c.id == hand_in.id).values(**values))
            inquiry_query = select(inquiries.c.id).where(inquiries.c.hand_in == hand_in.id)
            is_own_entry = and_(inquiry_entries.c.inquiry.in_(inquiry_query), inquiry_entries.c.account == account_id)
            self._session.execute(delete(inquiry_entries).where(is_own_entry))
        is_empty = inquiries.c.id.not_in(select(inquiry_entries.c.inquiry))
        delete_rows_cascading(self._session, inquiries, and_(inquiries.c.hand_in.in_(hand_in_ids), is_empty))

    def _replace_names_in_entries(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Remove a student from entries shared with others, and from rosters."""
        for batch in self._list_classes(person):
            rows = self._session.fetch_all(select(members).where(members.c.batch == batch))
            for row in rows:
                entry = convert_row_to_entry(row)
                new_entry = _remove_person(entry, person.login, name_replacer)
                if new_entry == entry:
                    continue
                condition = and_(members.c.batch == batch, members.c.name == row.name)
                values = convert_entry_to_row(batch, row.position, new_entry, row)
                self._session.execute(update(members).where(condition).values(**values))
            self._drop_extensions(batch, name_replacer)
            roster_json = self._session.execute(select(batches.c.roster).where(batches.c.id == batch)).scalar_one()
            if roster_json:
                roster = [
                    roster_row
                    for roster_row in json.loads(roster_json)
                    if not roster_row_contains_login(roster_row, person.login)
                ]
                self._session.execute(
                    update(batches).where(batches.c.id == batch).values(roster=json.dumps(roster) if roster else "")
                )

    def _drop_extensions(self, batch: int, name_replacer: PersonPseudonymizer) -> None:
        condition = batches.c.id == batch
        rules_json = self._session.execute(select(batches.c.deadline_rules).where(condition)).scalar_one()
        rules = try_parse_deadline_rules(rules_json)
        if rules is not None:
            new_json = serialize_deadline_rules(rules.without_extensions_of(name_replacer.texts))
            self._session.execute(update(batches).where(condition).values(deadline_rules=new_json))

    def _delete_account(self, person: StoredStudent) -> None:
        if person.account is None:
            return
        account_id = person.account.account
        condition = and_(enrolments.c.account == account_id, enrolments.c.course == encode_text(person.course))
        self._session.execute(delete(enrolments).where(condition))
        if person.other_courses:
            return
        # another person who was proposed to be this student
        is_proposed = lti_people.c.proposed_account == account_id
        columns = {"proposed_account": None, "state": "own"}
        self._session.execute(update(lti_people).where(is_proposed).values(**columns))
        lti_rows = self._session.fetch_all(select(lti_people.c.own_account).where(lti_people.c.account == account_id))
        for deleted_id in {account_id, *(row.own_account for row in lti_rows)}:
            delete_rows_cascading(self._session, accounts, accounts.c.id == deleted_id)

    def _replace_names_in_kept_results(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Replace names of files in results that others share: a team, or students with the same submission."""
        identities = {submission.entry.submission_identity for submission in person.entries}
        rows = self._session.fetch_all(
            select(results.c.id, results.c.report).where(results.c.identity.in_(identities))
        )
        for row in rows:
            report = unpack_report(row.report)
            files = [
                name_replacer.replace_names(name_replacer.make_neutral_file_name_if_needed(name))
                for name in report.submission.files
            ]
            if files != report.submission.files:
                new_report = structs.replace(report, submission=structs.replace(report.submission, files=files))
                condition = results.c.id == row.id
                self._session.execute(update(results).where(condition).values(report=pack_report(new_report)))

    def _replace_names_in_trials(self, name_replacer: PersonPseudonymizer) -> None:
        for row in self._session.fetch_all(select(regrade_trial_marks)):
            lines = [encode_text(name_replacer.replace_names(decode_text(line))) for line in json.loads(row.lines)]
            condition = and_(regrade_trial_marks.c.trial == row.trial, regrade_trial_marks.c.hand_in == row.hand_in)
            self._session.execute(update(regrade_trial_marks).where(condition).values(lines=json.dumps(lines)))

    def _rewrite_rows(
        self, table: Table, columns: tuple[str, ...], condition: Any, transform: Callable[[str], str]
    ) -> None:
        """Apply a change to text columns of some rows, and write the rows that it changes."""
        selected_columns = [table.c.id, *(table.c[name] for name in columns)]
        for row in self._session.fetch_all(select(*selected_columns).where(condition)):
            before = {name: getattr(row, name) for name in columns}
            after = {name: encode_text(transform(decode_text(text))) for name, text in before.items()}
            if after != before:
                self._session.execute(update(table).where(table.c.id == row.id).values(**after))

    def _is_of_course(self, table: Table, course: str) -> Any:
        encoded_course = encode_text(course)
        if table is audit:
            return audit.c.class_name == encoded_course
        if table is decisions:
            return decisions.c.batch.in_(select(batches.c.id).where(batches.c.name == encoded_course))
        if table is inquiry_entries:
            hand_in_query = select(hand_ins.c.id).where(hand_ins.c.course == encoded_course)
            return inquiry_entries.c.inquiry.in_(select(inquiries.c.id).where(inquiries.c.hand_in.in_(hand_in_query)))
        return hand_ins.c.course == encoded_course

    def _list_classes(self, person: StoredStudent) -> list[int]:
        query = select(batches.c.id).where(batches.c.name == encode_text(person.course))
        return [row.id for row in self._session.fetch_all(query)]


def _remove_person(
    entry: StoredSubmissionEntry, login: str, name_replacer: PersonPseudonymizer
) -> StoredSubmissionEntry:
    """Return a team's entry without one member."""
    timed_submission, origin = entry.timed_submission, entry.origin
    if timed_submission:
        members = tuple(names for names in timed_submission.members if login not in names)
        timed_submission = replace(
            timed_submission, student=name_replacer.replace_names(timed_submission.student), members=members
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
    return replace(entry, name=name, path=path, problem=problem, timed_submission=timed_submission, origin=origin)

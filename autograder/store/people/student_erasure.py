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

    def list_other_logins(self, login: str) -> frozenset[str]:
        """Return the logins of all other accounts in the store, whatever their courses."""
        rows = self._session.fetch_all(select(accounts.c.login).where(accounts.c.login != login))
        return frozenset(row.login for row in rows)

    def erase_person_from_course(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Erase a student from a course of the store; all of it or nothing.

        Raises:
            CallerFault: one of the student's files is being graded now.
        """
        with self._session.group_statements_and_commit_if_due():
            self._lock(person)
            self._replace_names_in_audit_rows_about(person, name_replacer)
            self._delete_own_rows(person, name_replacer)
            self._leave_shared_hand_ins(person, name_replacer)
            self._replace_names_in_entries(person, name_replacer)
            self._delete_account(person)
            for table, columns in SHARED_TEXTS.items():
                self._rewrite(table, columns, self._is_of_course(table, person.course), name_replacer.replace_names)
            self._replace_names_in_trials(name_replacer)
            delete_results_without_submission(self._session)
            self._replace_names_in_kept_results(person, name_replacer)
        self._session.commit()

    def _lock(self, person: StoredStudent) -> None:
        """Lock the student's rows, so that hand-ins and claims wait for the end of this transaction."""
        number = person.account.account if person.account else -1
        self._session.execute(
            update(enrolments).where(enrolments.c.account == number).values(course=enrolments.c.course)
        )
        mine = hand_ins.c.id.in_([one.id for one in person.hand_ins])
        self._session.execute(update(hand_ins).where(mine).values(course=hand_ins.c.course))
        graded_now = select(hand_ins.c.submission).where(mine, hand_ins.c.state == "grading")
        busy = self._session.fetch_one(graded_now)
        if busy:
            raise CallerFault(
                f"submission {busy.submission} is being graded", advice="wait a minute, then run the command again"
            )

    def _replace_names_in_audit_rows_about(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Replace names and delete texts in audit rows about the student.

        The rows still tell that a mark changed, when, by whom, from what and to what.
        """
        own = [encode_text(name) for name in ({person.login} | person.unshared_submission_names)]
        about = and_(
            audit.c.class_name == encode_text(person.course),
            or_(audit.c.submission.in_(own), audit.c.student_label.in_(own)),
        )
        bare = dict.fromkeys(("student", "student_label", "submission"), name_replacer.pseudonym)
        self._session.execute(update(audit).where(about).values(**bare, platform_state_before="", answer=""))
        no_mark = audit.c.changed_item.in_(MARKS)
        self._session.execute(
            update(audit).where(audit.c.submission == name_replacer.pseudonym, no_mark).values(before="", after="")
        )
        written = audit.c.account == encode_text(f"web:{person.login}")
        self._session.execute(update(audit).where(written).values(answer="", as_account=name_replacer.pseudonym))

    def _delete_own_rows(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        names = [encode_text(name) for name in ({person.login} | person.unshared_submission_names)]
        for batch in self._list_classes(person):
            self._session.execute(
                delete(decisions).where(decisions.c.batch == batch, decisions.c.submission_or_student.in_(names))
            )
        for one in person.entries:
            if not one.is_shared:
                same = and_(members.c.batch == one.class_id, members.c.name == encode_text(one.entry.name))
                self._session.execute(delete(members).where(same))
        delete_rows_cascading(self._session, hand_ins, hand_ins.c.id.in_([one.id for one in person.solo_hand_ins]))
        of_course = faults.c.course == encode_text(person.course)
        told = self._session.fetch_all(select(faults).where(of_course))
        naming = [row.id for row in told if name_replacer.is_person_named_in(decode_text(row.text))]
        self._session.execute(delete(faults).where(faults.c.id.in_(naming)))

    def _leave_shared_hand_ins(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Remove a student from a team's hand-ins, which stay with the others."""
        if person.account is None:
            return
        number, shared = person.account.account, [one.id for one in person.shared_hand_ins]
        own = and_(hand_in_members.c.hand_in.in_(shared), hand_in_members.c.account == number)
        self._session.execute(delete(hand_in_members).where(own))
        for one in person.shared_hand_ins:
            others = select(hand_in_members.c.account).where(hand_in_members.c.hand_in == one.id)
            left = self._session.fetch_one(others)
            values: dict[str, Any] = {
                "file_name": encode_text(name_replacer.make_neutral_file_name_if_needed(one.file_name))
            }
            if left is None:  # no other member is left
                delete_rows_cascading(self._session, hand_ins, hand_ins.c.id == one.id)
                continue
            sent = select(hand_ins.c.account).where(hand_ins.c.id == one.id)
            if self._session.execute(sent).scalar_one() == number:
                values["account"] = left.account
            self._session.execute(update(hand_ins).where(hand_ins.c.id == one.id).values(**values))
            asked = select(inquiries.c.id).where(inquiries.c.hand_in == one.id)
            theirs = and_(inquiry_entries.c.inquiry.in_(asked), inquiry_entries.c.account == number)
            self._session.execute(delete(inquiry_entries).where(theirs))
        empty = inquiries.c.id.not_in(select(inquiry_entries.c.inquiry))
        delete_rows_cascading(self._session, inquiries, and_(inquiries.c.hand_in.in_(shared), empty))

    def _replace_names_in_entries(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Remove a student from entries shared with others, and from rosters."""
        for batch in self._list_classes(person):
            rows = self._session.fetch_all(select(members).where(members.c.batch == batch))
            for row in rows:
                entry = convert_row_to_entry(row)
                kept = _without_person(entry, person.login, name_replacer)
                if kept == entry:
                    continue
                same = and_(members.c.batch == batch, members.c.name == row.name)
                values = convert_entry_to_row(batch, row.position, kept, row)
                self._session.execute(update(members).where(same).values(**values))
            self._drop_extensions(batch, name_replacer)
            listed = self._session.execute(select(batches.c.roster).where(batches.c.id == batch)).scalar_one()
            if listed:
                left = [one for one in json.loads(listed) if not roster_row_contains_login(one, person.login)]
                self._session.execute(
                    update(batches).where(batches.c.id == batch).values(roster=json.dumps(left) if left else "")
                )

    def _drop_extensions(self, batch: int, name_replacer: PersonPseudonymizer) -> None:
        same = batches.c.id == batch
        rules_json = self._session.execute(select(batches.c.deadline_rules).where(same)).scalar_one()
        kept = try_parse_deadline_rules(rules_json)
        if kept is not None:
            left = serialize_deadline_rules(kept.without_extensions_of(name_replacer.texts))
            self._session.execute(update(batches).where(same).values(deadline_rules=left))

    def _delete_account(self, person: StoredStudent) -> None:
        if person.account is None:
            return
        number = person.account.account
        here = and_(enrolments.c.account == number, enrolments.c.course == encode_text(person.course))
        self._session.execute(delete(enrolments).where(here))
        if person.other_courses:
            return
        proposed = lti_people.c.proposed_account == number  # another person who was proposed to be this student
        alone = {"proposed_account": None, "state": "own"}
        self._session.execute(update(lti_people).where(proposed).values(**alone))
        of_platforms = self._session.fetch_all(select(lti_people.c.own_account).where(lti_people.c.account == number))
        for each in {number, *(row.own_account for row in of_platforms)}:
            delete_rows_cascading(self._session, accounts, accounts.c.id == each)

    def _replace_names_in_kept_results(self, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        """Replace names of files in results that others share: a team, or students with the same submission."""
        identities = {one.entry.submission_identity for one in person.entries}
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
                kept = structs.replace(report, submission=structs.replace(report.submission, files=files))
                same = results.c.id == row.id
                self._session.execute(update(results).where(same).values(report=pack_report(kept)))

    def _replace_names_in_trials(self, name_replacer: PersonPseudonymizer) -> None:
        for row in self._session.fetch_all(select(regrade_trial_marks)):
            lines = [encode_text(name_replacer.replace_names(decode_text(line))) for line in json.loads(row.lines)]
            same = and_(regrade_trial_marks.c.trial == row.trial, regrade_trial_marks.c.hand_in == row.hand_in)
            self._session.execute(update(regrade_trial_marks).where(same).values(lines=json.dumps(lines)))

    def _rewrite(self, table: Table, columns: tuple[str, ...], where: Any, change: Callable[[str], str]) -> None:
        """Apply a change to text columns of some rows, and write the rows that it changes."""
        chosen = [table.c.id, *(table.c[name] for name in columns)]
        for row in self._session.fetch_all(select(*chosen).where(where)):
            before = {name: getattr(row, name) for name in columns}
            after = {name: encode_text(change(decode_text(text))) for name, text in before.items()}
            if after != before:
                self._session.execute(update(table).where(table.c.id == row.id).values(**after))

    def _is_of_course(self, table: Table, course: str) -> Any:
        named = encode_text(course)
        if table is audit:
            return audit.c.class_name == named
        if table is decisions:
            return decisions.c.batch.in_(select(batches.c.id).where(batches.c.name == named))
        if table is inquiry_entries:
            of_course = select(hand_ins.c.id).where(hand_ins.c.course == named)
            return inquiry_entries.c.inquiry.in_(select(inquiries.c.id).where(inquiries.c.hand_in.in_(of_course)))
        return hand_ins.c.course == named

    def _list_classes(self, person: StoredStudent) -> list[int]:
        query = select(batches.c.id).where(batches.c.name == encode_text(person.course))
        return [row.id for row in self._session.fetch_all(query)]


def _without_person(
    entry: StoredSubmissionEntry, login: str, name_replacer: PersonPseudonymizer
) -> StoredSubmissionEntry:
    """Return a team's entry without one member."""
    timed, origin = entry.timed_submission, entry.origin
    if timed:
        others = tuple(names for names in timed.members if login not in names)
        timed = replace(timed, student=name_replacer.replace_names(timed.student), members=others)
    if origin:
        mine = name_replacer.texts
        origin = replace(
            origin,
            people=tuple(one for one in origin.people if not {one.login, one.email, one.name} & mine),
            names=tuple(map(name_replacer.replace_names, origin.names)),
            roster=tuple(one for one in origin.roster if not roster_row_contains_login(dict(one), login)),
        )
    name = name_replacer.replace_names(entry.name)
    path = entry.path.with_name(name_replacer.replace_names(entry.path.name)) if name != entry.name else entry.path
    problem = name_replacer.replace_names(entry.problem)
    return replace(entry, name=name, path=path, problem=problem, timed_submission=timed, origin=origin)

"""Replace the name of an erased student in rows that others share: entries, rosters, texts, trials, results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgspec import structs
from sqlalchemy import Table, and_, select, update

from autograder.store.core_table_definitions import audit, batches, decisions, members, results
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
from autograder.store.session import StoreSession
from autograder.store.web.web_table_definitions import hand_ins, inquiries, inquiry_entries, regrade_trial_marks

SHARED_TEXTS = {
    decisions: ("submission_or_student", "subject", "value", "reason"),
    audit: (
        "target",
        "student",
        "student_label",
        "submission",
        "before",
        "after",
        "platform_state_before",
        "answer",
        "account",
        "as_account",
    ),
    inquiry_entries: ("text",),
    hand_ins: ("owner", "submission", "problem"),
}
"""Columns of other people's rows in which the student may be named."""


class SharedRowPseudonymizer:
    """Replaces the name of one student in the rows of a course that others share, in the caller's transaction.

    Raises ``KitFault`` wherever the database fails.
    """

    def __init__(self, session: StoreSession, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        self._session, self._person, self._name_replacer = session, person, name_replacer

    def replace_in_texts_and_regrade_trials(self) -> None:
        """Replace the name in texts of decisions, audit rows, inquiries and hand-ins, and in trials of regrades."""
        for table, columns in SHARED_TEXTS.items():
            self._replace_in_rows(table, columns)
        self._replace_in_trials()

    def replace_in_entries_and_rosters(self) -> None:
        """Remove a student from entries shared with others, and from rosters."""
        for batch in list_class_ids(self._session, self._person.course):
            rows = self._session.fetch_all(select(members).where(members.c.batch == batch))
            for row in rows:
                entry = convert_row_to_entry(row)
                new_entry = _remove_person(entry, self._person.login, self._name_replacer)
                if new_entry == entry:
                    continue
                condition = and_(members.c.batch == batch, members.c.name == row.name)
                values = convert_entry_to_row(batch, row.position, new_entry, row)
                self._session.execute(update(members).where(condition).values(**values))
            self._drop_extensions(batch)
            roster = self._session.fetch_value(select(batches.c.roster).where(batches.c.id == batch))
            roster = [one for one in roster if not roster_row_contains_login(one, self._person.login)]
            self._session.execute(update(batches).where(batches.c.id == batch).values(roster=roster))

    def _drop_extensions(self, batch: int) -> None:
        condition = batches.c.id == batch
        rules_json = self._session.execute(select(batches.c.deadline_rules).where(condition)).scalar_one()
        rules = try_parse_deadline_rules(rules_json)
        if rules is not None:
            new_json = serialize_deadline_rules(rules.without_extensions_of(self._name_replacer.texts))
            self._session.execute(update(batches).where(condition).values(deadline_rules=new_json))

    def replace_in_kept_results(self) -> None:
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

    def _replace_in_trials(self) -> None:
        for row in self._session.fetch_all(select(regrade_trial_marks)):
            lines = [self._name_replacer.replace_names(line) for line in row.lines]
            condition = and_(regrade_trial_marks.c.trial == row.trial, regrade_trial_marks.c.hand_in == row.hand_in)
            self._session.execute(update(regrade_trial_marks).where(condition).values(lines=lines))

    def _replace_in_rows(self, table: Table, columns: tuple[str, ...]) -> None:
        """Replace names in text columns of the course's rows, and write the rows that this changes."""
        condition = _make_course_condition(table, self._person.course)
        selected_columns = [table.c.id, *(table.c[name] for name in columns)]
        for row in self._session.fetch_all(select(*selected_columns).where(condition)):
            before = {name: getattr(row, name) for name in columns}
            after = {name: self._name_replacer.replace_names(text) for name, text in before.items()}
            if after != before:
                self._session.execute(update(table).where(table.c.id == row.id).values(**after))


def list_class_ids(session: StoreSession, course: str) -> list[int]:
    """Return the ids of the graded classes of a course."""
    query = select(batches.c.id).where(batches.c.name == course)
    return [row.id for row in session.fetch_all(query)]


def _make_course_condition(table: Table, course: str) -> Any:
    encoded_course = course
    if table is audit:
        return audit.c.class_name == encoded_course
    if table is decisions:
        return decisions.c.batch.in_(select(batches.c.id).where(batches.c.name == encoded_course))
    if table is inquiry_entries:
        hand_in_query = select(hand_ins.c.id).where(hand_ins.c.course == encoded_course)
        return inquiry_entries.c.inquiry.in_(select(inquiries.c.id).where(inquiries.c.hand_in.in_(hand_in_query)))
    return hand_ins.c.course == encoded_course


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

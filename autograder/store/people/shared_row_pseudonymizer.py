"""Replace the name of an erased student in rows that others share: entries, rosters, texts, trials, results."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs
from sqlalchemy import and_, select, update

from autograder.store.core_table_definitions import batches, members, results
from autograder.store.people.person_pseudonymizer import PersonPseudonymizer
from autograder.store.people.personal_data import PERSONAL_DATA, make_course_condition
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


class SharedRowPseudonymizer:
    """Replaces the name of one student in the rows of a course that others share, in the caller's transaction.

    Raises ``KitFault`` wherever the database fails.
    """

    def __init__(self, session: StoreSession, person: StoredStudent, name_replacer: PersonPseudonymizer) -> None:
        self._session, self._person, self._name_replacer = session, person, name_replacer

    def replace_in_texts(self) -> None:
        """Replace the name in the texts of the course's rows that stay, and write the rows that this changes."""
        for table in (table for table, data in PERSONAL_DATA.items() if data.renamed):
            texts = [table.c[name] for name in PERSONAL_DATA[table].renamed.split()]
            key = [*table.primary_key.columns]
            query = select(*key, *texts).where(make_course_condition(table, self._person.course))
            for row in self._session.fetch_all(query):
                before = {column.name: row._mapping[column] for column in texts}
                after = {name: self._replace_in_value(value) for name, value in before.items()}
                if after != before:
                    is_row = and_(*(column == row._mapping[column] for column in key))
                    self._session.execute(update(table).where(is_row).values(**after))

    def _replace_in_value(self, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        replace_names = self._name_replacer.replace_names
        return replace_names(value) if isinstance(value, str) else tuple(map(replace_names, value))

    def replace_in_entries_and_rosters(self) -> None:
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

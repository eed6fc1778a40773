"""Find a student of a course by any of their names, with all texts that may name them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select

from autograder.store.core_table_definitions import batches, members
from autograder.store.lti.lti_table_definitions import people as lti_people
from autograder.store.people.stored_student import StoredStudent, StudentSubmissionEntry
from autograder.store.results.submission_entry_rows import convert_row_to_entry
from autograder.store.session import StorePart
from autograder.store.web.account_tables import AccountTables, Enrolment
from autograder.store.web.hand_in_model import HandIn
from autograder.store.web.hand_in_table import COLUMNS
from autograder.store.web.web_table_definitions import accounts, enrolments, hand_in_members, hand_ins, mail_settings
from autograder.student_name_comparison import normalize_student_name_keeping_case
from autograder.submissions.written_submission_names import (
    map_written_forms_to_names,
    map_written_names_to_submissions,
)


class StoredPersonReader(StorePart):
    """Finds people in a store."""

    def find_person(self, course: str, written_name: str) -> StoredStudent | None:
        """Return what is kept of a person of the course, a student or a member of its staff; None if nothing is.

        Args:
            course: the key of the course in the store.
            written_name: the person's login, or the name that batches or the gradebook have for them.
        """
        written_name = normalize_student_name_keeping_case(written_name)
        account = AccountTables(self._session).find_enrolment(course, written_name)
        entries = tuple(self._iterate_entries(course, written_name))
        if account is None and not entries:
            written_name = self._find_name_as_written(course, written_name)
            entries = tuple(self._iterate_entries(course, written_name))
        if account is None and not entries:
            return None
        account_id = account.account if account else -1
        hand_in_query = select(*COLUMNS).join(hand_in_members, hand_in_members.c.hand_in == hand_ins.c.id)
        hand_in_query = hand_in_query.where(hand_in_members.c.account == account_id, hand_ins.c.course == course)
        course_query = select(enrolments.c.course).where(
            enrolments.c.account == account_id, enrolments.c.course != course
        )
        return StoredStudent(
            course,
            written_name,
            account,
            self._collect_texts(course, written_name, account, entries),
            tuple(self._session.fetch_all_as(HandIn, hand_in_query.order_by(hand_ins.c.id))),
            entries,
            tuple(row.course for row in self._session.fetch_all(course_query)),
        )

    def _iterate_entries(self, course: str, login: str) -> Iterator[StudentSubmissionEntry]:
        for entry in self._list_entries_of_course(course):
            students = entry.entry.names_of_each_student
            name = normalize_student_name_keeping_case(entry.entry.name)
            if any(login in names for names in students) or name == login:
                yield entry

    def _list_entries_of_course(self, course: str) -> list[StudentSubmissionEntry]:
        query = select(batches.c.id.label("class_id"), batches.c.assignment, members)
        query = query.join(members, members.c.batch == batches.c.id).where(batches.c.name == course)
        found = []
        for row in self._session.fetch_all(query.order_by(batches.c.id, members.c.position)):
            entry = convert_row_to_entry(row)
            is_of_team = len(entry.names_of_each_student) > 1
            found.append(StudentSubmissionEntry(row.class_id, row.assignment, entry, is_of_team=is_of_team))
        return found

    def _find_name_as_written(self, course: str, written: str) -> str:
        """Return the name of the student or submission that the gradebook writes so; the text itself if none is."""
        entries = [one.entry for one in self._list_entries_of_course(course)]
        students = [name for entry in entries for names in entry.names_of_each_student for name in names]
        submission = map_written_names_to_submissions(entries).get(written)
        name = submission.name if submission else map_written_forms_to_names(students).get(written, written)
        return normalize_student_name_keeping_case(name)

    def _collect_texts(
        self, course: str, login: str, account: Enrolment | None, entries: tuple[StudentSubmissionEntry, ...]
    ) -> frozenset[str]:
        texts = {login}
        if account:
            texts.add(account.name)
            query = select(mail_settings.c.address).where(mail_settings.c.account == account.account)
            texts.update(row.address for row in self._session.fetch_all(query))
            query = select(accounts.c.login, accounts.c.name).join(
                lti_people, lti_people.c.own_account == accounts.c.id
            )
            for row in self._session.fetch_all(query.where(lti_people.c.account == account.account)):
                texts.update((row.login, row.name))
        for submission in entries:
            origin = submission.entry.origin
            texts.update(*(names for names in submission.entry.names_of_each_student if login in names))
            people = origin.people if origin else ()
            own_people = (
                people if len(people) == 1 else [person for person in people if login in (person.login, person.email)]
            )
            texts.update(text for person in own_people for text in (person.name, person.email, person.login))
        roster_query = select(batches.c.roster).where(batches.c.name == course)
        for row in self._session.fetch_all(roster_query):
            for roster_row in row.roster:
                if roster_row_contains_login(roster_row, login):
                    texts.update(
                        cell for column, cell in roster_row.items() if _is_roster_column_other_than_group(column)
                    )
        return frozenset({login, *(text for text in texts if len(text.strip()) > 1)})


def roster_row_contains_login(roster_row: dict[str, str], login: str) -> bool:
    """Return whether a row of a roster is about a student."""
    return login in {normalize_student_name_keeping_case(cell) for cell in roster_row.values()}


def _is_roster_column_other_than_group(column_name: str) -> bool:
    """Return whether a column of a roster is about one person alone.

    Every column is, unknown ones too, apart from group, section, team and role.
    """
    return column_name.casefold() not in ("group", "section", "team", "role")

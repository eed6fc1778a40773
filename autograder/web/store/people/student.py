"""Find a student of a course by any of their names, and replace these names in texts."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import select

from autograder.store.results.graded_class_table import StoredSubmissionEntry, convert_row_to_entry
from autograder.store.session import StorePart
from autograder.store.tables import batches, members
from autograder.submissions.origin import TOGETHER, map_written_forms_to_names, map_written_names_to_submissions
from autograder.text import normalize_student_name_keeping_case
from autograder.web.store.accounts import AccountTables, Enrolment
from autograder.web.store.hand_ins import COLUMNS, HandIn
from autograder.web.store.lti.tables import people as lti_people
from autograder.web.store.tables import accounts, enrolments, hand_in_members, hand_ins, mail_settings

TOKEN = re.compile(r"[A-Za-z0-9._@+-]+(?:'[A-Za-z0-9._@+-]+)*")
"""Matches a login, or an id or file name that contains one; or what only looks like one, such as ``ada's``."""
PART = re.compile(r"[^+']+")
"""Matches the parts of a token that may be a login each, if the whole is none."""

PSEUDONYM = "_erased-"
"""The beginning of every pseudonym; no login begins like this."""


def make_random_erasure_pseudonym() -> str:
    """Return a random name that cannot be a login and does not reveal the person."""
    return f"{PSEUDONYM}{secrets.token_hex(3)}"


@dataclass(frozen=True)
class PersonPseudonymizer:
    """Replaces the names of a person.

    >>> texts = frozenset({"ada", "Ada Okafor"})
    >>> replacer = PersonPseudonymizer("ada", texts, frozenset({"ada-b"}), "_erased-1")
    >>> replacer.replace_names("ada + bob-2: as Ada Okafor said. See ada-2, ada's and web:ada, not ada-b or adam.")
    "_erased-1 + bob-2: as _erased-1 said. See _erased-1-2, _erased-1's and web:_erased-1, not ada-b or adam."
    """

    login: str
    texts: frozenset[str]
    """All names of the person, including the login."""
    other_logins: frozenset[str]
    """Logins of others, which are never touched."""
    pseudonym: str

    def replace_names(self, text: str) -> str:
        """Return a text without the person's names, where they stand as whole words."""
        for pattern in self._patterns:
            text = pattern.sub(self.pseudonym, text)
        return TOKEN.sub(self._replace_token, text)

    def make_neutral_file_name_if_needed(self, file_name: str) -> str:
        """Return a name for a file that others own, too: a neutral one if it contains one of the person's names."""
        folded_name = file_name.casefold()
        if not any(text.casefold() in folded_name for text in self.texts):
            return file_name
        return f"submission{file_name[file_name.rfind('.') :] if '.' in file_name else ''}"

    def is_person_named_in(self, text: str) -> bool:
        """Return whether a text names the person."""
        return self.replace_names(text) != text

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        longest_first = sorted(self.texts - {self.login}, key=lambda text: (-len(text), text))
        return [re.compile(rf"(?<!\w){re.escape(text)}(?!\w)") for text in longest_first]

    def _replace_token(self, match: re.Match[str]) -> str:
        token = match[0]
        word = token.rstrip(".-")
        if word in self.other_logins:
            return token
        suffix = word[len(self.login) :]
        if word.startswith(self.login) and re.fullmatch(r"(-\d+)?(~\d+)?(\.(py|ipynb|zip|json|html))?", suffix):
            return f"{self.pseudonym}{token[len(self.login) :]}"
        return PART.sub(self._replace_token, token) if PART.fullmatch(token) is None else token


@dataclass(frozen=True, slots=True)
class StudentSubmissionEntry:
    """A submission of a student in a class of the course."""

    class_id: int
    assignment: str
    entry: StoredSubmissionEntry
    is_of_team: bool
    """Whether others handed it in, too."""


@dataclass(frozen=True, slots=True)
class StoredStudent:
    """One student of a course: account, hand-ins, submission entries, and the texts that may name them."""

    course: str
    login: str
    account: Enrolment | None
    """The account; None for a student known from batches only."""
    texts: frozenset[str]
    """Login, names and addresses, as they may stand in any text."""
    hand_ins: tuple[HandIn, ...]
    """Those of the web."""
    entries: tuple[StudentSubmissionEntry, ...]
    """Those of classes: what was graded, from the web or from a batch."""
    other_courses: tuple[str, ...]
    """Courses of the same store in which the account is enrolled, too."""

    @property
    def solo_hand_ins(self) -> list[HandIn]:
        """Return the hand-ins that the student made alone."""
        return [hand_in for hand_in in self.hand_ins if not _is_of_team(hand_in)]

    @property
    def team_hand_ins(self) -> list[HandIn]:
        """Return the hand-ins of the student's team, which belong to the other members, too."""
        return [hand_in for hand_in in self.hand_ins if _is_of_team(hand_in)]

    def list_submissions(self, *, of_team: bool) -> set[tuple[str, str]]:
        """Return assignment and name of what the student handed in alone, or what a team of theirs did."""
        entries = {(one.assignment, one.entry.name) for one in self.entries if one.is_of_team == of_team}
        hand_ins = self.team_hand_ins if of_team else self.solo_hand_ins
        return entries | {(one.assignment, one.submission) for one in hand_ins}

    @property
    def solo_submission_names(self) -> set[str]:
        """Return the names of what the student handed in alone."""
        return {name for _, name in self.list_submissions(of_team=False)}

    @property
    def team_submission_names(self) -> set[str]:
        """Return the names of what a team handed in."""
        return {name for _, name in self.list_submissions(of_team=True)}


def _is_of_team(hand_in: HandIn) -> bool:
    """Return whether somebody else, who was not erased, handed it in, too."""
    return sum(not login.startswith(PSEUDONYM) for login in hand_in.owner.split(TOGETHER)) > 1


class StoredPersonReader(StorePart):
    """Finds people in a store."""

    def list_other_logins(self, login: str) -> frozenset[str]:
        """Return the logins of all other accounts in the store, whatever their courses."""
        rows = self._session.fetch_all(select(accounts.c.login).where(accounts.c.login != login))
        return frozenset(row.login for row in rows)

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
                        cell for column, cell in roster_row.items() if column.casefold() not in COLUMNS_OF_GROUPS
                    )
        return frozenset({login, *(text for text in texts if len(text.strip()) > 1)})


def roster_row_contains_login(roster_row: dict[str, str], login: str) -> bool:
    """Return whether a row of a roster is about a student."""
    return login in {normalize_student_name_keeping_case(cell) for cell in roster_row.values()}


COLUMNS_OF_GROUPS = ("group", "section", "team", "role")
"""The only columns of a roster that are not about one person alone; unknown ones are."""

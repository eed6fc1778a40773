"""Show students to the staff by their names, or by pseudonyms while an assignment is graded anonymously."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from flask import current_app, g
from msgspec import structs

from autograder.reports import ScoreReport
from autograder.submissions.origin import TOGETHER
from autograder.text import escape_for_display
from autograder.web.request import STAFF, current
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.inquiries import InquiryEvent, InquirySummary
from autograder.web.store.people.student import PART, TOKEN

LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Characters that are not easily mistaken for one another."""
SHORT, LONG = 6, 12


def map_logins_to_pseudonyms(secret_key: bytes, scope: str, logins: Iterable[str]) -> dict[str, str]:
    """Return a pseudonym for each login.

    Args:
        secret_key: the key of the digest.
        scope: a text that distinguishes sets of pseudonyms; the same login differs between scopes.
        logins: the logins.

    >>> first, second = (map_logins_to_pseudonyms(b"key", scope, ["ada"])["ada"] for scope in ("engine", "sort"))
    >>> first == second
    False
    """
    digests = {
        login: _format_digest(hmac.digest(secret_key, f"{scope}\0{login}".encode(), hashlib.sha256))
        for login in logins
    }
    prefix_counts = Counter(digest[:SHORT] for digest in digests.values())
    return {
        login: digest[: SHORT if prefix_counts[digest[:SHORT]] == 1 else LONG] for login, digest in digests.items()
    }


def _format_digest(digest: bytes) -> str:
    number, letters = int.from_bytes(digest), []
    for _ in range(LONG):
        number, letter_index = divmod(number, len(LETTERS))
        letters.append(LETTERS[letter_index])
    return "".join(letters)


OWNER = re.compile(rf"{TOKEN.pattern}(?:{re.escape(TOGETHER)}{TOKEN.pattern})*")
ATTEMPT = re.compile(r"(.+?)((?:-\d+)?(?:\.\w+)?)")
"""Matches a name that begins with a login: the login, then an attempt's number and a file suffix, if any."""


@dataclass(frozen=True)
class StudentDisplayNames:
    """How the students of one assignment are shown to the person who asks."""

    pseudonyms: Mapping[str, str] = field(default_factory=dict)
    """By login; empty where names are shown."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Logins by the names that texts may hold."""

    @property
    def are_hidden(self) -> bool:
        """Return whether students have pseudonyms."""
        return bool(self.pseudonyms)

    def mask_login(self, login: str) -> str:
        """Return what a login is shown as."""
        return self.pseudonyms.get(login, login)

    def unmask_login(self, displayed_login: str) -> str:
        """Return the login of a student by the text that is shown for them.

        If names are hidden, this is the login of a pseudonym, and empty for any other text, even a real login. If
        they are not, it is the text itself, unchecked.
        """
        return self._login_by_pseudonym.get(displayed_login, "") if self.are_hidden else displayed_login

    def mask_person(self, person: Enrolment) -> Enrolment:
        """Return somebody as they are shown."""
        if person.login not in self.pseudonyms:
            return person
        name = self.mask_name(person.login, person.name)
        return Enrolment(person.account, self.mask_login(person.login), name, person.role)

    def mask_name(self, login: str, name: str) -> str:
        """Return what the name of a person with this login is shown as."""
        return f"Student {self.pseudonyms[login].upper()}" if login in self.pseudonyms else name

    def mask_owner(self, student_or_team: str) -> str:
        """Return a student or a team, ``ada + bob``, as it is shown."""
        logins = map(self.mask_login, student_or_team.split(TOGETHER))
        return TOGETHER.join(sorted(logins) if self.are_hidden else logins)

    def mask_submission_id(self, submission_id: str) -> str:
        """Return the id of a hand-in as it is shown."""
        owner, dash, attempt = submission_id.rpartition("-")
        return f"{self.mask_owner(owner)}{dash}{attempt}" if self.are_hidden else submission_id

    def mask_hand_in(self, hand_in: HandIn) -> HandIn:
        """Return a hand-in as it is shown; the name of a file may tell whose it is."""
        if not self.are_hidden:
            return hand_in
        submission = self.mask_submission_id(hand_in.submission)
        return replace(
            hand_in,
            owner=self.mask_owner(hand_in.owner),
            submission=submission,
            file_name=f"{submission}{Path(hand_in.file_name).suffix}",
            problem=self.mask_text(hand_in.problem),
        )

    def mask_report(self, report: ScoreReport) -> ScoreReport:
        """Return a report as it is shown."""
        if not self.are_hidden:
            return report
        files = [f"file-{number}{Path(name).suffix}" for number, name in enumerate(report.submission.files, 1)]
        masked_id = self.mask_submission_id(report.submission.id)
        lateness = structs.replace(report.lateness, extension_of="") if report.lateness else None
        submission = structs.replace(report.submission, id=masked_id, files=files)
        return structs.replace(report, submission=submission, lateness=lateness)

    def mask_inquiry(self, inquiry: InquirySummary) -> InquirySummary:
        """Return an inquiry as it is shown."""
        return replace(
            inquiry, owner=self.mask_owner(inquiry.owner), submission=self.mask_submission_id(inquiry.submission)
        )

    def mask_inquiry_event(self, event: InquiryEvent) -> InquiryEvent:
        """Return a step of an inquiry's history as it is shown."""
        if event.login not in self.pseudonyms:
            return event
        name = self.mask_name(event.login, event.name)
        return replace(event, login=self.mask_login(event.login), name=name, text=self.mask_text(event.text))

    def mask_text(self, text: str) -> str:
        """Return a text without the names and logins of students, where they stand as whole words."""
        if not self.are_hidden:
            return text
        if self._names_pattern:
            text = self._names_pattern.sub(lambda match: self.mask_login(self.names[match[0]]), text)
        return OWNER.sub(self._mask_owner_match, text)

    @cached_property
    def _login_by_pseudonym(self) -> dict[str, str]:
        return {pseudonym: login for login, pseudonym in self.pseudonyms.items()}

    @cached_property
    def _names_pattern(self) -> re.Pattern[str] | None:
        longest_first = sorted(self.names, key=len, reverse=True)
        return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)") if self.names else None

    def _mask_owner_match(self, owner_match: re.Match[str]) -> str:
        """Return a login, team or submission id found in a text as it is shown; team members are sorted as shown."""
        *other_parts, last_part = map(self._mask_token, owner_match[0].split(TOGETHER))
        if not other_parts:
            return last_part
        match = ATTEMPT.fullmatch(last_part.rstrip(".-"))
        name = match[1] if match else last_part
        suffix = last_part[len(name) :]
        return f"{TOGETHER.join(sorted([*other_parts, name]))}{suffix}"

    def _mask_token(self, token: str) -> str:
        stem = token.rstrip(".-")
        match = ATTEMPT.fullmatch(stem)
        login = stem if stem in self.pseudonyms else match[1] if match else ""
        if login in self.pseudonyms:
            return f"{self.pseudonyms[login]}{token[len(login) :]}"
        return PART.sub(lambda part: self._mask_token(part[0]), token) if PART.fullmatch(token) is None else token


def get_student_display_names(assignment_name: str) -> StudentDisplayNames:
    """Return how the students of an assignment are shown to the person who asks; a request asks the store once."""
    display_names_by_assignment: dict[str, StudentDisplayNames] = g.setdefault("identities", {})
    if assignment_name not in display_names_by_assignment:
        is_hidden = (
            current.person.role in STAFF
            and current.assignment(assignment_name).anonymous_grading
            and current.store.anonymity.find_lift_time(current.course_key, assignment_name) is None
        )
        display_names_by_assignment[assignment_name] = (
            _make_student_display_names(assignment_name) if is_hidden else StudentDisplayNames()
        )
    return display_names_by_assignment[assignment_name]


def name_owner(assignment_name: str, owner: str) -> str:
    """Return a student or team by the names that the staff may see: ``Ada Okafor (ada)``, or a pseudonym."""
    display_names = get_student_display_names(assignment_name)
    if display_names.are_hidden:
        return display_names.mask_owner(owner)
    students = current.student_by_login
    people = TOGETHER.join(students[one].name if one in students else one for one in owner.split(TOGETHER))
    return owner if people == owner else f"{escape_for_display(people, 200)} ({owner})"


def name_submission(assignment_name: str, submission_id: str) -> str:
    """Return a submission as ``name_owner`` does, with its attempt: ``Ada Okafor (ada), attempt 2``."""
    owner, dash, attempt = submission_id.rpartition("-")
    if not dash or get_student_display_names(assignment_name).are_hidden:
        return get_student_display_names(assignment_name).mask_submission_id(submission_id)
    return f"{name_owner(assignment_name, owner)}, attempt {attempt}"


def name_label(assignment_name: str, label: str) -> str:
    """Return whom the audit log is about: a student, team or submission by name, anything else as it is."""
    display_names = get_student_display_names(assignment_name)
    if display_names.are_hidden:
        return display_names.mask_text(label)
    owner, dash, attempt = label.rpartition("-")
    if dash and attempt.isdigit() and name_owner(assignment_name, owner) != owner:
        return name_submission(assignment_name, label)
    return name_owner(assignment_name, label)


def _make_student_display_names(assignment: str) -> StudentDisplayNames:
    store, course = current.store, current.course_key
    students = current.student_by_login.values()
    owners = store.hand_ins.list_hand_in_owners(course, assignment)
    logins = {student.login for student in students}.union(*(owner.split(TOGETHER) for owner in owners))
    key = str(current_app.secret_key).encode()
    names = {
        student.name: student.login for student in students if student.name != student.login and len(student.name) > 1
    }
    return StudentDisplayNames(map_logins_to_pseudonyms(key, f"{course}\0{assignment}", logins), names)

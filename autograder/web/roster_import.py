"""Add and change a course's people: by a roster, which is previewed first, or one by one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from autograder.faults import CallerFault
from autograder.roster.roster_file import parse_roster_rows
from autograder.roster.row_fields import (
    GROUP_COLUMNS,
    LOGIN_COLUMNS,
    list_emails_not_chosen_by_students,
    list_nonempty_cells,
    list_student_name_variants,
)
from autograder.store.audit import AuditContext
from autograder.text import choose_by_count, escape_for_display
from autograder.web.people import LOGIN
from autograder.web.settings import is_mail_address
from autograder.web.store.accounts import Enrolment, Role
from autograder.web.store.roll import DETAILS, CourseMember, MemberDetails
from autograder.web.store.server_store import ServerStore

SECTION_COLUMNS = ("section", "sections", "tutorial", "lab", "class")
ROLE_COLUMNS = ("role", "roles")
ROLES: dict[str, Role] = {role: role for role in get_args(Role)} | {
    "": "student", "learner": "student", "ta": "teaching assistant", "assistant": "teaching assistant",
    "tutor": "teaching assistant", "teacher": "instructor", "lecturer": "instructor", "admin": "administrator",
}  # fmt: skip
"""What a roster may call a role, in small letters."""
MOST_CHARACTERS = 200
"""Characters of a name, a team or a section."""


@dataclass(frozen=True, slots=True)
class PersonChange:
    """Somebody whom a roster adds or changes."""

    before: CourseMember | None
    """None for somebody who is new in the course."""
    after: MemberDetails

    @property
    def differences(self) -> list[tuple[str, str, str]]:
        """Return what changes, each with the value before and after; empty for somebody who is new."""
        values = [(name, getattr(self.before, name), getattr(self.after, name)) for name in DETAILS if self.before]
        return [(name, before, after) for name, before, after in values if before != after]


@dataclass(frozen=True, slots=True)
class RosterPlan:
    """What a roster would do to the people of a course."""

    added: tuple[PersonChange, ...]
    changed: tuple[PersonChange, ...]
    unchanged: tuple[CourseMember, ...]
    missing: tuple[CourseMember, ...]
    """Students of the course whom the roster does not have; they stay."""
    refused: tuple[str, ...]
    """A sentence for each row that is left out."""

    @property
    def changes(self) -> tuple[PersonChange, ...]:
        """Return everybody whom it adds or changes."""
        return (*self.added, *self.changed)

    @property
    def digest(self) -> str:
        """Return a digest of what it does, to tell whether the course changed since somebody looked at it."""
        seen = [(asdict(one.after), one.differences) for one in self.changes]
        return hashlib.sha256(repr(seen).encode("utf-8", "surrogatepass")).hexdigest()


def plan_roster(
    file_content: bytes, file_name: str, members: Sequence[CourseMember], actor: Enrolment | None = None
) -> RosterPlan:
    """Return what a roster would do.

    Args:
        file_content: what ``autograder batch --roster`` reads. A column that it lacks leaves that as it is.
        file_name: its name, for messages.
        members: everybody in the course.
        actor: who changes it on the web; None in the shell, which may do everything.

    Raises:
        CallerFault: the file is no roster.
    """
    member_by_login = {member.login: member for member in members}
    changes: dict[str, PersonChange] = {}
    refused: list[str] = []
    for row in parse_roster_rows(file_content, file_name):
        try:
            login = _read_login(row)
            if login in changes:
                raise CallerFault(f"{login} stands in several rows", advice="keep one of them")
            before = member_by_login.get(login)
            after = _read_details(login, row, before)
            require_may_change(actor, before, after)
            changes[login] = PersonChange(before, after)
        except CallerFault as fault:
            refused.append(f"{escape_for_display(next(iter(row.values())), 80)}: {fault}")
    return RosterPlan(
        tuple(one for one in changes.values() if one.before is None),
        tuple(one for one in changes.values() if one.differences),
        tuple(one.before for one in changes.values() if one.before and not one.differences),
        tuple(one for one in members if one.role == "student" and one.login not in changes),
        tuple(refused),
    )


def apply_changes(
    store: ServerStore, context: AuditContext, changed_by: str, changes: Iterable[PersonChange]
) -> None:
    """Add and change people, all of them or none."""
    with store.group():
        for one in changes:
            store.roll.save_member(context, changed_by, one.after, one.before)


def require_may_change(actor: Enrolment | None, before: Enrolment | None, after: MemberDetails | None = None) -> None:
    """Raise ``CallerFault`` if somebody on the web may not change a person so.

    Administrators are changed by administrators alone: a new link would let an instructor sign in as one. Nobody
    changes their own role, so that a course keeps somebody who may.
    """
    if actor is None:
        return
    roles = {one.role for one in (before, after) if one}
    if "administrator" in roles and actor.role != "administrator":
        raise CallerFault("only administrators change administrators", advice="ask one of them")
    if before and after and before.account == actor.account and before.role != after.role:
        raise CallerFault("people cannot change their own role", advice="ask another instructor or administrator")


def check_details(details: MemberDetails) -> MemberDetails:
    """Return what the staff says of somebody, with the login in small letters and single blanks.

    Raises:
        CallerFault: the login is none, an address is none, or a text is too long.
    """
    login = details.login.strip().lower()
    if not LOGIN.fullmatch(login):
        raise CallerFault(
            f"'{escape_for_display(login, 80)}' is not a login",
            advice="write letters without accents, digits and . _ @ + ' - (at most 80), such as ada@uni.example",
        )
    texts: dict[str, Any] = {
        name: " ".join(getattr(details, name).split()) for name in ("name", "team", "section", "address")
    }
    for name, text in texts.items():
        if len(text) > MOST_CHARACTERS:
            raise CallerFault(
                f"the {name} has {len(text)} characters, and may have {MOST_CHARACTERS}", advice="shorten it"
            )
    if texts["address"] and not is_mail_address(texts["address"]):
        raise CallerFault(
            f"'{escape_for_display(texts['address'], 80)}' is not an e-mail address",
            advice="write it as ada@uni.example",
        )
    return replace(details, login=login, **texts)


def describe_difference(item: str, before: str, after: str) -> str:
    """Return one change of a person in a few words.

    >>> describe_difference("section", "", "Monday")
    'section: none -> Monday'
    """
    return f"{item}: {escape_for_display(before, 80) or 'none'} -> {escape_for_display(after, 80) or 'none'}"


def describe_plan(plan: RosterPlan) -> str:
    """Return a plan in one line.

    >>> describe_plan(RosterPlan((), (), (), (), ("x: no login",)))
    '0 new, 0 changed, 0 unchanged, 1 row left out'
    """
    counts = f"{len(plan.added)} new, {len(plan.changed)} changed, {len(plan.unchanged)} unchanged"
    left_out = len(plan.refused)
    return counts + (f", {left_out} {choose_by_count(left_out, 'row', 'rows')} left out" if left_out else "")


def _read_login(row: Mapping[str, str]) -> str:
    """Return the login of a row: the column that is called so, or the first cell, or an e-mail address.

    Raises:
        CallerFault: none of them is a login.
    """
    candidates = [
        *list_nonempty_cells(row, LOGIN_COLUMNS),
        next(iter(row.values())),
        *list_emails_not_chosen_by_students(row),
    ]
    for cell in candidates:
        if LOGIN.fullmatch(cell.strip().lower()):
            return cell.strip().lower()
    raise CallerFault("no cell of this row is a login or an e-mail address", advice="add a column called login")


def _list_names(row: Mapping[str, str], login: str) -> list[str]:
    """Return the names in a row as people say them; a column called ``student`` may hold logins.

    >>> _list_names({"login": "ada", "student": "ada", "sortable name": "Okafor, Ada"}, "ada")
    ['Ada Okafor']
    """
    names = []
    for name in list_student_name_variants(row):
        family_name, comma, given_name = name.partition(",")
        names.append(f"{given_name.strip()} {family_name.strip()}" if comma else name)
    return [name for name in names if name.lower() != login]


def _read_details(login: str, row: Mapping[str, str], before: CourseMember | None) -> MemberDetails:
    """Return what a row says of somebody; what it has no column for stays, as does a name that it leaves empty."""
    columns = {key.strip().casefold() for key in row}
    old = before or CourseMember(0, login, "", "student")
    emails = [email for email in list_emails_not_chosen_by_students(row) if email.lower() != login]
    names = [*_list_names(row, login), old.name]
    role, team, section = old.role, old.team, old.section
    if columns & {*ROLE_COLUMNS}:
        called = " ".join(list_nonempty_cells(row, ROLE_COLUMNS)).casefold()
        if called not in ROLES:
            raise CallerFault(
                f"'{escape_for_display(called, 80)}' is not a role", advice="write student, or teaching assistant"
            )
        role = ROLES[called]
    if columns & {*GROUP_COLUMNS}:
        team = " ".join(list_nonempty_cells(row, GROUP_COLUMNS))
    if columns & {*SECTION_COLUMNS}:
        section = ", ".join(list_nonempty_cells(row, SECTION_COLUMNS))
    address = next(filter(is_mail_address, emails), old.address)
    return check_details(MemberDetails(login, names[0], role, team, section, address))

"""Show instructors the people of a course, and let them add people, change them, invite them and end their access."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, get_args

from flask import abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.faults import CallerFault
from autograder.store.audit import AuditContext, AuditSelection
from autograder.text import choose_by_count
from autograder.web.listing import cut_page, fold_for_search, load_page_of_log, make_page_link, read_filters
from autograder.web.people import end_access, mail_invitation, make_personal_link
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.roster_import import (
    ROLES,
    PersonChange,
    RosterPlan,
    apply_changes,
    check_details,
    describe_difference,
    describe_plan,
    plan_roster,
    require_may_change,
)
from autograder.web.settings import is_mail_address
from autograder.web.store.accounts import Role
from autograder.web.store.roll import CourseMember, MemberDetails

pages = Pages("people_pages", __name__)
FILTERS = ("words", "role", "section", "team", "access")
DONE = {"invite": "invited", "section": "moved to this section", "team": "put into this team"}
STATES = ("signed in", "invited", "not invited", "access ended")
MOST_ROSTER_BYTES = 400_000
"""Bytes of a roster: a row for each of some thousand people."""


@pages.on_get("/people", Permission.MANAGE_PEOPLE)
def show_people() -> ResponseReturnValue:
    """Show the people of the course, fifty at a time."""
    return _render_people()


@pages.on_post("/people", Permission.MANAGE_PEOPLE)
def add_person() -> ResponseReturnValue:
    """Add somebody, then show their page, where a link is made."""
    try:
        details = check_details(_read_details(request.form.get("login", "")))
        if current.store.roll.find_member(current.course_key, details.login):
            raise CallerFault(f"{details.login} is in this course already", advice="change them on their own page")
        require_may_change(current.person, None, details)
    except CallerFault as fault:
        return _render_people(str(fault)), 422
    apply_changes(current.store, _make_context(), current.person.name, [PersonChange(None, details)])
    return see_other("people_pages.show_person", login=details.login, saved="yes")


@pages.on_get("/people/at/<login>", Permission.MANAGE_PEOPLE)
def show_person(login: str) -> ResponseReturnValue:
    """Show one person, and the forms to change them."""
    return _render_person(_get_member_or_404(login))


@pages.on_post("/people/at/<login>", Permission.MANAGE_PEOPLE)
def save_person(login: str) -> ResponseReturnValue:
    """Save name, role, team, section and address of one person."""
    member = _get_member_or_404(login)
    try:
        details = check_details(_read_details(login))
        require_may_change(current.person, member, details)
    except CallerFault as fault:
        return _render_person(member, str(fault)), 422
    apply_changes(current.store, _make_context(), current.person.name, [PersonChange(member, details)])
    return see_other("people_pages.show_person", login=login, saved="yes")


@pages.on_post("/people/at/<login>/<any(link, mail, end, restore):action>", Permission.MANAGE_PEOPLE)
def change_access(login: str, action: str) -> ResponseReturnValue:
    """Make a new personal link and show it this once, or have it mailed; end somebody's access, or give it back."""
    member, context, by = _get_member_or_404(login), _make_context(), current.person.name
    try:
        require_may_change(current.person, member)
        if action == "end" and member.account == current.person.account:
            raise CallerFault("people cannot end their own access", advice="ask another instructor or administrator")
    except CallerFault as fault:
        return _render_person(member, str(fault)), 422
    if action == "link":
        member, path = make_personal_link(current.store, context, by, login)
        return _render_person(_get_member_or_404(login), link=f"{current.settings.course_url}{path}")
    if action == "mail":
        if not _can_be_mailed(member):
            abort(409, "This server sends no mail, or no address of theirs is known.")
        mail_invitation(current.store, context, by, member)
    elif action == "end":
        end_access(current.store, context, by, member)
    else:
        current.store.roll.set_access(context, by, member, may_enter=True)
    return see_other("people_pages.show_person", login=login, saved="yes")


@pages.on_post("/people/chosen", Permission.MANAGE_PEOPLE)
def change_chosen_people() -> ResponseReturnValue:
    """Set the section or the team of the chosen people, or invite them; all of them or none."""
    logins, action = {*request.form.getlist("chosen")}, request.form.get("do", "")
    members = [one for one in current.store.roll.list_members(current.course_key) if one.login in logins]
    links: list[tuple[CourseMember, str]] = []
    try:
        if not members:
            raise CallerFault("no person is chosen", advice="tick the boxes before the names")
        for member in members:
            require_may_change(current.person, member)
        if action == "invite":
            links = _invite([one.login for one in members])
        elif action in ("section", "team"):
            value = request.form.get("value", "")
            new: dict[str, Any] = {action: value}
            changes = [PersonChange(one, check_details(replace(one.details, **new))) for one in members]
            apply_changes(current.store, _make_context(), current.person.name, changes)
        else:
            abort(400)
    except CallerFault as fault:
        return _render_people(str(fault)), 422
    mailed = len(members) - len(links) if action == "invite" else 0
    by_mail = f", {mailed} of them by mail" if mailed else ""
    done = f"{len(members)} {choose_by_count(len(members), 'person', 'people')} {DONE[action]}{by_mail}."
    return _render_people(done=done, links=links)


@pages.on_get("/people/log", Permission.AUDIT)
def show_people_log() -> ResponseReturnValue:
    """Show every change of people, the latest first."""
    page = load_page_of_log(AuditSelection(current.course_key, about_people=True))
    return render_template("people_log.html.j2", page=page, link=make_page_link("people_pages.show_people_log"))


@pages.on_get("/people/import", Permission.MANAGE_PEOPLE)
def show_roster_form() -> ResponseReturnValue:
    """Show the form for a roster."""
    return _render_roster()


@pages.on_post("/people/import", Permission.MANAGE_PEOPLE)
def preview_or_apply_roster() -> ResponseReturnValue:
    """Show what a roster would change; or, once that was seen, change it."""
    upload = request.files.get("roster")
    name, content = request.form.get("name", "")[:200], b""
    try:
        if upload is not None and upload.filename:
            name, content = PurePath(upload.filename.replace("\\", "/")).name, upload.read()
        else:
            content = base64.b64decode(request.form.get("kept", ""), validate=True)
        if len(content) > MOST_ROSTER_BYTES:
            raise CallerFault(f"the roster is larger than {MOST_ROSTER_BYTES // 1000} kB", advice="split it")
        if not content:
            raise CallerFault("no file is chosen", advice="choose the roster, such as a platform's list of students")
        members = current.store.roll.list_members(current.course_key)
        plan = plan_roster(content, name, members, current.person)
    except (CallerFault, binascii.Error) as fault:
        return _render_roster(str(fault)), 422
    is_applied = request.form.get("do") == "apply" and request.form.get("digest") == plan.digest
    links: list[tuple[CourseMember, str]] = []
    if is_applied:
        with current.store.group():
            apply_changes(current.store, _make_context(), current.person.name, plan.changes)
            if request.form.get("invite") == "yes":
                links = _invite([one.after.login for one in plan.added])
    return _render_roster(plan=plan, name=name, content=content, is_applied=is_applied, links=links)


def _invite(logins: Sequence[str]) -> list[tuple[CourseMember, str]]:
    """Have personal links mailed where that can be done, and return the links of the others to show."""
    context, by, url, links = _make_context(), current.person.name, current.settings.course_url, []
    with current.store.group():
        for login in logins:
            member = _get_member_or_404(login)
            if _can_be_mailed(member):
                mail_invitation(current.store, context, by, member)
            else:
                links.append(make_personal_link(current.store, context, by, login))
    return [(member, f"{url}{path}") for member, path in links]


def _can_be_mailed(member: CourseMember) -> bool:
    return current.settings.mail_server is not None and is_mail_address(member.mail_address)


def _make_context() -> AuditContext:
    return AuditContext("people", current.person.audit_account, "", current.course_key, "")


def _get_member_or_404(login: str) -> CourseMember:
    return current.store.roll.find_member(current.course_key, login) or abort(404)


def _read_details(login: str) -> MemberDetails:
    """Return what the form says of somebody.

    Raises:
        CallerFault: there is no such role.
    """
    role = request.form.get("role", "student")
    if role not in get_args(Role):
        raise CallerFault("this is not a role", advice="choose one of the list")
    values = {name: request.form.get(name, "") for name in ("name", "team", "section", "address")}
    return MemberDetails(login, role=ROLES[role], **values)


def _list_values(members: Sequence[CourseMember]) -> dict[str, list[str]]:
    """Return the sections and teams of a course, for filters and for what forms propose."""
    return {
        "sections": sorted({section for one in members for section in one.sections}),
        "teams": sorted({one.team for one in members if one.team}),
    }


def _is_shown(member: CourseMember, filters: dict[str, str]) -> bool:
    searched = fold_for_search(f"{member.name} {member.login} {member.address}")
    return (
        all(word in searched for word in fold_for_search(filters["words"]).split())
        and filters["role"] in ("", member.role)
        and member.is_in_section(filters["section"])
        and filters["team"] in ("", member.team)
        and filters["access"] in ("", member.access)
    )


def _render_people(refused: str = "", done: str = "", links: Sequence[tuple[CourseMember, str]] = ()) -> str:
    members = current.store.roll.list_members(current.course_key)
    filters = read_filters(*FILTERS)
    shown = sorted(
        (one for one in members if _is_shown(one, filters)),
        key=lambda one: (one.role == "student", fold_for_search(one.name), one.login),
    )
    return render_template(
        "people.html.j2",
        page=cut_page(shown),
        total=len(members),
        filters=filters,
        link=make_page_link("people_pages.show_people", **filters),
        roles=get_args(Role),
        states=STATES,
        refused=refused,
        done=done,
        links=links,
        **_list_values(members),
    )


def _render_person(member: CourseMember, refused: str = "", link: str = "") -> str:
    return render_template(
        "person.html.j2",
        member=member,
        roles=get_args(Role),
        refused=refused,
        link=link,
        can_be_mailed=_can_be_mailed(member),
        is_saved=request.args.get("saved") == "yes",
        assignments=current.course.assignments if member.role == "student" else (),
        **_list_values(current.store.roll.list_members(current.course_key)),
    )


def _render_roster(
    refused: str = "",
    plan: RosterPlan | None = None,
    name: str = "",
    content: bytes = b"",
    *,
    is_applied: bool = False,
    links: Sequence[tuple[CourseMember, str]] = (),
) -> str:
    return render_template(
        "roster.html.j2",
        refused=refused,
        plan=plan,
        name=name,
        kept=base64.b64encode(content).decode("ascii"),
        is_applied=is_applied,
        links=links,
        describe=describe_difference,
        summary=describe_plan(plan) if plan else "",
        is_outdated=bool(plan) and request.form.get("do") == "apply" and not is_applied,
    )

"""Process a verified launch: find the person, the course and the assignment."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from autograder.lti.account_provisioning import PlatformUser, upsert_person_and_enrolment
from autograder.lti.launch_deadlines import record_launch_deadline
from autograder.lti.launch_message import LaunchMessage
from autograder.lti.lti_roles import find_role_for_lti_roles, is_test_user
from autograder.lti.refused_lti_request import RefusedLtiRequest
from autograder.store.lti.lti_context_table import NO_COURSE_NAMED, LtiContext
from autograder.store.lti.lti_platform_table import LtiPlatform
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.store import Store
from autograder.store.web.account_tables import Enrolment


@dataclass(frozen=True, slots=True)
class AcceptedLaunch:
    """A person who launched the tool, with the course and the assignment."""

    enrolment: Enrolment
    context: LtiContext
    assignment: str
    """Empty where the link names none."""


def accept_verified_launch(
    store: Store, course: str, assignment_names: Collection[str], platform: LtiPlatform, message: LaunchMessage
) -> AcceptedLaunch:
    """Return the person and the assignment of a launch; save the platform's data on its course and on this link.

    Args:
        store: the store.
        course: the course here.
        assignment_names: the names of its assignments.
        platform: the platform that signed the message.
        message: the launch.

    Raises:
        RefusedLtiRequest: the person has no role in that course, or the course is not connected with this one.
    """
    role = find_role_for_lti_roles(message.roles)
    if role is None:
        raise RefusedLtiRequest(
            "the platform does not say that you are a student or a member of the staff of this course",
            advice="become a member of the course there; a role in the whole platform is not enough",
        )
    context = _save_context(store, course, platform, message)
    if not context.is_connected:
        shown_course = context.label if context.label == NO_COURSE_NAMED else repr(context.label)
        raise RefusedLtiRequest(
            f"the course {shown_course} of {platform.name} is not connected with this one yet",
            advice="ask an administrator to connect it on the page LMS or with `autograder lti connect`",
        )
    platform_user = PlatformUser(
        message.deployment,
        message.sub,
        role,
        message.full_name_or_empty,
        message.unverified_roster_identifiers,
        is_test_user(message.roles),
    )
    person, enrolment = upsert_person_and_enrolment(store, course, platform, platform_user)
    if context.members_read_at is not None:  # who enrols after that gets marks, too
        store.lti_members.add_or_readmit_member(context.id, person.id, role)
    link = _save_link(store, context, assignment_names, message)
    if link is None:
        return AcceptedLaunch(enrolment, context, "")
    if not person.is_test_user:
        record_launch_deadline(store, link, message, person, is_student=role == "student")
    return AcceptedLaunch(enrolment, context, link.assignment)


def _save_context(store: Store, course: str, platform: LtiPlatform, message: LaunchMessage) -> LtiContext:
    name = message.context.id if message.context else ""
    values: dict[str, str | tuple[str, ...]] = {}
    if message.context:
        values["title"] = (message.context.title or message.context.label or "")[:200]
    if message.members:
        values["members_url"] = message.members.context_memberships_url
    if message.grades:
        values |= {"line_items_url": message.grades.lineitems, "scopes": message.grades.scope}
    return store.lti_contexts.add_or_update_context(platform.id, message.deployment, name, course, **values)


def _save_link(
    store: Store, context: LtiContext, assignments: Collection[str], message: LaunchMessage
) -> LtiResourceLink | None:
    """Save and return a link to an assignment; None if it leads to none.

    A link that names no assignment leads to the one that it led to before.
    """
    if message.resource_link is None:
        return None
    named_assignment = (message.custom or {}).get("assignment") or ""
    assignment = str(named_assignment) or _find_assignment_in_url(message.target_link_uri)
    link_id = message.resource_link.id
    if not assignment:
        links = store.lti_links.list_in_connected_courses(context.course)
        assignment = next(
            (link.assignment for link in links if (link.context, link.resource_link) == (context.id, link_id)), ""
        )
    if assignment not in assignments:
        return None
    values: dict[str, str | tuple[str, ...]] = {}
    if message.grades:
        values = {"line_items_url": message.grades.lineitems, "scopes": message.grades.scope}
        if message.grades.lineitem:  # otherwise keep the stored column, which the tool may have made
            values["line_item_url"] = message.grades.lineitem
    return store.lti_links.add_or_update(context.id, link_id, assignment, **values)


def _find_assignment_in_url(url: str) -> str:
    try:
        return next(iter(parse_qs(urlsplit(url).query).get("assignment", [])), "")
    except ValueError:
        return ""

"""Connect the course with LMSs: what to paste there, registrations, keys, courses, and who is in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain, count

from flask import abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue

from autograder.faults import CallerFault, KitFault
from autograder.store.audit import AuditSelection
from autograder.web.listing import load_page_of_log, make_page_link
from autograder.web.lms.frames import (
    get_lti_actor,
    get_lti_tool,
    is_form_sent_by_own_page,
    record_lms_change,
    render_fault_as_lti_refusal,
    render_lms_frame_page,
)
from autograder.web.lti.administration import create_registration_link, save_platform, set_course_connected
from autograder.web.lti.http import get_origin
from autograder.web.lti.launch_acceptance import MemberSyncCounts, sync_members
from autograder.web.lti.line_items import ConnectionCheckStepResult, iterate_connection_checks
from autograder.web.lti.registration import ToolDescription, fetch_platform_configuration, register_tool
from autograder.web.lti.tool import RefusedLtiRequest
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.store.accounts import Enrolment
from autograder.web.store.lti.audit import PLATFORM
from autograder.web.store.lti.platforms import LtiContext, LtiMembership, LtiPerson, LtiPlatform

registration_pages = Pages("lti_registration_pages", __name__, url_prefix="/lti")
AGAIN = "Ask an administrator to make a new link on the page LMS."
registration_pages.register_error_handler(CallerFault, render_fault_as_lti_refusal)
registration_pages.register_error_handler(RefusedLtiRequest, render_fault_as_lti_refusal)
registration_pages.register_error_handler(KitFault, render_fault_as_lti_refusal)


def _make_tool_description() -> ToolDescription:
    """Return what platforms are told of this server."""
    return ToolDescription(current.course.title or "Autograder", current.settings.course_url)


@registration_pages.on_get("/keys", Permission.LAUNCH)
def show_public_keys() -> ResponseReturnValue:
    """Show the public keys."""
    return jsonify(get_lti_tool().keys.get_or_make_public_jwks())


@registration_pages.on_get("/canvas.json", Permission.LAUNCH)
def serve_canvas_json() -> ResponseReturnValue:
    """Serve the configuration that Canvas reads when a developer key is made from an address."""
    return jsonify(_make_tool_description().make_canvas_configuration())


@registration_pages.on_get("/register/<token>", Permission.LAUNCH)
def show_registration_confirmation(token: str) -> ResponseReturnValue:
    """Show which platform wants to register the tool; the address in the query is not fetched yet."""
    if current.store.lti_tickets.find_ticket_data("registration", token) is None:
        raise RefusedLtiRequest("this link to register was used already, or is too old", advice=AGAIN)
    url = request.args.get("openid_configuration", "")
    if not get_origin(url):
        raise RefusedLtiRequest(
            "only a platform can open this link", advice="Paste it where the LMS registers tools."
        )
    return render_lms_frame_page(
        "lti_register.html.j2", token=token, platform=get_origin(url), url=url,
        registration_token=request.args.get("registration_token", ""),
    )  # fmt: skip


@registration_pages.on_post("/register/<token>", Permission.LAUNCH)
def register_with_platform(token: str) -> ResponseReturnValue:
    """Register with a platform, once for a link, and keep it."""
    registration_data = current.store.lti_tickets.find_ticket_data("registration", token)
    if registration_data is None or not is_form_sent_by_own_page():
        raise RefusedLtiRequest("this link to register was used already, or is too old", advice=AGAIN)
    url, registration_token = request.form.get("url", ""), request.form.get("registration_token", "")
    http, allow_private = get_lti_tool().http, bool(registration_data["allow_private"])
    if not re.fullmatch(r"[\x21-\x7e]{0,8000}", registration_token):
        raise RefusedLtiRequest("the platform's registration token is malformed")
    current.store.lti_tickets.take_ticket_data_or_none("registration", token)
    configuration = fetch_platform_configuration(http, url, allow_private=allow_private)
    platform = register_tool(
        http, configuration, registration_token, _make_tool_description(), allow_private=allow_private
    )
    named_platform = replace(platform, name=_choose_name(platform))
    saved_platform = save_platform(current.store, current.course_key, PLATFORM, named_platform)
    return render_lms_frame_page(
        "lti_registered.html.j2", allow_launch_script=True, saved=saved_platform, origin=get_origin(url)
    )


def _choose_name(platform: LtiPlatform) -> str:
    """Return an unused name for a platform; one that is known by its issuer and client id keeps its name."""
    names = set()
    for known_platform in current.store.lti_platforms.list_active():
        if (known_platform.issuer, known_platform.client_id) == (platform.issuer, platform.client_id):
            return known_platform.name
        names.add(known_platform.name)
    numbered_names = (f"{platform.name}-{number}" for number in count(2))
    return next(name for name in chain([platform.name], numbered_names) if name not in names)


setup_pages = Pages("lms_setup_pages", __name__)


@setup_pages.on_get("/lms", Permission.SET_UP_LMS)
def show_lms_setup() -> ResponseReturnValue:
    """Show the page for connecting the course with an LMS."""
    return _render_page()


@setup_pages.on_post("/lms/registration-link", Permission.SET_UP_LMS)
def show_new_registration_link() -> ResponseReturnValue:
    """Make an address with which one platform registers this tool by itself."""
    # the command line offers more options
    path = create_registration_link(current.store, current.course_key, get_lti_actor(), allow_private=False)
    return _render_page(link=f"{_make_tool_description().url}{path}")


@setup_pages.on_post("/lms/platforms/<int:platform_id>/test", Permission.SET_UP_LMS)
def check_platform_connection(platform_id: int) -> ResponseReturnValue:
    """Check whether a platform answers; nothing is changed there."""
    platform = current.store.lti_platforms.find_active(id=platform_id) or abort(404)
    steps = [*iterate_connection_checks(current.store, current.course_key, get_lti_tool(), platform)]
    return _render_page(tested_platform=platform, steps=steps)


@setup_pages.on_post("/lms/contexts/<int:context_id>/connect", Permission.SET_UP_LMS)
def set_lms_course_connected(context_id: int) -> ResponseReturnValue:
    """Connect a course of a platform, or disconnect it."""
    context = current.store.lti_contexts.find(id=context_id)
    if context is None or context.course != current.course_key:
        abort(404)
    is_connected = request.form.get("connected") == "yes"
    set_course_connected(current.store, current.course_key, get_lti_actor(), context, is_connected=is_connected)
    return see_other(".show_lms_setup")


@setup_pages.on_get("/lms/log", Permission.AUDIT)
def show_course_lti_log() -> ResponseReturnValue:
    """Show the audit rows of LTI that belong to no single assignment, the latest first."""
    page = load_page_of_log(AuditSelection(current.course_key, about_people=False))
    link = make_page_link("lms_setup_pages.show_course_lti_log")
    return render_template("log.html.j2", assignment=None, section=None, page=page, link=link)


def _render_page(
    link: str = "", tested_platform: LtiPlatform | None = None, steps: list[ConnectionCheckStepResult] | None = None
) -> str:
    store = current.store
    platforms = store.lti_platforms.list_active()
    platform_by_id = {platform.id: platform for platform in platforms}
    contexts: list[tuple[LtiContext, LtiPlatform]] = [
        (context, platform_by_id[context.platform])
        for context in store.lti_contexts.list_all(course=current.course_key)
        if context.platform in platform_by_id
    ]
    return render_template(
        "lms.html.j2",
        addresses=_make_tool_description().list_setup_fields(),
        keys=get_lti_tool().keys.list_published_ids_and_times(),
        platforms=platforms,
        contexts=sorted(contexts, key=lambda pair: pair[0].is_connected),
        link=link,
        tested=tested_platform,
        steps=steps or [],
    )


people_pages = Pages("lms_people_pages", __name__)


@dataclass(frozen=True, slots=True)
class ProposedPersonLink:
    """Somebody from an LMS who may be a student of the class."""

    person: LtiPerson
    own: Enrolment
    student: Enrolment
    hand_ins: int
    """Number of hand-ins made with the person's own account; they stay with that account."""


@people_pages.on_get("/lms/people", Permission.LINK_PEOPLE)
def show_lms_people() -> ResponseReturnValue:
    """Show the members of each connected LMS course, and the links to listed students that wait for a decision."""
    return _render_people_page()


@people_pages.on_post("/lms/people/<int:person_id>/link", Permission.LINK_PEOPLE)
def confirm_or_refuse_person_link(person_id: int) -> ResponseReturnValue:
    """Link a person to the proposed student, or refuse the proposal."""
    person = current.store.lti_people.find(id=person_id)
    proposal = _make_proposal(person) if person and person.state == "proposed" else None
    if person is None or proposal is None:
        abort(404)
    store, is_same = current.store, request.form.get("same") == "yes"
    student, after = proposal.student, f"{'' if is_same else 'not '}{proposal.student.login}"
    with store.group():
        if is_same:  # their next launch signs them in as the student
            store.lti_people.link_to_proposed_account(person)
            store.accounts.revoke_invitation_and_sign_ins(person.own_account)
        else:
            store.lti_people.refuse_proposed_account(person)
        record_lms_change("who it is", proposal.own.login, after, about=student, subject=person.subject)
    return see_other(".show_lms_people")


@people_pages.on_post("/lms/contexts/<int:context_id>/members", Permission.LINK_PEOPLE)
def sync_lms_course_members(context_id: int) -> ResponseReturnValue:
    """Bring the class up to date with the members of a course of a platform."""
    store, course = current.store, current.course_key
    context = store.lti_contexts.find(id=context_id)
    platform = store.lti_platforms.find_active(id=context.platform) if context else None
    if context is None or platform is None or context.course != course or not context.is_connected:
        abort(404)
    if not context.members_url:
        return _render_people_page(
            problem="The platform does not say where its members are: open an assignment from there first."
        )
    try:
        client = get_lti_tool().make_platform_client(platform)
        change = sync_members(store, course, client, context, get_lti_actor())
    except KitFault as fault:
        return _render_people_page(problem=str(fault))
    return _render_people_page(change=change)


def _render_people_page(change: MemberSyncCounts | None = None, problem: str = "") -> str:
    store, course = current.store, current.course_key
    contexts = [context for context in store.lti_contexts.list_all(course=course) if context.is_connected]
    proposals = [
        proposal
        for person in store.lti_people.list_all(state="proposed")
        if (proposal := _make_proposal(person)) is not None
    ]
    return render_template(
        "lms_people.html.j2",
        contexts=[(context, _list_members(context)) for context in contexts],
        proposals=proposals,
        change=change,
        problem=problem,
    )


def _make_proposal(person: LtiPerson) -> ProposedPersonLink | None:
    """Return a proposal; None if it belongs to another course."""
    store, course = current.store, current.course_key
    own_enrolment = store.accounts.find_enrolment_by_account(course, person.own_account)
    student = store.accounts.find_enrolment_by_account(course, person.proposed_account or 0)
    if own_enrolment is None or student is None or student.role != "student":
        return None
    names = [assignment.name for assignment in current.course.assignments]
    hand_ins = sum(len(store.hand_ins.list_hand_ins(course, name, own_enrolment.account)) for name in names)
    return ProposedPersonLink(person, own_enrolment, student, hand_ins)


def _list_members(context: LtiContext) -> list[tuple[LtiMembership, Enrolment]]:
    """Return the members of a course; former members come last."""
    store, course = current.store, current.course_key
    enrolment_by_account = {enrolment.account: enrolment for enrolment in store.accounts.list_enrolments(course)}
    enrolled_members = [
        (member, enrolment_by_account[member.account])
        for member in store.lti_members.list_present_and_former_members(context.id)
        if member.account in enrolment_by_account
    ]
    return sorted(enrolled_members, key=lambda pair: (pair[0].left_at is not None, pair[1].role, pair[1].login))

"""Show instructors who may be a student of the class, and who is in the course of an LMS."""

from __future__ import annotations

from dataclasses import dataclass

from flask import abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.faults import KitFault
from autograder.web.lms.frames import get_lti_actor, get_lti_tool, record_lms_change
from autograder.web.lti.launch_acceptance import MemberSyncCounts, sync_members
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.store.accounts import Enrolment
from autograder.web.store.lti.people import LtiMembership, LtiPerson
from autograder.web.store.lti.platforms import LtiContext

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
    return _render_page()


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
        return _render_page(
            problem="The platform does not say where its members are: open an assignment from there first."
        )
    try:
        client = get_lti_tool().make_platform_client(platform)
        change = sync_members(store, course, client, context, get_lti_actor())
    except KitFault as fault:
        return _render_page(problem=str(fault))
    return _render_page(change=change)


def _render_page(change: MemberSyncCounts | None = None, problem: str = "") -> str:
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

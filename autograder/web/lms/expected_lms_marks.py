"""Find the marks that should stand in LMSs now: of results that their students may see, for those who get marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.course import Assignment
from autograder.lti.platform_client import SCORE
from autograder.platforms.common.export_points import compute_counted_points
from autograder.reports import ScoreReport
from autograder.store.lti.lti_context_table import LtiContext
from autograder.store.lti.lti_person_table import LtiPerson
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.lti.outbox_mark import MarkWithComment, SendPolicy
from autograder.store.store import Store
from autograder.store.web.hand_in_model import HandIn
from autograder.web.effective_class_results import EffectiveClassResults
from autograder.web.lms.lms_mark_comment import make_mark_comment
from autograder.web.staff.class_table_rows import make_class_table_rows


@dataclass(frozen=True, slots=True)
class ExpectedLmsMark:
    """A mark that should stand in a line item."""

    link: LtiResourceLink
    person: LtiPerson
    value: MarkWithComment
    skipped: str
    """Why the mark is not sent although it is due; empty if it is sent."""


def _list_line_items_accepting_marks(store: Store, course: str, assignment_name: str) -> list[LtiResourceLink]:
    """Return the line items to which marks of an assignment go."""
    links = store.lti_links.list_in_connected_courses(course, assignment_name)
    return [link for link in links if link.line_item_url and SCORE in link.scopes]


def list_expected_lms_marks(
    store: Store, course: str, assignment: Assignment, course_url: str
) -> list[ExpectedLmsMark]:
    """Return the marks of an assignment that should stand in LMSs now.

    Args:
        store: where the results are.
        course: the course.
        assignment: the assignment.
        course_url: how browsers reach the course's first page, without a slash at its end.
    """
    links = _list_line_items_accepting_marks(store, course, assignment.name)
    if not links or not assignment.max_score:
        return []
    results = EffectiveClassResults(store, course, assignment)
    open_links = [
        link
        for link in links
        if _may_send_at_stage(results, store.line_item_send_policies.get_send_policy_or_default(link.id))
    ]
    if not open_links:
        return []
    mark_by_account = dict(_iterate_marks_by_account(results, course_url))
    return [mark for link in open_links for mark in _iterate_expected_marks_of_link(store, link, mark_by_account)]


def _may_send_at_stage(results: EffectiveClassResults, send_policy: SendPolicy) -> bool:
    """Return whether marks may be sent at this stage; each student's visibility is checked elsewhere."""
    match send_policy:
        case "on publishing":
            return results.visibility_stage == "published"
        case "after due date":
            return results.visibility_stage in ("due", "published")
        case "at once":
            return True


def _iterate_marks_by_account(
    results: EffectiveClassResults, course_url: str
) -> Iterator[tuple[int, MarkWithComment]]:
    """Yield the mark of each student, by account, that they may see now."""
    store, course = results.store, results.course
    students = store.accounts.list_students(course)
    hand_ins = store.hand_ins.list_hand_ins(course, results.assignment.name)
    for row in make_class_table_rows(results, students, hand_ins):
        visible_report = results.cut_report_for_student_or_none(row.report) if row.report else None
        hand_in = _find_hand_in(row.hand_ins, visible_report)
        if visible_report is None or hand_in is None:
            continue
        comment = make_mark_comment(visible_report, f"{course_url}/hand-ins/{hand_in.key}")
        points = round(compute_counted_points(visible_report), 6)
        mark = MarkWithComment(points, visible_report.final.max_score, comment, hand_in.handed_in.isoformat())
        for member in row.members:
            yield member.account, mark


def _find_hand_in(hand_ins: Iterable[HandIn], report: ScoreReport | None) -> HandIn | None:
    return next((hand_in for hand_in in hand_ins if report and hand_in.submission == report.submission.id), None)


def _iterate_expected_marks_of_link(
    store: Store, link: LtiResourceLink, mark_by_account: dict[int, MarkWithComment]
) -> Iterator[ExpectedLmsMark]:
    context = store.lti_contexts.find_by_id(link.context)
    assert context is not None
    reason_by_person = _find_skip_reasons(store, context)
    for person in store.lti_people.list_all():
        if (person.platform, person.deployment) != (context.platform, context.deployment):
            continue
        if person.account in mark_by_account:
            reason = "a test user" if person.is_test_user else reason_by_person.get(person.id, "")
            if reason != ELSEWHERE:
                yield ExpectedLmsMark(link, person, mark_by_account[person.account], reason)


ELSEWHERE = "never a member of the course on the platform"


def _find_skip_reasons(store: Store, context: LtiContext) -> dict[int, str]:
    """Return, by person, why they get no marks in a platform's course; empty until its members were read once."""
    if context.members_read_at is None:
        return {}
    member_by_person = {
        member.person: member for member in store.lti_members.list_present_and_former_members(context.id)
    }
    reason_by_person = {}
    for person in store.lti_people.list_all():
        member = member_by_person.get(person.id)
        if member is None:
            reason_by_person[person.id] = ELSEWHERE
        elif member.left_at:
            reason_by_person[person.id] = "left the course on the platform"
        elif member.role != "student":
            reason_by_person[person.id] = f"{member.role} on the platform"
    return reason_by_person

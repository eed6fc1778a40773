"""Collect the marks of an assignment for the staff: person, destination, sending state, and the LMS's own mark."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autograder.course import Assignment
from autograder.lti.deleted_line_items import describe_line_item_problem
from autograder.lti.line_item_results import fetch_results
from autograder.lti.link_place import find_context_and_platform, format_link_place
from autograder.lti.lti_tool import LtiTool
from autograder.lti.next_mark_sending_step import describe_points_on_platform, format_points_of_maximum
from autograder.lti.platform_client import RESULT_READ_ONLY
from autograder.lti.platform_results import PlatformResult, certainly_matches_mark, has_equivalent_points
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.lti.outbox_mark import MarkWithComment, OutboxMark, SendPolicy
from autograder.store.store import Store
from autograder.web.lms.expected_lms_marks import list_expected_lms_marks
from autograder.web.student_display_names import StudentDisplayNames

REAL_NAMES = StudentDisplayNames()


@dataclass(frozen=True, slots=True)
class OutboxMarkRow:
    """A mark in the outbox, for people."""

    mark: OutboxMark
    login: str
    name: str
    place: str
    """The platform, and the course there."""


@dataclass(frozen=True, slots=True)
class LineItemRow:
    """A line item, for people."""

    link: LtiResourceLink
    place: str
    send_policy: SendPolicy
    problem: str
    """Why no mark can go there; empty where marks can."""


@dataclass(frozen=True, slots=True)
class LmsMarkComparison:
    """A mark here and in the LMS."""

    name: str
    place: str
    here: str
    there: str
    verdict: str


def list_outbox_mark_rows(
    store: Store, course: str, assignment_name: str, display_names: StudentDisplayNames = REAL_NAMES
) -> list[OutboxMarkRow]:
    """Return the outbox of an assignment, with names as they are shown; marks that need attention come first."""
    link_by_id = {link.id: link for link in store.lti_links.list_in_connected_courses(course, assignment_name)}
    rows = []
    for mark in store.mark_outbox.list_marks(course, assignment_name):
        link = link_by_id.get(mark.line_item)
        place = format_link_place(store, link) if link else "no longer connected"
        login, name = _find_login_and_name(store, course, mark.person)
        shown_mark = replace(mark, answer=display_names.mask_text(mark.answer))
        shown_name = display_names.mask_name(login, name)
        rows.append(OutboxMarkRow(shown_mark, display_names.mask_login(login), shown_name, place))
    state_order = ("rejected", "kept", "queued", "sending", "withheld", "skipped", "sent")
    return sorted(rows, key=lambda row: (state_order.index(row.mark.state), row.name.casefold(), row.place))


def list_line_item_rows(store: Store, course: str, assignment_name: str) -> list[LineItemRow]:
    """Return the line items of an assignment."""
    return [
        LineItemRow(
            link,
            format_link_place(store, link),
            store.line_item_send_policies.get_send_policy_or_default(link.id),
            describe_line_item_problem(store, course, link),
        )
        for link in store.lti_links.list_in_connected_courses(course, assignment_name)
    ]


def fetch_mark_comparisons(
    store: Store,
    course: str,
    assignment: Assignment,
    course_url: str,
    tool: LtiTool,
    display_names: StudentDisplayNames,
) -> tuple[list[LmsMarkComparison], list[str]]:
    """Return each mark with the LMS's mark beside it, and the problems in reading them. Nothing is sent."""
    comparisons, problems = [], []
    expected_marks = list_expected_lms_marks(store, course, assignment, course_url)
    outbox_marks = {
        (mark.line_item, mark.person): mark for mark in store.mark_outbox.list_marks(course, assignment.name)
    }
    for link in store.lti_links.list_in_connected_courses(course, assignment.name):
        context, platform = find_context_and_platform(store, link)
        place = format_link_place(store, link)
        if context is None or platform is None or not link.line_item_url or RESULT_READ_ONLY not in link.scopes:
            problems.append(f"{place}: the platform does not let the tool read its marks")
            continue
        answer, results = fetch_results(tool.make_platform_client(platform), link.line_item_url, [RESULT_READ_ONLY])
        if not answer.is_ok:
            problems.append(f"{place}: status {max(answer.status, 0)}, {answer.body}")
            continue
        result_by_user = {result.user_id: result for result in results}
        expected_by_person = {
            expected.person.id: expected for expected in expected_marks if expected.link.id == link.id
        }
        for person in store.lti_people.list_all():
            result = result_by_user.get(person.subject)
            is_in_context = (person.platform, person.deployment) == (context.platform, context.deployment)
            if not is_in_context or (result is None and person.id not in expected_by_person):
                continue
            expected = expected_by_person.get(person.id)
            value = expected.value if expected and not expected.skipped else None
            verdict = _format_verdict(value, result, outbox_marks.get((link.id, person.id)))
            points_here = (
                format_points_of_maximum(value) if value else f"none ({expected.skipped})" if expected else "none"
            )
            name = display_names.mask_name(*_find_login_and_name(store, course, person.id))
            comparisons.append(
                LmsMarkComparison(
                    name, place, points_here, describe_points_on_platform(result) if result else "no mark", verdict
                )
            )
    return sorted(
        comparisons, key=lambda comparison: (comparison.verdict == SAME, comparison.name.casefold())
    ), problems


SAME = "the same"


def _format_verdict(value: MarkWithComment | None, result: PlatformResult | None, row: OutboxMark | None) -> str:
    if value is None:
        return "only in the LMS; stays"
    if result is not None and certainly_matches_mark(result, value, []):
        return SAME
    if row is not None and row.state == "rejected":
        return "rejected; waits until somebody tries again"
    if result is None or result.result_score is None:
        return "would be sent"
    sent_values = [value for value in (row.confirmed, *row.in_doubt) if value] if row else []
    if has_equivalent_points(result, value):
        return "the same points, another comment"
    if any(has_equivalent_points(result, sent_value) for sent_value in sent_values):
        return "would be sent"
    return "set by a person in the LMS; stays"


def _find_login_and_name(store: Store, course: str, person_id: int) -> tuple[str, str]:
    person = store.lti_people.find_by_id(person_id)
    enrolment = store.accounts.find_enrolment_by_account(course, person.account) if person else None
    return (enrolment.login, enrolment.name) if enrolment else ("", "a former member")

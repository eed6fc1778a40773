"""Show instructors the marks and deadlines of LMSs, and let them decide about both."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from flask import Response, abort, render_template, request
from flask.typing import ResponseReturnValue

from autograder.batch.personalized_reports import apply_lms_deadlines_if_chosen
from autograder.course import Assignment
from autograder.faults import KitFault
from autograder.text import neutralize_formula
from autograder.web.lms.frames import get_lti_actor, get_lti_tool, record_lms_change
from autograder.web.lms.sync import list_expected_lms_marks, refresh_line_item_deadline
from autograder.web.lti import administration
from autograder.web.lti.administration import find_context_and_platform, format_link_place
from autograder.web.lti.line_items import describe_line_item_problem
from autograder.web.lti.mark_sender import describe_points_on_platform, format_points_of_maximum
from autograder.web.lti.results import PlatformResult, certainly_matches_mark, fetch_results, has_equivalent_points
from autograder.web.lti.tool import RESULT_READ_ONLY
from autograder.web.names import StudentDisplayNames, get_student_display_names
from autograder.web.request import Pages, Permission, current, see_other
from autograder.web.store.lti.deadlines import DEADLINE_SOURCES
from autograder.web.store.lti.platforms import LtiResourceLink
from autograder.web.store.lti.tables import SEND_POLICIES, MarkWithComment, OutboxMark, SendPolicy


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


STATE_ORDER = ("rejected", "kept", "queued", "sending", "withheld", "skipped", "sent")
"""The states of marks; those that need attention come first."""


def _list_outbox_mark_rows(assignment_name: str, display_names: StudentDisplayNames) -> list[OutboxMarkRow]:
    """Return the outbox of an assignment, with names as they are shown; marks that need attention come first."""
    store, rows = current.store, []
    links = store.lti_links.list_in_connected_courses(current.course_key, current.assignment(assignment_name).name)
    place_by_link = {link.id: format_link_place(store, link) for link in links}
    for mark in store.mark_outbox.list_marks(current.course_key, assignment_name):
        login, name = _find_login_and_name(mark.person)
        shown_mark = replace(mark, answer=display_names.mask_text(mark.answer))
        place = place_by_link.get(mark.line_item, "no longer connected")
        shown_name = display_names.mask_name(login, name)
        rows.append(OutboxMarkRow(shown_mark, display_names.mask_login(login), shown_name, place))
    return sorted(rows, key=lambda row: (STATE_ORDER.index(row.mark.state), row.name.casefold(), row.place))


def _list_line_item_rows(assignment_name: str) -> list[LineItemRow]:
    """Return the line items of an assignment."""
    store, course = current.store, current.course_key
    return [
        LineItemRow(
            link,
            format_link_place(store, link),
            store.line_item_send_policies.get_send_policy_or_default(link.id),
            describe_line_item_problem(store, course, link),
        )
        for link in store.lti_links.list_in_connected_courses(course, current.assignment(assignment_name).name)
    ]


def _fetch_mark_comparisons(assignment: Assignment) -> tuple[list[dict[str, str]], list[str]]:
    """Return each mark with the LMS's mark beside it, and the problems in reading them. Nothing is sent."""
    store, course, comparisons, problems = current.store, current.course_key, [], []
    display_names = get_student_display_names(assignment.name)
    expected_marks = {
        (expected.link.id, expected.person.id): expected
        for expected in list_expected_lms_marks(store, course, assignment, current.settings.course_url)
    }
    outbox_marks = {
        (mark.line_item, mark.person): mark for mark in store.mark_outbox.list_marks(course, assignment.name)
    }
    for link in store.lti_links.list_in_connected_courses(course, assignment.name):
        context, platform = find_context_and_platform(store, link)
        place = format_link_place(store, link)
        if context is None or platform is None or not link.line_item_url or RESULT_READ_ONLY not in link.scopes:
            problems.append(f"{place}: the platform does not let the tool read its marks")
            continue
        client = get_lti_tool().make_platform_client(platform)
        answer, results = fetch_results(client, link.line_item_url, [RESULT_READ_ONLY])
        if not answer.is_ok:
            problems.append(f"{place}: status {max(answer.status, 0)}, {answer.body}")
            continue
        result_by_user = {result.user_id: result for result in results}
        for person in store.lti_people.list_all(platform=context.platform, deployment=context.deployment):
            result, expected = result_by_user.get(person.subject), expected_marks.get((link.id, person.id))
            if result is None and expected is None:
                continue
            value = expected.value if expected and not expected.skipped else None
            reason = f"none ({expected.skipped})" if expected else "none"
            comparisons.append(
                {
                    "name": display_names.mask_name(*_find_login_and_name(person.id)),
                    "place": place,
                    "here": format_points_of_maximum(value) if value else reason,
                    "there": describe_points_on_platform(result),
                    "verdict": _format_verdict(value, result, outbox_marks.get((link.id, person.id))),
                }
            )
    return sorted(comparisons, key=lambda one: (one["verdict"] == SAME, one["name"].casefold())), problems


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


def _find_login_and_name(person_id: int) -> tuple[str, str]:
    store = current.store
    person = store.lti_people.find(id=person_id)
    enrolment = store.accounts.find_enrolment_by_account(current.course_key, person.account) if person else None
    return (enrolment.login, enrolment.name) if enrolment else ("", "a former member")


def _format_outbox_marks_as_csv(rows: Iterable[OutboxMarkRow]) -> str:
    """Return a CSV file with a byte order mark, as spreadsheets read it; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", "login", "place", "points", "out of", "comment", "state", "answer"])
    for row in rows:
        mark = row.mark
        cells = (row.name, row.login, row.place, f"{mark.value.points:g}", f"{mark.value.maximum:g}")
        writer.writerow([neutralize_formula(cell) for cell in (*cells, mark.value.comment, mark.state, mark.answer)])
    return "\ufeff" + text.getvalue()


def _describe_deadlines(assignment: Assignment) -> dict[str, object]:
    """Return the deadlines of the course and of LMSs, and which of them counts, for people."""
    store, course, name = current.store, current.course_key, assignment.name
    said = store.lti_deadlines.list_platform_deadlines(course, name)
    general_deadlines = {one.line_item: one.deadline for one in said if not one.login}
    logins = {one.login for one in said if one.login and one.deadline != general_deadlines.get(one.line_item)}
    source = store.lti_deadlines.get_deadline_source(course, name)
    rules = apply_lms_deadlines_if_chosen(store, course, name, assignment.deadline_rules)
    return {
        "source": source,
        "own": assignment.deadline_rules.deadline,
        "counting": rules.deadline,
        "said": [one for one in said if not one.login],
        "own_deadlines": len(logins),
        "is_lms_deadline_in_force": source == "LMS" and bool(general_deadlines or logins),
    }


mark_pages = Pages("lms_mark_pages", __name__)
MOST_ATTEMPTS = 50


@mark_pages.on_get("/class/<assignment_name>/lms-marks", Permission.SEND_MARKS)
def show_mark_sending_states(assignment_name: str) -> ResponseReturnValue:
    """Show the sending state of each mark."""
    return _render_lms_marks_page(assignment_name)


@mark_pages.on_get("/class/<assignment_name>/lms-marks/<int:mark_id>", Permission.SEND_MARKS)
def show_outbox_mark(assignment_name: str, mark_id: int) -> ResponseReturnValue:
    """Show everything that was asked of the LMS about one mark, the last first."""
    display_names = get_student_display_names(assignment_name)
    row = _find_row(_list_outbox_mark_rows(assignment_name, display_names), mark_id)
    attempts = [
        replace(attempt, answer=display_names.mask_text(attempt.answer))
        for attempt in current.store.mark_requests.list_requests(mark_id)[::-1][:MOST_ATTEMPTS]
    ]
    return render_template(
        "lms_mark.html.j2", assignment=current.assignment(assignment_name), row=row, attempts=attempts
    )


@mark_pages.on_get("/class/<assignment_name>/lms-marks.csv", Permission.SEND_MARKS)
def download_lms_marks(assignment_name: str) -> ResponseReturnValue:
    """Send the marks as a table, for where the LMS takes nothing else."""
    rows = _list_outbox_mark_rows(assignment_name, get_student_display_names(assignment_name))
    disposition = {"Content-Disposition": f'attachment; filename="{assignment_name}-marks.csv"'}
    return Response(_format_outbox_marks_as_csv(rows), 200, disposition, mimetype="text/csv")


@mark_pages.on_post("/class/<assignment_name>/lms-marks/compare", Permission.SEND_MARKS)
def compare_with_lms_marks(assignment_name: str) -> ResponseReturnValue:
    """Show what sending would change; nothing is sent."""
    comparisons, problems = _fetch_mark_comparisons(current.assignment(assignment_name))
    return _render_lms_marks_page(assignment_name, compared=comparisons, problems=problems)


@mark_pages.on_post("/class/<assignment_name>/lms-marks/retry", Permission.SEND_MARKS)
def requeue_rejected_marks(assignment_name: str) -> ResponseReturnValue:
    """Queue every mark again that was rejected."""
    rows = [row for row in _list_outbox_mark_rows(assignment_name, REAL_NAMES) if row.mark.state == "rejected"]
    return _requeue_marks(assignment_name, rows, may_overwrite=False)


@mark_pages.on_post("/class/<assignment_name>/lms-marks/<int:mark_id>/retry", Permission.SEND_MARKS)
def requeue_mark(assignment_name: str, mark_id: int) -> ResponseReturnValue:
    """Queue one mark again; the form may allow that it replaces what a person set there."""
    row = _find_row(_list_outbox_mark_rows(assignment_name, REAL_NAMES), mark_id)
    return _requeue_marks(assignment_name, [row], may_overwrite=request.form.get("overwrite") == "yes")


def _render_lms_marks_page(assignment_name: str, **problems_and_comparisons: Sequence[object]) -> str:
    """Return the page.

    Args:
        assignment_name: the assignment.
        problems_and_comparisons: ``compared``, the marks here and there, where somebody asked for them; ``problems``,
            what could not be compared; ``deadline_problems``, what could not be read of the LMS's deadlines.
    """
    assignment = current.assignment(assignment_name)
    rows = _list_outbox_mark_rows(assignment_name, get_student_display_names(assignment_name))
    values = {"compared": None, "problems": (), "deadline_problems": (), **problems_and_comparisons}
    return render_template(
        "lms_marks.html.j2",
        assignment=assignment,
        rows=rows,
        counts=Counter(row.mark.state for row in rows),
        links=_list_line_item_rows(assignment_name),
        choices=SEND_POLICIES,
        deadline_sources=DEADLINE_SOURCES,
        deadline=_describe_deadlines(assignment),
        **values,
    )


REAL_NAMES = StudentDisplayNames()
"""Names and logins as they are, for the audit log."""


def _find_row(rows: Sequence[OutboxMarkRow], mark_id: int) -> OutboxMarkRow:
    return next((row for row in rows if row.mark.id == mark_id), None) or abort(404)


def _requeue_marks(assignment_name: str, rows: list[OutboxMarkRow], *, may_overwrite: bool) -> ResponseReturnValue:
    request_text = "to be replaced there" if may_overwrite else "to be tried again"
    store = current.store
    with store.group():
        store.mark_outbox.requeue_unsent(*(row.mark.id for row in rows), may_overwrite_mark_of_person=may_overwrite)
        for row in rows:
            after = f"{format_points_of_maximum(row.mark.value)}, {request_text}"
            student = store.accounts.find_enrolment(current.course_key, row.login)
            record_lms_change(
                "mark", row.mark.answer, after, place=row.place, about=student, assignment=assignment_name
            )
    return _see_marks(assignment_name)


def _see_marks(assignment_name: str) -> ResponseReturnValue:
    return see_other("lms_mark_pages.show_mark_sending_states", assignment_name=assignment_name)


settings_pages = Pages("lms_sync_settings_pages", __name__)


@settings_pages.on_post("/class/<assignment_name>/lms-deadline", Permission.EXTEND)
def choose_deadline_source(assignment_name: str) -> ResponseReturnValue:
    """Save whose deadline counts, and fetch the LMS's deadlines."""
    assignment, store, course = current.assignment(assignment_name), current.store, current.course_key
    source = next((choice for choice in DEADLINE_SOURCES if choice == request.form.get("source")), None)
    if source is None:
        abort(404)
    store.lti_deadlines.set_deadline_source(course, assignment.name, source, current.person)
    problems = []
    for link in store.lti_links.list_in_connected_courses(course, assignment.name) if source == "LMS" else []:
        try:
            refresh_line_item_deadline(store, link, get_lti_tool())
        except KitFault as fault:
            problems.append(str(fault))
    if problems:
        return _render_lms_marks_page(assignment_name, deadline_problems=problems)
    return _see_marks(assignment_name)


@settings_pages.on_post("/class/<assignment_name>/lms-marks/when", Permission.SEND_MARKS)
def set_mark_send_policy(assignment_name: str) -> ResponseReturnValue:
    """Save when the marks of a line item are sent."""
    row, requested_policy = _get_row_or_404(assignment_name), request.form.get("when", "")
    send_policy = next((policy for policy in SEND_POLICIES if policy == requested_policy), None)
    if send_policy is None:
        abort(404)
    store = current.store
    with store.group():
        store.line_item_send_policies.save_send_policy(row.link.id, send_policy)
        record_lms_change("setting", row.send_policy, send_policy, place=row.place, assignment=assignment_name)
    return _see_marks(assignment_name)


@settings_pages.on_post("/class/<assignment_name>/lms-marks/forget", Permission.SEND_MARKS)
def forget_link(assignment_name: str) -> ResponseReturnValue:
    """Forget a link whose column for marks is gone; a launch by it makes it known again."""
    link = _get_row_or_404(assignment_name).link
    if link.line_item_url:
        abort(404)
    administration.forget_link(current.store, current.course_key, get_lti_actor(), link)
    return _see_marks(assignment_name)


def _get_row_or_404(assignment_name: str) -> LineItemRow:
    """Return the line item that the form is about."""
    rows = _list_line_item_rows(assignment_name)
    return next((row for row in rows if str(row.link.id) == request.form.get("line_item")), None) or abort(404)

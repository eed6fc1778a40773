"""Show instructors the marks and deadlines of LMSs, and let them decide about both."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from flask import Blueprint, Response, abort, render_template, request
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
from autograder.web.lti.tool import RESULT_READ_ONLY, LtiTool
from autograder.web.names import StudentDisplayNames, get_student_display_names
from autograder.web.request import Permission, current, requires, see_other
from autograder.web.store.lti.deadlines import DEADLINE_SOURCES, DeadlineSource, PlatformDeadline
from autograder.web.store.lti.platforms import LtiResourceLink
from autograder.web.store.lti.tables import SEND_POLICIES, MarkWithComment, OutboxMark, SendPolicy
from autograder.web.store.server_store import ServerStore

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


def _list_outbox_mark_rows(
    store: ServerStore, course: str, assignment_name: str, display_names: StudentDisplayNames = REAL_NAMES
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


def _list_line_item_rows(store: ServerStore, course: str, assignment_name: str) -> list[LineItemRow]:
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


def _fetch_mark_comparisons(
    store: ServerStore,
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


def _find_login_and_name(store: ServerStore, course: str, person_id: int) -> tuple[str, str]:
    person = store.lti_people.find(id=person_id)
    enrolment = store.accounts.find_enrolment_by_account(course, person.account) if person else None
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


@dataclass(frozen=True, slots=True)
class DeadlineOverview:
    """The deadline that counts for an assignment, and its source, for people."""

    source: DeadlineSource
    own: datetime | None
    """The deadline of ``grading.yml``."""
    counting: datetime | None
    """The deadline that counts for every student without a personal one."""
    said: list[PlatformDeadline]
    """What LMSs say to everybody."""
    own_deadlines: int
    """How many students have a personal deadline from an LMS that differs from its general one."""

    @property
    def is_lms_deadline_in_force(self) -> bool:
        """Return whether the deadline that counts is one that an LMS said."""
        return self.source == "LMS" and bool(self.said or self.own_deadlines)


def _load_deadline_overview(store: ServerStore, course: str, assignment: Assignment) -> DeadlineOverview:
    """Return the deadlines of the course and of LMSs, and which of them counts."""
    rules, name = assignment.deadline_rules, assignment.name
    platform_deadlines = store.lti_deadlines.list_platform_deadlines(course, name)
    effective_rules = apply_lms_deadlines_if_chosen(store, course, name, rules)
    general_deadline_by_link = {
        deadline.line_item: deadline.deadline for deadline in platform_deadlines if not deadline.login
    }
    return DeadlineOverview(
        store.lti_deadlines.get_deadline_source(course, name),
        rules.deadline,
        effective_rules.deadline,
        [deadline for deadline in platform_deadlines if not deadline.login],
        len(
            {
                deadline.login
                for deadline in platform_deadlines
                if deadline.login and deadline.deadline != general_deadline_by_link.get(deadline.line_item)
            }
        ),
    )


mark_pages = Blueprint("lms_mark_pages", __name__)
MOST_ATTEMPTS = 50


@mark_pages.get("/class/<assignment_name>/lms-marks")
@requires(Permission.SEND_MARKS)
def show_mark_sending_states(assignment_name: str) -> ResponseReturnValue:
    """Show the sending state of each mark."""
    return _render_lms_marks_page(assignment_name)


@mark_pages.get("/class/<assignment_name>/lms-marks/<int:mark_id>")
@requires(Permission.SEND_MARKS)
def show_outbox_mark(assignment_name: str, mark_id: int) -> ResponseReturnValue:
    """Show everything that was asked of the LMS about one mark, the last first."""
    row = _find_row(_list_shown_rows(assignment_name), mark_id)
    mask_text = get_student_display_names(assignment_name).mask_text
    attempts = [
        replace(attempt, answer=mask_text(attempt.answer))
        for attempt in current.store.mark_requests.list_requests(mark_id)[::-1][:MOST_ATTEMPTS]
    ]
    return render_template(
        "lms_mark.html.j2", assignment=current.assignment(assignment_name), row=row, attempts=attempts
    )


@mark_pages.get("/class/<assignment_name>/lms-marks.csv")
@requires(Permission.SEND_MARKS)
def download_lms_marks(assignment_name: str) -> ResponseReturnValue:
    """Send the marks as a table, for where the LMS takes nothing else."""
    rows = _list_shown_rows(assignment_name)
    disposition = {"Content-Disposition": f'attachment; filename="{assignment_name}-marks.csv"'}
    return Response(_format_outbox_marks_as_csv(rows), 200, disposition, mimetype="text/csv")


@mark_pages.post("/class/<assignment_name>/lms-marks/compare")
@requires(Permission.SEND_MARKS)
def compare_with_lms_marks(assignment_name: str) -> ResponseReturnValue:
    """Show what sending would change; nothing is sent."""
    comparisons, problems = _fetch_mark_comparisons(
        current.store,
        current.course_key,
        current.assignment(assignment_name),
        current.settings.course_url,
        get_lti_tool(),
        get_student_display_names(assignment_name),
    )
    return _render_lms_marks_page(assignment_name, comparisons, problems)


@mark_pages.post("/class/<assignment_name>/lms-marks/retry")
@requires(Permission.SEND_MARKS)
def requeue_rejected_marks(assignment_name: str) -> ResponseReturnValue:
    """Queue every mark again that was rejected."""
    _requeue_marks(
        assignment_name,
        [row for row in _list_rows(assignment_name) if row.mark.state == "rejected"],
        may_overwrite=False,
    )
    return see_other(".show_mark_sending_states", assignment_name=assignment_name)


@mark_pages.post("/class/<assignment_name>/lms-marks/<int:mark_id>/retry")
@requires(Permission.SEND_MARKS)
def requeue_mark(assignment_name: str, mark_id: int) -> ResponseReturnValue:
    """Queue one mark again; the form may allow that it replaces what a person set there."""
    _requeue_marks(
        assignment_name,
        [_find_row(_list_rows(assignment_name), mark_id)],
        may_overwrite=request.form.get("overwrite") == "yes",
    )
    return see_other(".show_mark_sending_states", assignment_name=assignment_name)


def _render_lms_marks_page(
    assignment_name: str,
    mark_comparisons: list[LmsMarkComparison] | None = None,
    comparison_problems: Sequence[str] = (),
    deadline_problems: Sequence[str] = (),
) -> str:
    """Return the page.

    Args:
        assignment_name: the assignment.
        mark_comparisons: the marks here and there, where somebody asked for them.
        comparison_problems: what could not be compared.
        deadline_problems: what could not be read of the LMS's deadlines.
    """
    assignment, store, course = current.assignment(assignment_name), current.store, current.course_key
    rows = _list_shown_rows(assignment_name)
    return render_template(
        "lms_marks.html.j2",
        assignment=assignment,
        rows=rows,
        counts={
            state: sum(row.mark.state == state for row in rows) for state in ("queued", "sent", "rejected", "kept")
        },
        links=_list_line_item_rows(store, course, assignment.name),
        choices=SEND_POLICIES,
        deadline_sources=DEADLINE_SOURCES,
        compared=mark_comparisons,
        problems=comparison_problems,
        deadline=_load_deadline_overview(store, course, assignment),
        deadline_problems=deadline_problems,
    )


def _list_rows(assignment_name: str) -> list[OutboxMarkRow]:
    """Return the outbox with names and logins as they are, for the audit log."""
    return _list_outbox_mark_rows(current.store, current.course_key, current.assignment(assignment_name).name)


def _list_shown_rows(assignment_name: str) -> list[OutboxMarkRow]:
    """Return the outbox as the person who asks may see it."""
    assignment, display_names = current.assignment(assignment_name), get_student_display_names(assignment_name)
    return _list_outbox_mark_rows(current.store, current.course_key, assignment.name, display_names)


def _find_row(rows: Sequence[OutboxMarkRow], mark_id: int) -> OutboxMarkRow:
    return next((row for row in rows if row.mark.id == mark_id), None) or abort(404)


def _requeue_marks(assignment_name: str, rows: list[OutboxMarkRow], *, may_overwrite: bool) -> None:
    request_text = "to be replaced there" if may_overwrite else "to be tried again"
    store, course = current.store, current.course_key
    with store.group():
        store.mark_outbox.requeue_unsent(*(row.mark.id for row in rows), may_overwrite_mark_of_person=may_overwrite)
        for row in rows:
            after = f"{format_points_of_maximum(row.mark.value)}, {request_text}"
            student = store.accounts.find_enrolment(course, row.login)
            record_lms_change(
                "mark", row.mark.answer, after, place=row.place, about=student, assignment=assignment_name
            )


settings_pages = Blueprint("lms_sync_settings_pages", __name__)


@settings_pages.post("/class/<assignment_name>/lms-deadline")
@requires(Permission.EXTEND)
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
    return see_other("lms_mark_pages.show_mark_sending_states", assignment_name=assignment_name)


@settings_pages.post("/class/<assignment_name>/lms-marks/when")
@requires(Permission.SEND_MARKS)
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
    return see_other("lms_mark_pages.show_mark_sending_states", assignment_name=assignment_name)


@settings_pages.post("/class/<assignment_name>/lms-marks/forget")
@requires(Permission.SEND_MARKS)
def forget_link(assignment_name: str) -> ResponseReturnValue:
    """Forget a link whose column for marks is gone; a launch by it makes it known again."""
    link = _get_row_or_404(assignment_name).link
    if link.line_item_url:
        abort(404)
    administration.forget_link(current.store, current.course_key, get_lti_actor(), link)
    return see_other("lms_mark_pages.show_mark_sending_states", assignment_name=assignment_name)


def _get_row_or_404(assignment_name: str) -> LineItemRow:
    """Return the line item that the form is about."""
    assignment = current.assignment(assignment_name)
    rows = _list_line_item_rows(current.store, current.course_key, assignment.name)
    return next((row for row in rows if str(row.link.id) == request.form.get("line_item")), None) or abort(404)

"""Keep LMSs in step with a course: their line items, deadlines and marks."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from autograder.course import Assignment
from autograder.faults import Fault, KitFault
from autograder.platforms.common.export_points import compute_counted_points
from autograder.reports import ScoreReport
from autograder.reports.report_model import Stage
from autograder.reports.wording import (
    add_full_stop,
    describe_decisions_for_student,
    format_final_points,
    list_staff_comments,
)
from autograder.text import escape_for_display
from autograder.web.class_table import make_class_table_rows
from autograder.web.lti.administration import find_context_and_platform
from autograder.web.lti.launch_acceptance import parse_platform_deadline_or_none
from autograder.web.lti.line_items import (
    DeletedLineItem,
    fetch_line_item,
    find_or_make_line_item_url,
    remove_deleted_line_item,
)
from autograder.web.lti.mark_sender import QueuedMarkSender
from autograder.web.lti.tool import SCORE, LtiTool, make_lti_tool
from autograder.web.results import EffectiveClassResults
from autograder.web.settings import CourseServerSettings
from autograder.web.store.lti.audit import LtiActor, record_lti_change
from autograder.web.store.lti.platforms import LtiContext, LtiPerson, LtiResourceLink
from autograder.web.store.lti.tables import MarkState, MarkWithComment, OutboxMark, SendPolicy
from autograder.web.store.server_store import ServerStore, open_server_store

MOST_CHARACTERS = 700


def _make_mark_comment(visible_report: ScoreReport, result_page_url: str) -> str:
    """Return the comment. Equal reports give equal comments.

    Args:
        visible_report: what the student may see of the result now, and nothing else.
        result_page_url: the page of the result.
    """
    summary = escape_for_display(" ".join(_iterate_sentences(visible_report)), MOST_CHARACTERS)
    return f"{summary} All of it: {result_page_url}"


def _iterate_sentences(report: ScoreReport) -> Iterator[str]:
    yield add_full_stop(format_final_points(report))
    if report.status.message:
        yield add_full_stop(report.status.message)
    if report.tests:
        passed_count = sum(test.outcome == "passed" for test in report.tests)
        yield f"{passed_count} of {len(report.tests)} tests passed."
    if report.lateness and report.lateness.percent_off:
        yield add_full_stop(report.lateness.message)
    for text in (*describe_decisions_for_student(report), *list_staff_comments(report)):
        yield add_full_stop(" ".join(text.split()))


@dataclass(frozen=True, slots=True)
class ExpectedLmsMark:
    """A mark that should stand in a line item."""

    link: LtiResourceLink
    person: LtiPerson
    value: MarkWithComment
    skipped: str
    """Why the mark is not sent although it is due; empty if it is sent."""


def list_expected_lms_marks(
    store: ServerStore, course: str, assignment: Assignment, course_url: str
) -> list[ExpectedLmsMark]:
    """Return the marks of an assignment that should stand in LMSs now.

    Args:
        store: where the results are.
        course: the course.
        assignment: the assignment.
        course_url: how browsers reach the course's first page, without a slash at its end.
    """
    links = store.lti_links.list_in_connected_courses(course, assignment.name)
    links = [link for link in links if link.line_item_url and SCORE in link.scopes]
    if not links or not assignment.max_score:
        return []
    results = EffectiveClassResults(store, course, assignment)
    stages = {results.get_visibility_stage(account) for account in results.published_times}
    policies = store.line_item_send_policies
    stages_by_link = {link: SENDING_STAGES[policies.get_send_policy_or_default(link.id)] for link in links}
    if not any(stages & sending_stages for sending_stages in stages_by_link.values()):
        return []
    marks = [*_iterate_marks(results, course_url)]
    return [
        expected
        for link, sending_stages in stages_by_link.items()
        for expected in _iterate_expected_marks_of_link(
            store, link, {account: mark for account, stage, mark in marks if stage in sending_stages}
        )
    ]


SENDING_STAGES: dict[SendPolicy, frozenset[Stage]] = {
    "on publishing": frozenset({"published"}),
    "after due date": frozenset({"due", "published"}),
    "at once": frozenset({"handed in", "due", "published"}),
}
"""The stages at which marks may be sent; each student's visibility is checked elsewhere."""


def _iterate_marks(results: EffectiveClassResults, course_url: str) -> Iterator[tuple[int, Stage, MarkWithComment]]:
    """Yield the account of each student with the stage of visibility and the mark that they may see now."""
    store, course = results.store, results.course
    students = store.accounts.list_students(course)
    hand_ins = store.hand_ins.list_hand_ins(course, results.assignment.name)
    entries = results.entries_by_submission_id
    for row in make_class_table_rows(results, students, hand_ins):
        hand_in = row.counted
        if hand_in is None:
            continue
        for member in row.members:
            report = entries[hand_in.submission].report
            visible_report = results.cut_report_for_student_or_none(report, member.account)
            if visible_report is None:
                continue
            comment = _make_mark_comment(visible_report, f"{course_url}/hand-ins/{hand_in.key}")
            points = round(compute_counted_points(visible_report), 6)
            mark = MarkWithComment(points, visible_report.final.max_score, comment, hand_in.handed_in.isoformat())
            yield member.account, results.get_visibility_stage(member.account), mark


def _iterate_expected_marks_of_link(
    store: ServerStore, link: LtiResourceLink, mark_by_account: dict[int, MarkWithComment]
) -> Iterator[ExpectedLmsMark]:
    context = store.lti_contexts.find(id=link.context)
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


def _find_skip_reasons(store: ServerStore, context: LtiContext) -> dict[int, str]:
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


WITHHELD = "students may not see it now, or nothing counts any more"


def queue_expected_marks(store: ServerStore, course: str, assignments: Iterable[Assignment], course_url: str) -> None:
    """Queue every new or changed mark, and withhold queued or rejected marks that may no longer be sent.

    Args:
        store: where results and outbox are.
        course: the course.
        assignments: its assignments.
        course_url: how browsers reach the course's first page, without a slash at its end.
    """
    for assignment in assignments:
        mark_by_key = {
            (mark.line_item, mark.person): mark for mark in store.mark_outbox.list_marks(course, assignment.name)
        }
        expected_by_key = {
            (expected.link.id, expected.person.id): expected
            for expected in list_expected_lms_marks(store, course, assignment, course_url)
        }
        for key, expected in expected_by_key.items():
            _update_mark(store, mark_by_key.get(key), expected)
        for key, mark in mark_by_key.items():
            if key not in expected_by_key and mark.state in ("queued", "rejected"):
                store.mark_outbox.set_state_unless_sending(mark, "withheld", WITHHELD)


def _update_mark(store: ServerStore, mark: OutboxMark | None, expected: ExpectedLmsMark) -> None:
    if mark is not None and mark.value == expected.value and mark.url == expected.link.line_item_url:
        if expected.skipped and mark.state in ("queued", "rejected", "withheld"):
            store.mark_outbox.set_state_unless_sending(mark, "skipped", expected.skipped)
        if expected.skipped or mark.state not in ("withheld", "skipped"):
            return
        if mark.confirmed == mark.value and not mark.in_doubt:
            store.mark_outbox.set_state_unless_sending(mark, "sent", "")
            return
    state: MarkState = "skipped" if expected.skipped else "queued"
    store.mark_outbox.add_or_replace_mark(
        expected.link.id, expected.person.id, expected.link.line_item_url, expected.value, state, expected.skipped
    )


READ_SECONDS = 300.0
"""Least time between two requests for a column whose deadline counts."""
SEARCH_SECONDS = 60.0
"""Least time between two searches for the column of one link."""


@dataclass
class LineItemKeeper:
    """Finds or makes missing gradebook columns, and reads the deadlines of columns where those of the LMS count.

    Attributes:
        tool: this server as a tool.
        name: names the source of recorded faults and audit rows.
    """

    tool: LtiTool
    name: str
    _next_request_by_link: dict[tuple[float, int], float] = field(default_factory=dict)

    def update_line_items(self, store: ServerStore, course: str, assignments: Iterable[Assignment]) -> None:
        """Do for each link what was not done lately; record a platform's refusal as a fault for the health page."""
        assignment_by_name = {assignment.name: assignment for assignment in assignments}
        source_by_name = {name: store.lti_deadlines.get_deadline_source(course, name) for name in assignment_by_name}
        for link in store.lti_links.list_in_connected_courses(course):
            try:
                if link.assignment not in assignment_by_name:
                    continue
                if not link.line_item_url:
                    if link.line_items_url and self._is_due(link, SEARCH_SECONDS):
                        self._add_line_item(store, course, link, assignment_by_name[link.assignment])
                elif source_by_name[link.assignment] == "LMS" and self._is_due(link, READ_SECONDS):
                    refresh_line_item_deadline(store, link, self.tool)
            except DeletedLineItem:
                remove_deleted_line_item(store, course, link, self.name)
            except KitFault as fault:
                store.faults.record_fault(course, self.name, str(fault))

    def _is_due(self, link: LtiResourceLink, seconds: float) -> bool:
        """Return whether what is done every so many seconds was not done lately; it then counts as done."""
        now, key = time.monotonic(), (seconds, link.id)
        is_due = now >= self._next_request_by_link.get(key, 0.0)
        if is_due:
            self._next_request_by_link[key] = now + seconds
        return is_due

    def _add_line_item(self, store: ServerStore, course: str, link: LtiResourceLink, assignment: Assignment) -> None:
        _, platform = find_context_and_platform(store, link)
        if platform is None:
            return
        client, deadline = self.tool.make_platform_client(platform), assignment.deadline_rules.deadline
        url = find_or_make_line_item_url(client, link, assignment.max_score, assignment.title, deadline)
        with store.group():
            store.lti_links.add_or_update(link.context, link.resource_link, link.assignment, line_item_url=url)
            record_lti_change(
                store.audit, course, LtiActor(self.name), "column", "", url.partition("?")[0],
                place=platform.name, assignment=link.assignment, state="taken",
            )  # fmt: skip


def refresh_line_item_deadline(store: ServerStore, link: LtiResourceLink, tool: LtiTool) -> None:
    """Save the deadline of a link's gradebook column, if it has a column.

    A column without a deadline removes only a deadline that a column gave before, not one from a launch: Open edX
    columns may have none although launches give one.

    Raises:
        ServiceFault: the platform does not answer, or lets nobody look.
    """
    context, platform = find_context_and_platform(store, link)
    if platform is None or context is None or not link.line_item_url:
        return
    deadline = parse_platform_deadline_or_none(
        fetch_line_item(tool.make_platform_client(platform), link).end_date_time
    )
    platform_deadlines = store.lti_deadlines.list_platform_deadlines(context.course, link.assignment)
    is_from_line_item = any(
        (platform_deadline.line_item, platform_deadline.login, platform_deadline.said_by)
        == (link.id, "", "line item")
        for platform_deadline in platform_deadlines
    )
    if deadline is not None or is_from_line_item:
        store.lti_deadlines.record_platform_deadline_unless_outranked(link, deadline, "line item")


POLL_SECONDS, IDLE_SECONDS = 0.5, 3.0
"""Pauses between checks of an empty outbox, and between checks for a connected LMS while there is none."""
SYNC_SECONDS = 3.0
"""Least time between two comparisons of a class's marks."""
SYNC_SHARE = 20
"""The pause after a comparison is at least this many times as long as the comparison took."""
FAULT_SECONDS = 5.0
log = logging.getLogger("autograder.outbox")


@dataclass
class LmsSyncWorker:
    """Keeps an LMS in step with a course until it is told to stop.

    It makes missing line items, refreshes the LMS's deadlines, queues changed marks and sends queued ones. It holds
    the tool's key; graders hold none.

    Attributes:
        settings: the server's settings.
        name: names this worker among others on the same store; a later one of the same name takes over.
        stop: set to end it after the mark that it is at.
    """

    settings: CourseServerSettings
    name: str
    stop: threading.Event = field(default_factory=threading.Event)
    _next_sync: float = 0.0

    def __post_init__(self) -> None:
        self._tool = make_lti_tool(self.settings.location.output_folder)
        self._line_items = LineItemKeeper(self._tool, f"outbox {self.name}")

    def run(self) -> None:
        """Work until ``stop`` is set; go on after a fault.

        Raises:
            CallerFault: the store cannot be opened.
        """
        course = self.settings.location.class_key_in_store
        with open_server_store(self.settings.location) as store:
            store.mark_outbox.expire_leases_of_worker(self.name)
            sender = QueuedMarkSender(store, course, self._tool, self.name)
            while not self.stop.is_set():
                try:
                    if not store.lti_links.list_in_connected_courses(course):
                        self._pause(store, IDLE_SECONDS)
                        continue
                    self._sync_if_due(store, course)
                    if not sender.try_process_next_mark():
                        self._pause(store, POLL_SECONDS)
                except Fault as fault:  # a course that is being edited, a disk that is full
                    log.error("%s", fault)
                    store.mark_outbox.expire_leases_of_worker(self.name)
                    store.faults.record_fault(course, f"outbox {self.name}", str(fault))
                    self._pause(store, FAULT_SECONDS)

    def _pause(self, store: ServerStore, seconds: float) -> None:
        """Commit and wait: in PostgreSQL, tables that an open transaction has read stay locked."""
        store.commit()
        self.stop.wait(seconds)

    def _sync_if_due(self, store: ServerStore, course: str) -> None:
        """Update line items, deadlines and queued marks, unless the last update was too recent.

        Raises:
            CourseFault: ``grading.yml`` is inconsistent now; no marks are sent meanwhile.
        """
        started_at = time.monotonic()
        if started_at < self._next_sync:
            return
        assignments = store.settings.load_course(self.settings.course, course).assignments
        self._line_items.update_line_items(store, course, assignments)
        queue_expected_marks(store, course, assignments, self.settings.course_url)
        now = time.monotonic()
        self._next_sync = now + max(SYNC_SECONDS, SYNC_SHARE * (now - started_at))

"""Show students their assignments, and receive hand-ins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from autograder.course import Assignment
from autograder.faults import Fault
from autograder.lateness import AttemptAllowance, CountingReason, Lateness, compute_attempt_allowance
from autograder.reports import ScoreReport
from autograder.submissions.origin import TOGETHER
from autograder.web.account import list_offered_mail_kinds
from autograder.web.hand_ins import find_report_for_viewer
from autograder.web.handouts import HANDOUT, PROGRAM, has_work_page
from autograder.web.request import STUDENTS, Pages, Permission, current, see_other
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import AttemptLimitReached, ByteQuotaReached, HandIn, NewHandIn, list_counted_times
from autograder.web.uploads import RefusedUpload, TooManyFilesAtOnce, read_and_check_upload, reading_for
from autograder.web.wording import (
    describe_attempt_allowance,
    describe_attempt_limits,
    describe_attempt_refusal,
    describe_byte_quota_refusal,
    describe_late_cost,
    list_counting_sentences,
    list_withheld_sentences,
)

pages = Pages("student_assignment_pages", __name__)
NOT_KEPT = (
    "The server could not keep your file; perhaps its disk is full. This cost you no attempt: keep your file, tell "
    "the staff, and hand in again later."
)
STILL_READ = "The files that you sent just now are still being read. Wait until you see their receipts."
MOST_SHOWN = 100
"""How many attempts a page shows, the last ones: each has a report, which is read for it."""


@dataclass(frozen=True, slots=True)
class StudentAssignmentState:
    """What a student sees of an assignment: when it is due, what was handed in, and what still may be."""

    assignment: Assignment
    team: Sequence[Enrolment]
    hand_ins: list[HandIn]
    """The last ``MOST_SHOWN`` of the student's own, the last first."""
    hand_in_count: int
    """How many there are."""
    allowance: AttemptAllowance
    """What may still be handed in."""
    lateness: Lateness | None
    """How late a hand-in would be now, with the student's own deadline; None where there is no deadline."""
    may_go_back: bool
    """Whether an earlier file would be the last attempt, which counts, if it were handed in again."""


@pages.on_get("/", Permission.SEE_COURSE)
def show_assignments() -> ResponseReturnValue:
    """List the assignments of the course; students see what each has brought them, and which is next."""
    rows = [_row(one) for one in current.course.assignments]
    if current.person.role not in STUDENTS:
        return render_template("assignments.html.j2", rows=rows, counted={}, withheld={}, next_row=None)
    reports = {row.assignment.name: _find_reports(row) for row in rows}
    counted = {row.assignment.name: _list_counted(row, reports[row.assignment.name]) for row in rows}
    due = [
        row
        for row in rows
        if row.allowance.left != 0
        and not any(report.score >= report.max_score for _, report in counted[row.assignment.name])
        and not (row.lateness and row.lateness.seconds_late)
    ]
    by_deadline = sorted(due, key=lambda row: row.lateness.deadline.timestamp() if row.lateness else math.inf)
    return render_template(
        "assignments.html.j2",
        rows=rows,
        counted=counted,
        withheld={
            row.assignment.name: _list_withheld(row.assignment)
            for row in rows
            if row.hand_ins
            and row.hand_ins[0].state == "graded"
            and row.hand_ins[0].key not in reports[row.assignment.name]
        },
        next_row=next(iter(by_deadline), None),
    )


@pages.on_get("/assignments/<assignment_name>", Permission.HAND_IN)
def show_assignment(assignment_name: str) -> ResponseReturnValue:
    """Show one assignment: its deadline, the form to hand in, and the student's attempts."""
    return _show(current.assignment(assignment_name))


@pages.on_post("/assignments/<assignment_name>", Permission.HAND_IN)
def receive_hand_in(assignment_name: str) -> ResponseReturnValue:
    """Save a hand-in, then show its receipt."""
    assignment = current.assignment(assignment_name)
    try:
        kept, is_new = keep_hand_in(assignment, request.files.get("file"), request.form.get("code", ""))
    except HandInRefused as refused:
        return _show(assignment, str(refused)), refused.status
    same = {} if is_new else {"same": "yes"}
    return see_other("hand_in_result_pages.show_hand_in", hand_in_key=kept.key, **same)


class HandInRefused(Exception):
    """A hand-in that is not kept; the message is a sentence for the student."""

    def __init__(self, text: str, status: int = 422) -> None:
        super().__init__(text)
        self.status = status


def keep_hand_in(assignment: Assignment, file: FileStorage | None, pasted_code: str = "") -> tuple[HandIn, bool]:
    """Save what the signed-in student hands in; return it and True, or the hand-in of the same bytes and False.

    Raises:
        HandInRefused: it is not kept; the message says why, and the status of the response goes with it.
    """
    arrived_at = current.arrival_time
    store, course, person = current.store, current.course_key, current.person
    team = store.accounts.list_team_members(course, person)
    members = [person, *(member for member in team if member.account != person.account)]
    results, student_mb = current.results(assignment.name), current.settings.student_mb
    try:
        with reading_for(person.account):
            file_name, content = read_and_check_upload(file, pasted_code, assignment)
        kept = store.hand_ins.add_hand_in_unless_duplicate(
            NewHandIn(
                course=course,
                assignment=assignment.name,
                members=members,
                file_name=file_name,
                content=content,
                handed_in=arrived_at,
                mails=tuple(kind for kind in list_offered_mail_kinds() if kind != "answer"),
            ),
            assignment.deadline_rules,
            results.find_last_reopened_at(one.login for one in members),
            student_mb * 2**20,
        )
        return kept, kept.handed_in >= arrived_at
    except (Fault, OSError) as fault:  # the store may be readable although it cannot be written
        current.save_fault(str(fault))
        raise HandInRefused(NOT_KEPT, 503) from fault
    except TooManyFilesAtOnce as error:
        raise HandInRefused(STILL_READ, 429) from error
    except RefusedUpload as refused:
        raise HandInRefused(str(refused)) from refused
    except ByteQuotaReached as full:
        raise HandInRefused(describe_byte_quota_refusal(full.kept_bytes, student_mb)) from full
    except AttemptLimitReached as beyond:
        raise HandInRefused(describe_attempt_refusal(beyond.allowance, assignment.deadline_rules)) from beyond


@pages.errorhandler(RequestEntityTooLarge)
def refuse_large_upload(error: RequestEntityTooLarge) -> ResponseReturnValue:
    """Say how large a hand-in may be."""
    largest = max(one.limits.submission_mb for one in current.course.assignments)
    text = f"At most {largest} MB can be handed in. Hand in your own code alone, and clear large outputs."
    return render_template("message.html.j2", title="This is too large to be handed in", text=text), 413


def _show(assignment: Assignment, refused: str = "") -> str:
    row, rules, results = _row(assignment), assignment.deadline_rules, current.results(assignment.name)
    reports = _find_reports(row)
    counting = _find_counting(row, reports)
    return render_template(
        "assignment.html.j2",
        row=row,
        is_lms_deadline_in_force=results.is_lms_deadline_in_force,
        late_cost=describe_late_cost(row.lateness, rules),
        reports=reports,
        counting=counting,
        counting_sentences=list_counting_sentences(row.hand_ins, counting),
        refused=refused,
        has_handout=(assignment.template_folder / HANDOUT).is_file(),
        can_work_here=has_work_page(assignment.name),
        has_program=(assignment.template_folder / PROGRAM).is_file(),
        code=request.form.get("code", ""),
        rules=describe_attempt_limits(rules),
        left=describe_attempt_allowance(row.allowance, rules),
    )


def _list_withheld(assignment: Assignment) -> list[str]:
    stage = current.results(assignment.name).get_visibility_stage(current.person.account)
    return list_withheld_sentences(assignment.feedback, stage)


def _find_reports(row: StudentAssignmentState) -> dict[str, ScoreReport]:
    return {one.key: report for one in row.hand_ins if (report := find_report_for_viewer(one))}


def _find_counting(
    row: StudentAssignmentState, reports: dict[str, ScoreReport]
) -> dict[str, tuple[CountingReason, ...]]:
    # among attempts of which some are not shown, the best is not known
    rules = row.assignment.deadline_rules
    is_known = row.hand_in_count == len(row.hand_ins) or rules.which_attempt_counts == "last"
    return current.results(row.assignment.name).find_counting_reasons(row.hand_ins, reports) if is_known else {}


def _list_counted(row: StudentAssignmentState, reports: dict[str, ScoreReport]) -> list[tuple[HandIn, ScoreReport]]:
    counting = _find_counting(row, reports)
    return [(one, reports[one.key]) for one in row.hand_ins if one.key in counting]


def _row(assignment: Assignment) -> StudentAssignmentState:
    store, course, person = current.store, current.course_key, current.person
    team, results = store.accounts.list_team_members(course, person), current.results(assignment.name)
    logins = sorted(one.login for one in team)
    own = store.hand_ins.list_hand_ins(course, assignment.name, person.account)
    reopened_at = results.find_last_reopened_at(logins)
    of_team, rules = [one for one in own if one.owner == TOGETHER.join(logins)], assignment.deadline_rules
    counted_times = list_counted_times(of_team, reopened_at)
    allowance = compute_attempt_allowance(rules, counted_times, reopened_at, datetime.now(UTC))
    files = {one.sha256 for one in of_team if reopened_at is None or one.handed_in > reopened_at}
    may_go_back = rules.which_attempt_counts == "last" and len(files) > 1
    lateness = results.compute_lateness_now(logins)
    return StudentAssignmentState(
        assignment, team, own[: -MOST_SHOWN - 1 : -1], len(own), allowance, lateness, may_go_back
    )

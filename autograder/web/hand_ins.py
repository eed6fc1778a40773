"""Show one hand-in: its receipt, its place in the queue, its result, and what changed since the attempt before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from flask import Response, abort, render_template, url_for
from flask.typing import ResponseReturnValue

from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.reports.html_report import LinkBesideTest, make_result_style_sheet, render_result_within_page
from autograder.reports.report_files import encode_report_json
from autograder.reports.report_model import ReportedTest
from autograder.reports.wording import format_concept_name
from autograder.text import escape_for_display
from autograder.web.names import get_student_display_names, name_owner
from autograder.web.programs import read_program
from autograder.web.request import STAFF, Pages, Permission, current, send_with_scripts
from autograder.web.results import put_own_file_name
from autograder.web.store.hand_ins import HandIn, QueuePlace
from autograder.web.store.inquiries import InquirySummary
from autograder.web.store.server_store import ServerStore
from autograder.web.uploads import ReadingStopped, read_apart
from autograder.web.wording import describe_queue_place, list_withheld_sentences

MOST_LINES = 1000
"""Programs with more lines are not compared: nobody reads such a page, and difflib would take seconds."""
CONTEXT = 3
MOST_COMPARED = 20
LONGEST_LINE = 200


def _compare_test_outcomes(
    before: ScoreReport, after: ScoreReport
) -> tuple[list[ReportedTest], list[ReportedTest], int]:
    """Return which tests pass now and did not, which do not any more, and how many others both reports show.

    Args:
        before: the earlier report, as far as its reader may see it.
        after: the later report.
    """
    passed_before = {test.id: test.outcome == "passed" for test in before.tests}
    tests = [test for test in after.tests if test.id in passed_before]
    gained = [test for test in tests if test.outcome == "passed" and not passed_before[test.id]]
    lost = [test for test in tests if test.outcome != "passed" and passed_before[test.id]]
    return gained, lost, len(tests) - len(gained) - len(lost)


def _compare_concepts(before: ScoreReport, after: ScoreReport) -> list[tuple[str, float, float]]:
    """Return the concepts whose points changed, each with those of before and after."""
    points_before = {concept.name: concept.score for concept in before.concepts}
    pairs = [(format_concept_name(one), points_before.get(one.name, 0.0), one.score) for one in after.concepts]
    return [pair for pair in pairs if pair[1] != pair[2]]


def _find_best(attempts: Sequence[HandIn]) -> HandIn | None:
    """Return the attempt with the most points that its viewer may see, the last of several; the last one if none has.

    Only the last ``MOST_COMPARED`` are looked at: each has a report, which is read for it.
    """
    points = {
        one.key: (report.score, report.bonus.score, one.attempt)
        for one in attempts[:MOST_COMPARED]
        if (report := find_report_for_viewer(one))
    }
    return max(attempts[:MOST_COMPARED], key=lambda one: points.get(one.key, (-1, -1, one.attempt)), default=None)


def _diff_programs(
    store: ServerStore, before: HandIn, after: HandIn, assignment: Assignment
) -> list[tuple[str, str]] | None:
    """Return changed lines with context lines, each with its kind; None if a program is too long or unreadable.

    A kind is ``added``, ``removed``, ``place`` (where the next lines are), or empty for a line that both have.
    """
    programs = [read_program(store, one, assignment) for one in (before, after)]
    lines = [(program or "").splitlines() for program in programs]
    if None in programs or max(map(len, lines)) > MOST_LINES:
        return None
    try:
        changes = read_apart(_list_changes, *lines)
    except ReadingStopped:
        return None
    return [(kind, escape_for_display(text.expandtabs(4).rstrip(), LONGEST_LINE)) for kind, text in changes]


def _list_changes(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
    return [*_iterate_changes(before, after)]


def _iterate_changes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(CONTEXT):
        yield "place", f"… {group[0][3] + 1}"
        for tag, start_before, end_before, start_after, end_after in group:
            if tag == "equal":
                yield from (("", f" {text}") for text in after[start_after:end_after])
                continue
            yield from (("removed", f"-{text}") for text in before[start_before:end_before])
            yield from (("added", f"+{text}") for text in after[start_after:end_after])


pages = Pages("hand_in_result_pages", __name__)
LEAST_SECONDS, MOST_SECONDS, PASSED_A_SECOND = 3, 20, 4
"""Bounds in seconds between two looks of a waiting page, and how many hand-ins ahead add one second.

Pages far back in the queue look less often, so that a waiting class does not slow down its own grading.
"""
REPAIR_SECONDS = 10
"""Seconds between two looks of a page with marks, which waits for what has to change."""


@pages.on_get("/hand-ins/<hand_in_key>", Permission.SEE_HAND_IN)
def show_hand_in(hand_in_key: str) -> ResponseReturnValue:
    """Show the receipt, and the result once there is one."""
    hand_in = get_permitted_hand_in_or_404(hand_in_key)
    report, store = find_report_for_viewer(hand_in), current.store
    results = current.results(hand_in.assignment)
    assignment, stage = results.assignment, results.get_visibility_stage(current.person.account)
    waits = hand_in.state in ("queued", "grading")
    awaits_repair = (
        report is not None
        and report.diagnosis.repair_pending
        and report.assignment.version == assignment.version
        and assignment.feedback.repair_candidates > 0
    )
    place = store.grading_queue.find_place(hand_in) if waits else QueuePlace(0, None)
    inquiries = store.inquiries.list_inquiries(current.course_key, hand_in_key=hand_in.key)
    may_ask = current.person.role in Permission.ASK and assignment.takes_inquiries_at(current.arrival_time)
    page = render_template(
        "hand_in.html.j2",
        hand_in=get_student_display_names(hand_in.assignment).mask_hand_in(hand_in),
        owner=name_owner(hand_in.assignment, hand_in.owner) if current.person.role in STAFF else "",
        assignment=assignment,
        report=report,
        result=render_result_within_page(
            report, _link_tests_to_inquiries(report, hand_in, inquiries, may_ask=may_ask)
        )
        if report
        else "",
        withheld=[] if current.person.role in STAFF else list_withheld_sentences(assignment.feedback, stage),
        may_ask=may_ask,
        waits=waits,
        awaits_repair=awaits_repair,
        progress=describe_queue_place(hand_in.state, place),
        poll_seconds=REPAIR_SECONDS
        if awaits_repair
        else min(max(LEAST_SECONDS, place.before // PASSED_A_SECOND), MOST_SECONDS),
        inquiries=inquiries,
    )
    return send_with_scripts(page, has_result=report is not None, waits=waits or awaits_repair)


def _link_tests_to_inquiries(
    report: ScoreReport, hand_in: HandIn, inquiries: Sequence[InquirySummary], *, may_ask: bool
) -> dict[str, LinkBesideTest]:
    """Return a link for each test: to the question about it, or to the form to ask one."""
    links = {}
    if may_ask:
        for test in report.tests:
            form = url_for("inquiry_pages.show_new_inquiry_form", hand_in_key=hand_in.key, test=test.id)
            links[test.id] = LinkBesideTest(form, "Ask about this")
    for one in inquiries:
        links[one.test] = LinkBesideTest(
            url_for("inquiry_pages.show_inquiry", inquiry_key=one.key), f"Inquiry: {one.state}"
        )
    return links


@pages.on_get("/result.css", Permission.SEE_COURSE)
def send_result_style_sheet() -> ResponseReturnValue:
    """Send the style of results, which they share with the pages that ``autograder grade --page`` writes."""
    return Response(make_result_style_sheet(), mimetype="text/css")


@pages.on_get("/hand-ins/<hand_in_key>/report.json", Permission.SEE_HAND_IN)
def send_report_json(hand_in_key: str) -> ResponseReturnValue:
    """Send the report as JSON."""
    return Response(encode_report_json(_existing_report(hand_in_key)), mimetype="application/json")


@pages.on_get("/hand-ins/<hand_in_key>/file", Permission.SEE_HAND_IN)
def send_hand_in_file(hand_in_key: str) -> ResponseReturnValue:
    """Send back what was handed in, as a download: no browser shows it as a page."""
    hand_in = get_permitted_hand_in_or_404(hand_in_key)
    answer = Response(current.store.hand_ins.load_content(hand_in), mimetype="application/octet-stream")
    name = get_student_display_names(hand_in.assignment).mask_hand_in(hand_in).file_name
    answer.headers.set("Content-Disposition", "attachment", filename=name)
    return answer


@pages.on_get("/hand-ins/<hand_in_key>/changes", Permission.SEE_HAND_IN)
def show_changes_since_best_attempt(hand_in_key: str) -> ResponseReturnValue:
    """Show what changed since the best attempt before this one, in the result and in the program."""
    after = get_permitted_hand_in_or_404(hand_in_key)
    before = _find_best(current.store.hand_ins.list_earlier_attempts(after)) or abort(404)
    assignment = current.assignment(after.assignment)
    mask_hand_in = get_student_display_names(after.assignment).mask_hand_in
    reports = find_report_for_viewer(before), find_report_for_viewer(after)
    return render_template(
        "changes.html.j2",
        assignment=assignment,
        before=mask_hand_in(before),
        after=mask_hand_in(after),
        reports=reports,
        tests=_compare_test_outcomes(reports[0], reports[1]) if reports[0] and reports[1] else None,
        concepts=_compare_concepts(reports[0], reports[1]) if reports[0] and reports[1] else [],
        lines=_diff_programs(current.store, before, after, assignment),
    )


def get_permitted_hand_in_or_404(hand_in_key: str) -> HandIn:
    """Return the hand-in of this key; 404 for whoever may not see it, as if there were none.

    Students see their own, and assistants those of their sections.
    """
    account = current.account_unless_staff
    hand_in = current.store.hand_ins.find_hand_in(current.course_key, hand_in_key, account)
    return hand_in if hand_in and current.may_see_owner(hand_in.owner) else abort(404)


def find_report_for_viewer(hand_in: HandIn) -> ScoreReport | None:
    """Return what the person who asks may see of a report; None where there is none."""
    results = current.results(hand_in.assignment)
    report = results.find_full_report(hand_in)
    if report is None:
        return None
    if current.person.role in STAFF:
        return get_student_display_names(hand_in.assignment).mask_report(report)
    return results.cut_report_for_student_or_none(put_own_file_name(report, hand_in), current.person.account)


def _existing_report(hand_in_key: str) -> ScoreReport:
    return find_report_for_viewer(get_permitted_hand_in_or_404(hand_in_key)) or abort(404)

"""Show how a class did, and who handed in nearly the same."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cache, partial

from flask import Response, abort, current_app, render_template, url_for
from flask.typing import ResponseReturnValue

from autograder.class_reports import class_overview, code_similarity, staff_views
from autograder.class_reports.class_overview import sum_up_class
from autograder.class_reports.code_similarity import (
    SimilarCodeFindings,
    SubmittedProgram,
    find_similar_code,
    iterate_given_sources,
)
from autograder.class_reports.staff_views import STYLE, TEMPLATES
from autograder.course import Assignment
from autograder.reports.wording import split_code_spans
from autograder.submissions.origin import TOGETHER
from autograder.text import escape_name_unambiguously
from autograder.web.class_summaries import load_class_summaries
from autograder.web.names import name_submission
from autograder.web.programs import read_program
from autograder.web.request import Pages, Permission, current
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.server_store import ServerStore
from autograder.web.uploads import ReadingStopped, read_apart

FOUND = "autograder-similar"
_lock = threading.Lock()
"""Lets one request at a time compare: it takes seconds."""


def _find_similar_code_with_cache(
    store: ServerStore, course: str, assignment: Assignment
) -> SimilarCodeFindings | None:
    """Return similar hand-ins, None if there are too many to be compared here.

    The last findings are used again if neither the hand-ins nor the assignment changed.

    Args:
        store: holds what was handed in.
        course: the course.
        assignment: the assignment; code that it gave to students is not compared.
    """
    last_hand_ins = {hand_in.owner: hand_in for hand_in in store.hand_ins.list_hand_ins(course, assignment.name)}
    state = assignment.version, frozenset(hand_in.id for hand_in in last_hand_ins.values())
    cache: dict[str, tuple[object, SimilarCodeFindings | None]] = current_app.extensions.setdefault(FOUND, {})
    with _lock:
        if cache.get(assignment.name, ("",))[0] != state:
            cache[assignment.name] = state, _compare_hand_ins(store, [*last_hand_ins.values()], assignment)
        return cache[assignment.name][1]


def _compare_hand_ins(
    store: ServerStore, hand_ins: list[HandIn], assignment: Assignment
) -> SimilarCodeFindings | None:
    sources = {one: read_program(store, one, assignment) for one in hand_ins}
    programs = [
        SubmittedProgram(one.submission, source, frozenset(one.owner.split(TOGETHER)))
        for one, source in sources.items()
        if source is not None
    ]
    unreadable_ids = [one.submission for one, source in sources.items() if source is None]
    given = [*iterate_given_sources(assignment)]
    try:
        return read_apart(find_similar_code, programs, given, unreadable_ids, cpu_seconds=COMPARISON_CPU_SECONDS)
    except ReadingStopped:
        return None


pages = Pages("class_report_pages", __name__, template_folder=str(TEMPLATES))
LAYOUT = "class_report.html.j2"
MOST_NAMES, MOST_LINES, MOST_ROWS = 30, 800, 50
"""Names of a group, lines of code and rows of a table that a page shows: 3,000 students fit in 200 kB."""
COMPARISON_CPU_SECONDS = 60
"""The CPU time of comparing a class, in a process beside that of the pages; some 3,000 different programs need it."""
ADVICE = "What waits is graded by itself; try a regrade of the others on the page of the class."


@pages.on_get("/class/<assignment_name>/overview", Permission.SEE_CLASS)
def show_class_overview(assignment_name: str) -> ResponseReturnValue:
    """Show how the class did: points, hardest tests, mistakes and who has them."""
    assignment = current.assignment(assignment_name)
    _require_whole_class()
    graded_class = current.results(assignment_name).graded_class_if_any
    if graded_class is None:
        text = "Nothing was handed in yet, so there is nothing to see."
        return render_template("message.html.j2", title=f"{assignment.title}: the class", text=text)
    known = load_class_summaries(current.results(assignment_name))
    summaries = {escape_name_unambiguously(name): one for name, one in known.by_submission.items()}
    named_overview = sum_up_class(graded_class, summaries, known.times, known.names)
    overview = class_overview.replace_submission_names(
        replace(named_overview, links=_make_hand_in_links(assignment_name)),
        cache(partial(name_submission, assignment_name)),
    )
    return _render_report(
        assignment_name,
        staff_views.OVERVIEW_TEMPLATE,
        mistake_link=partial(url_for, "staff_class_pages.show_class", assignment_name=assignment_name, sort="name"),
        **staff_views.make_overview_template_values(overview, None, ADVICE, MOST_NAMES),
    )


@pages.on_get("/class/<assignment_name>/similar", Permission.SEE_CLASS)
def show_similar_code(assignment_name: str) -> ResponseReturnValue:
    """Show who handed in the same, but for names and layout, or nearly, with the programs side by side."""
    assignment = current.assignment(assignment_name)
    _require_whole_class()
    mask_id = cache(partial(name_submission, assignment_name))
    found = _find_similar_code_with_cache(current.store, current.course_key, assignment)
    if found is None:
        title, text = f"{assignment.title}: too many programs to compare here", "Run `autograder similar` in a shell."
        return render_template("message.html.j2", title=title, text=text)
    findings = code_similarity.replace_submission_names(found, mask_id)
    links = {mask_id(submission): link for submission, link in _make_hand_in_links(assignment_name).items()}
    values = staff_views.make_similar_code_template_values(
        findings, assignment.title, links, MOST_NAMES, MOST_LINES, MOST_ROWS
    )
    return _render_report(assignment_name, staff_views.SIMILAR_CODE_TEMPLATE, where="", **values)


@pages.on_get("/class-reports.css", Permission.SEE_CLASS)
def send_class_report_stylesheet() -> ResponseReturnValue:
    """Send the style sheet of the parts that these pages share with the class reports of the command line."""
    return Response(STYLE.read_text(encoding="utf-8"), mimetype="text/css")


def _require_whole_class() -> None:
    """End the request with 403 for an assistant who sees only some sections."""
    if current.own_sections:
        abort(403, f"This page is about the whole class, and you see students of {', '.join(current.own_sections)}.")


def _render_report(assignment_name: str, template: str, **values: object) -> str:
    assignment = current.assignment(assignment_name)
    return render_template(template, layout=LAYOUT, assignment=assignment, spans=split_code_spans, **values)


def _make_hand_in_links(assignment_name: str) -> dict[str, str]:
    hand_ins = current.store.hand_ins.list_hand_ins(current.course_key, assignment_name)
    before_key = url_for("hand_in_result_pages.show_hand_in", hand_in_key="-").removesuffix("-")
    return {hand_in.submission: f"{before_key}{hand_in.key}" for hand_in in hand_ins}

"""Show how a class or a section did, and who handed in nearly the same."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import cache, partial

from flask import Response, current_app, render_template, url_for
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
from autograder.web.listing import SectionFilter, read_section_filter
from autograder.web.names import name_submission
from autograder.web.programs import read_programs
from autograder.web.request import Pages, Permission, current
from autograder.web.settings import CourseServerSettings
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.server_store import ServerStore, open_server_store
from autograder.web.uploads import ReadingStopped, read_apart

COMPARISONS = "autograder-comparisons"
WAIT_SECONDS = 2.0
"""How long a page waits for a comparison; some hundred programs need less."""
_lock = threading.Lock()
_comparing = threading.Lock()
"""Lets one class at a time be compared: it takes seconds."""
Comparison = Future[SimilarCodeFindings | None]
"""Similar programs of a class, or soon; None if there are too many for a page."""


def _get_comparison(hand_ins: Iterable[HandIn], assignment: Assignment) -> Comparison:
    """Return the comparison of the last hand-ins that the person may see; it begins if there is none of them.

    One that still runs is returned although more was handed in since: it would never end on the evening of a deadline
    if each hand-in began another.

    An assistant with sections gets what a comparison of their students' programs alone finds: a pair with somebody
    of another section is left out, since the passages that are marked in one program say what is in the other.

    Args:
        hand_ins: all of the assignment, in the order of arrival.
        assignment: the assignment; code that it gave to students is not compared.
    """
    last_hand_ins = {one.owner: one for one in hand_ins if current.may_see_owner(one.owner)}
    state = assignment.version, frozenset(hand_in.id for hand_in in last_hand_ins.values())
    known: dict[object, tuple[object, Comparison]] = current_app.extensions.setdefault(COMPARISONS, {})
    key = assignment.name, current.own_sections
    with _lock:
        compared, comparison = known.get(key, (None, None))
        if comparison is None or (comparison.done() and (compared != state or comparison.exception())):
            comparison = _start_comparing(current.settings, [*last_hand_ins.values()], assignment)
            known[key] = state, comparison
        return comparison


def _start_comparing(settings: CourseServerSettings, hand_ins: list[HandIn], assignment: Assignment) -> Comparison:
    comparison = Comparison()

    def compare() -> None:
        try:
            with _comparing, open_server_store(settings.location) as store:
                comparison.set_result(_compare_hand_ins(store, hand_ins, assignment))
        except Exception as error:  # whoever waits for it gets it
            comparison.set_exception(error)

    threading.Thread(target=compare, name="comparison", daemon=True).start()
    return comparison


def _compare_hand_ins(
    store: ServerStore, hand_ins: list[HandIn], assignment: Assignment
) -> SimilarCodeFindings | None:
    sources = read_programs(store, hand_ins, assignment)
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
    assignment, section = current.assignment(assignment_name), read_section_filter(assignment_name)
    graded_class = current.results(assignment_name).graded_class_if_any
    if graded_class is None:
        text = "Nothing was handed in yet, so there is nothing to see."
        return render_template("message.html.j2", title=f"{assignment.title}: the class", text=text)
    known = load_class_summaries(current.results(assignment_name))
    shows = cache(section.shows_submission)
    summaries = {escape_name_unambiguously(name): one for name, one in known.by_submission.items() if shows(name)}
    named_overview = sum_up_class(graded_class, summaries, known.times, [*filter(shows, known.names)])
    overview = class_overview.replace_submission_names(
        replace(named_overview, links=_make_hand_in_links(_list_hand_ins(assignment_name))),
        cache(partial(name_submission, assignment_name)),
    )
    return _render_report(
        assignment_name,
        staff_views.OVERVIEW_TEMPLATE,
        section,
        mistake_link=partial(
            url_for,
            "staff_class_pages.show_class",
            assignment_name=assignment_name,
            sort="name",
            section=section.chosen or None,
        ),
        **staff_views.make_overview_template_values(overview, None, ADVICE, MOST_NAMES),
    )


@pages.on_get("/class/<assignment_name>/similar", Permission.SEE_CLASS)
def show_similar_code(assignment_name: str) -> ResponseReturnValue:
    """Show who handed in the same, but for names and layout, or nearly, with the programs side by side."""
    assignment, section = current.assignment(assignment_name), read_section_filter(assignment_name)
    mask_id = cache(partial(name_submission, assignment_name))
    hand_ins = _list_hand_ins(assignment_name)
    comparison = _get_comparison(hand_ins, assignment)
    if not wait([comparison], WAIT_SECONDS).done:
        title, text = f"{assignment.title}: programs are being compared", "They appear here in some seconds."
        return render_template("message.html.j2", title=title, text=text), {"Refresh": "2"}
    found = comparison.result()
    if found is None:
        title, text = f"{assignment.title}: too many programs to compare here", "Run `autograder similar` in a shell."
        return render_template("message.html.j2", title=title, text=text)
    if section.chosen:
        found = code_similarity.select_findings(found, section.shows_submission)
    findings = code_similarity.replace_submission_names(found, mask_id)
    links = {mask_id(submission): link for submission, link in _make_hand_in_links(hand_ins).items()}
    values = staff_views.make_similar_code_template_values(
        findings, assignment.title, links, MOST_NAMES, MOST_LINES, MOST_ROWS
    )
    return _render_report(assignment_name, staff_views.SIMILAR_CODE_TEMPLATE, section, where="", **values)


@pages.on_get("/class-reports.css", Permission.SEE_CLASS)
def send_class_report_stylesheet() -> ResponseReturnValue:
    """Send the style sheet of the parts that these pages share with the class reports of the command line."""
    return Response(STYLE.read_text(encoding="utf-8"), mimetype="text/css")


def _render_report(assignment_name: str, template: str, section: SectionFilter, **values: object) -> str:
    return render_template(
        template,
        layout=LAYOUT,
        assignment=current.assignment(assignment_name),
        section=section,
        own_sections=sorted(current.own_sections),
        spans=split_code_spans,
        **values,
    )


def _list_hand_ins(assignment_name: str) -> list[HandIn]:
    return current.store.hand_ins.list_hand_ins(current.course_key, assignment_name)


def _make_hand_in_links(hand_ins: Iterable[HandIn]) -> dict[str, str]:
    before_key = url_for("hand_in_result_pages.show_hand_in", hand_in_key="-").removesuffix("-")
    return {hand_in.submission: f"{before_key}{hand_in.key}" for hand_in in hand_ins}

"""The staff's pages about a whole class: how it did, and who handed in nearly the same."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, render_template, url_for
from flask.typing import ResponseReturnValue

from autograder.class_reports import class_overview, overview_page, similar_model, similar_page
from autograder.class_reports.collect_overview import collect_overview
from autograder.class_reports.page_template import STYLE, TEMPLATES
from autograder.reports.report_text import iterate_parts_with_code_flag
from autograder.web.class_results import ClassResults
from autograder.web.class_similarity import find_similar_code_with_cache
from autograder.web.context import get_assignment, get_course_key, get_settings, get_store
from autograder.web.permissions import Action, needs
from autograder.web.student_display_names import get_student_display_names

pages = Blueprint("class_report_pages", __name__, template_folder=str(TEMPLATES))
LAYOUT = "class_report.html.j2"
ADVICE = "What waits is graded by itself; try a regrade of the others on the page of the class."


@pages.get("/class/<name>/overview")
@needs(Action.SEE_CLASS)
def show_overview(name: str) -> ResponseReturnValue:
    """Show how the class did: points, hardest tests, mistakes and who has them."""
    assignment = get_assignment(name)
    opened = ClassResults(get_store(), get_course_key(), assignment).graded_class_if_any
    if opened is None:
        text = "Nothing was handed in yet, so there is nothing to see."
        return render_template("message.html.j2", title=f"{assignment.title}: the class", text=text)
    collected = collect_overview(opened, get_settings().place.output_folder)
    overview = class_overview.replace_submission_names(
        replace(collected, where="", links=_link_hand_ins(name)), get_student_display_names(name).mask_submission
    )
    return _render(name, overview_page.TEMPLATE, **overview_page.describe_overview(overview, None, ADVICE))


@pages.get("/class/<name>/similar")
@needs(Action.SEE_CLASS)
def show_similar(name: str) -> ResponseReturnValue:
    """Show who handed in the same, but for names and layout, or nearly, with the programs side by side."""
    assignment, show = get_assignment(name), get_student_display_names(name).mask_submission
    similar = similar_model.replace_submission_names(
        find_similar_code_with_cache(get_store(), get_course_key(), assignment), show
    )
    links = {show(submission): link for submission, link in _link_hand_ins(name).items()}
    values = similar_page.describe_similar_code(similar, assignment.title, links)
    return _render(name, similar_page.TEMPLATE, where="", **values)


@pages.get("/class-reports.css")
@needs(Action.SEE_CLASS)
def send_style() -> ResponseReturnValue:
    """Send the style of what these pages share with those of the command line."""
    return Response(STYLE.read_text(encoding="utf-8"), mimetype="text/css")


def _render(name: str, template: str, **values: object) -> str:
    return render_template(
        template, layout=LAYOUT, assignment=get_assignment(name), spans=iterate_parts_with_code_flag, **values
    )


def _link_hand_ins(name: str) -> dict[str, str]:
    found = get_store().hand_ins.list_hand_ins(get_course_key(), name)
    return {one.submission: url_for("hand_in_pages.show", key=one.key) for one in found}

"""The staff's pages about a whole class: how it did, and who handed in nearly the same."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, render_template, url_for
from flask.typing import ResponseReturnValue

from autograder.class_reports import class_overview_model, overview_page, similar_code_findings, similar_code_page
from autograder.class_reports.class_overview_collection import collect_class_overview
from autograder.class_reports.staff_page_rendering import STYLE, TEMPLATES
from autograder.reports.report_wording import split_code_spans
from autograder.web.request_context import (
    get_assignment_or_404,
    get_class_results,
    get_course_key_in_store,
    get_served_course_settings,
    get_store,
)
from autograder.web.role_permissions import Permission, requires
from autograder.web.staff.similar_code_cache import find_similar_code_with_cache
from autograder.web.student_display_names import get_student_display_names

pages = Blueprint("class_report_pages", __name__, template_folder=str(TEMPLATES))
LAYOUT = "class_report.html.j2"
ADVICE = "What waits is graded by itself; try a regrade of the others on the page of the class."


@pages.get("/class/<assignment_name>/overview")
@requires(Permission.SEE_CLASS)
def show_class_overview(assignment_name: str) -> ResponseReturnValue:
    """Show how the class did: points, hardest tests, mistakes and who has them."""
    assignment = get_assignment_or_404(assignment_name)
    graded_class = get_class_results(assignment_name).graded_class_if_any
    if graded_class is None:
        text = "Nothing was handed in yet, so there is nothing to see."
        return render_template("message.html.j2", title=f"{assignment.title}: the class", text=text)
    named_overview = collect_class_overview(graded_class, get_served_course_settings().location.output_folder)
    overview = class_overview_model.replace_submission_names(
        replace(named_overview, where="", links=_make_hand_in_links(assignment_name)),
        get_student_display_names(assignment_name).mask_submission_id,
    )
    return _render_report(
        assignment_name,
        overview_page.OVERVIEW_TEMPLATE,
        **overview_page.make_overview_template_values(overview, None, ADVICE),
    )


@pages.get("/class/<assignment_name>/similar")
@requires(Permission.SEE_CLASS)
def show_similar_code(assignment_name: str) -> ResponseReturnValue:
    """Show who handed in the same, but for names and layout, or nearly, with the programs side by side."""
    assignment = get_assignment_or_404(assignment_name)
    mask_id = get_student_display_names(assignment_name).mask_submission_id
    findings = similar_code_findings.replace_submission_names(
        find_similar_code_with_cache(get_store(), get_course_key_in_store(), assignment), mask_id
    )
    links = {mask_id(submission): link for submission, link in _make_hand_in_links(assignment_name).items()}
    values = similar_code_page.make_similar_code_template_values(findings, assignment.title, links)
    return _render_report(assignment_name, similar_code_page.SIMILAR_CODE_TEMPLATE, where="", **values)


@pages.get("/class-reports.css")
@requires(Permission.SEE_CLASS)
def send_class_report_stylesheet() -> ResponseReturnValue:
    """Send the style sheet of the parts that these pages share with the class reports of the command line."""
    return Response(STYLE.read_text(encoding="utf-8"), mimetype="text/css")


def _render_report(assignment_name: str, template: str, **values: object) -> str:
    assignment = get_assignment_or_404(assignment_name)
    return render_template(template, layout=LAYOUT, assignment=assignment, spans=split_code_spans, **values)


def _make_hand_in_links(assignment_name: str) -> dict[str, str]:
    hand_ins = get_store().hand_ins.list_hand_ins(get_course_key_in_store(), assignment_name)
    return {
        hand_in.submission: url_for("hand_in_result_pages.show_hand_in", hand_in_key=hand_in.key)
        for hand_in in hand_ins
    }

"""A repair in the views of a report: it is what went wrong, and students see it as far as the course lets them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from markdown_it import MarkdownIt
from msgspec import structs
from rich.console import Console

from autograder.course.model import RepairLevel
from autograder.platforms.canvas.score_upload import format_score_comment
from autograder.platforms.common.platform_model import ExportOptions
from autograder.platforms.gradescope.results_json import encode_results_json
from autograder.platforms.moodle.feedback import format_grade_comment_as_html
from autograder.platforms.otter.results_writers import encode_report_files
from autograder.reports import ScoreReport, encode_report_json
from autograder.reports.html_report import render_published_page, render_report_as_html
from autograder.reports.markdown_report import render_report_as_markdown
from autograder.reports.report_model import filter_report_for_student
from autograder.reports.terminal_report import print_report, render_report_as_plain_text
from tests.html_reading import ReadHtml
from tests.reports.sample import a_report, an_edit, repaired, shown, unnamed

SENTENCE = "In line 31, inside `__mul__`, `self.grad` is used where `out.grad` is needed."
Render = Callable[[ScoreReport], str]


def student_sees(report: ScoreReport) -> ScoreReport:
    return filter_report_for_student(report, "published")


VIEWS: dict[str, Render] = {
    "JSON": lambda report: encode_report_json(student_sees(report)).decode(),
    "page": lambda report: render_published_page(report).decode(),
    "Markdown": lambda report: render_report_as_markdown(student_sees(report)),
    "plain text": lambda report: render_report_as_plain_text(student_sees(report)),
    "Gradescope": lambda report: encode_results_json(report, "capped").decode(),
    "Gradescope, later": lambda report: encode_results_json(
        shown(report, "visible", "after_published"), "capped"
    ).decode(),
    "Otter": lambda report: encode_report_files(report, ExportOptions())["results.json"].decode(),
    "Canvas": format_score_comment,
    "Moodle": lambda report: format_grade_comment_as_html(report, "5", "20"),
}
"""What students get, made of the whole report."""


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("level", ["hidden", "method", "line", "kind"])
@pytest.mark.parametrize("make", [a_report, lambda: unnamed(a_report())], ids=["named", "not"])
def test_below_the_change_nothing_that_a_student_gets_holds_it(
    make: Callable[[], ScoreReport], level: RepairLevel, view: str
) -> None:
    report = repaired(make(), an_edit(after="secret = 1", new="secret"), level=level)
    assert "secret" not in VIEWS[view](report)


@pytest.mark.parametrize("view", [view for view in VIEWS if view not in ("JSON", "Moodle", "Canvas")])
def test_a_course_may_show_students_the_change(view: str) -> None:
    text = VIEWS[view](repaired(unnamed(a_report()), level="change"))
    assert "is needed" in text


@pytest.mark.parametrize("view", [view for view in VIEWS if view not in ("JSON", "Moodle")])
def test_by_default_a_student_reads_the_line(view: str) -> None:
    assert "Look at line 31" in VIEWS[view](repaired(unnamed(a_report())))


def test_the_line_beside_a_grade_names_the_method() -> None:
    assert "Look at this first: Something in `Value.__mul__`" in VIEWS["Moodle"](repaired(unnamed(a_report())))


@pytest.mark.parametrize(
    "render",
    [render_report_as_plain_text, render_report_as_markdown, render_report_as_html],
    ids=lambda one: one.__name__,
)
def test_where_no_mistake_has_a_name_the_repair_is_what_went_wrong(render: Render) -> None:
    text = render(repaired(unnamed(a_report())))
    assert "It fits none." not in text
    assert "no name yet" not in text
    assert "xplains 2 failed tests" in text


@pytest.mark.parametrize("render", [render_report_as_plain_text, render_report_as_markdown, render_report_as_html])
def test_a_name_comes_first_and_explains_what_the_repair_mends(render: Render) -> None:
    text = render(repaired(a_report()))
    assert text.index("Gradients are assigned") < text.index("In line 31")
    assert "xplains 2 failed tests" in text


@pytest.mark.parametrize("render", [render_report_as_plain_text, render_report_as_markdown, render_report_as_html])
def test_what_is_not_proven_is_not_shown(render: Render) -> None:
    assert "line 31" not in render(repaired(unnamed(a_report()), proven=False))


def test_an_assignment_without_a_diagnosis_gets_its_repair() -> None:
    report = repaired(unnamed(a_report()))
    report = structs.replace(
        report,
        diagnosis=structs.replace(report.diagnosis, reason="There is no diagnosis for this assignment."),
    )
    for text in (
        render_report_as_plain_text(report),
        render_report_as_markdown(report),
        render_report_as_html(report),
    ):
        assert "no diagnosis" not in text
        assert "31" in text


def test_the_staff_reads_the_sentence_and_the_lines_in_colour() -> None:
    console = Console(force_terminal=True, width=120, color_system="standard", record=True, quiet=False, file=None)
    with console.capture() as capture:
        print_report(repaired(unnamed(a_report())), console)
    text = capture.get()
    assert SENTENCE in re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "\x1b[31m- self.grad += other.data * self.grad" in text
    assert "\x1b[32m+ self.grad += other.data * out.grad" in text


def test_several_mistakes_are_told_one_after_the_other_with_their_tests() -> None:
    edits = (
        an_edit(mends=("accumulation.second",)),
        an_edit(line=50, end_line=50, function="tanh", mends=("accumulation.third",)),
    )
    text = render_report_as_plain_text(repaired(unnamed(a_report()), *edits))
    assert "what went wrong: 2 mistakes at once" in text
    assert "explains 1 failed test:" in text
    assert "explains 1 more failed test:" in text


def test_a_page_says_to_those_who_do_not_see_it_which_lines_go_and_come() -> None:
    text = ReadHtml(render_report_as_html(repaired(unnamed(a_report())))).text
    assert "Take out: self.grad += other.data * self.grad" in text
    assert "Put in: self.grad += other.data * out.grad" in text


def test_a_student_who_sees_the_change_unfolds_it_last() -> None:
    page = render_published_page(repaired(unnamed(a_report()), level="change")).decode()
    last_hint = page.partition("Hint 3 of 3")[2].partition("</details>")[0]
    assert "Put in: " in last_hint


ATTACKS = [
    "<script>alert(1)</script>",
    "</li></ol><h1>100</h1>",
    "``` \n# 100",
    "`<b>`",
    "{{ 7 * 7 }}",
    "\x1b[2J\u202e",
]


def render_markdown_as_html(report: ScoreReport) -> str:
    judge = MarkdownIt("commonmark", {"html": True}).enable("table")
    return str(judge.render(render_report_as_markdown(report)))


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("render", [render_report_as_html, render_markdown_as_html])
def test_no_text_of_a_students_changes_the_elements_of_a_page(render: Render, attack: str) -> None:
    def tags(text: str) -> list[str]:
        edit = an_edit(text.replace("\n", " "), after=text.replace("\n", " "), new=text, file=text)
        return ReadHtml(render(repaired(unnamed(a_report()), edit))).tags

    assert tags(attack) == tags(re.sub(r"[^\n]+", "zebra", attack))

"""A report in Markdown: it says what the page says, and a student's text in it stays text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from autograder.reports.markdown_report import (
    escape_markdown,
    format_code_block,
    iterate_diagnosis_paragraphs,
    render_course_text_as_markdown,
    render_report_as_markdown,
)
from tests.html_reading import ReadHtml
from tests.reports.sample import a_report

JUDGE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn"], include_characters="\t\n"), min_size=1)
PUNCTUATED = st.text("`*_~#<>&|[]()!\\-+=:.$@{}'\"^ \t\n1aA", min_size=1)


@given(TEXTS | PUNCTUATED)
@example("1. one")
@example("    indented")
@example("- [ ] task")
@example("a | b\n--|--")
@example("<script>alert(1)</script>")
@example("&lt;b&gt;")
@example("![x](javascript:alert(1))")
@example("<https://example.org>")
@example("===")
def test_escaped_text_is_read_as_it_is(text: str) -> None:
    read = ReadHtml(JUDGE.render(escape_markdown(text)))
    assert read.tags == ["p"]
    assert read.text == f"{text}\n"


@given(TEXTS | PUNCTUATED)
def test_escaped_text_stays_in_its_cell_item_and_line(text: str) -> None:
    read = ReadHtml(JUDGE.render(f"| a | b |\n| - | - |\n| {escape_markdown(text)} | end |"))
    assert read.tags == ["table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"]
    assert text in read.text
    assert ReadHtml(JUDGE.render(f"* {escape_markdown(text)}")).tags == ["ul", "li"]
    assert "\n" not in escape_markdown(text)


def test_what_is_no_text_is_replaced() -> None:
    assert escape_markdown("a\0b\ud800c\x1b\r") == "a\ufffdb\ufffdc\ufffd\ufffd"


@given(st.text("`~\n a<"))
def test_a_block_of_code_holds_whatever_is_in_it(text: str) -> None:
    read = ReadHtml(JUDGE.render(format_code_block(text)))
    assert read.tags == ["pre", "code"]
    assert read.text == f"{text}\n\n"


def test_backticks_in_the_courses_own_text_are_code() -> None:
    html = JUDGE.render(render_course_text_as_markdown("Use `a += b` and not *this* or `a|b"))
    assert html == "<p>Use <code>a += b</code> and not *this* or `a|b</p>\n"


def test_a_report_says_points_mistake_hints_program_and_what_did_not_pass() -> None:
    text = ReadHtml(JUDGE.render(render_report_as_markdown(a_report(late=True)))).text
    for expected in (
        "4.5 of 20 points and 0.9 of 4 bonus points",
        "4.5 of the 5 points and 0.9 of the 1 bonus points count.",
        "Gradients are assigned with = (accumulation)",
        "Add: +=.",
        "It explains 1 failed test:",
        "gave exactly what this mistake gives.",
        "a.grad 2.0 1.0   <-- it goes wrong here",
        "✗ It holds that second, as in a + a.",
        "failed: a.grad is 1.0 zebra",
        "· not written yet: tanh (1 test)",
    ):
        assert expected in text


def test_where_a_platform_lists_the_tests_the_rest_is_said_and_nothing_is_called_hidden() -> None:
    report = a_report()
    without = render_report_as_markdown(report, include_tests=False)
    said = [
        one
        for one in (render_course_text_as_markdown(test.sentence) for test in report.tests)
        if one in render_report_as_markdown(report)
    ]
    assert said
    assert not any(sentence in without for sentence in said)
    assert "Not shown here" not in without
    assert "\n\n".join(iterate_diagnosis_paragraphs(report, include_tests=False)) in without


@pytest.mark.parametrize(
    "attack", ["</li><h1>100</h1>", "# 100", "*" * 50, "```\n# 100", "| 1 | 2 |", "[a](b)", "~~x~~"]
)
def test_no_text_of_a_students_changes_the_elements_of_a_report(attack: str) -> None:
    read, plain = (
        ReadHtml(JUDGE.render(render_report_as_markdown(a_report(attack)))),
        ReadHtml(JUDGE.render(render_report_as_markdown(a_report()))),
    )
    assert read.tags == plain.tags
    assert re.sub(r"\s+", " ", read.text) == re.sub(r"\s+", " ", plain.text.replace("zebra", attack))

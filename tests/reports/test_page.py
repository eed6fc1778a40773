"""The page for a student: what counts, what to look at first, and nothing that may not be seen or that runs."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from autograder.course.model import Visibility
from autograder.reports.html_report import render_published_page, render_report_as_html
from autograder.reports.report_model import filter_report_for_student
from tests.html_reading import ReadHtml
from tests.pictures.sample import replay_of
from tests.reports.sample import a_report, cause_of, named, provisional, shown, unnamed, with_picture, with_test

ATTACKS = (
    "<script>alert(1)</script>",
    "</pre></main><h1>100 of 100</h1>",
    '" onmouseover="alert(1)',
    "{{ 7 * 7 }}{% raw %}",
    "<!-- ",
    "]]>",
    "&lt;b&gt;",
    "`<img src=x onerror=alert(1)>`",
)


def test_a_page_says_points_mistake_hints_program_and_what_did_not_pass() -> None:
    text = ReadHtml(render_report_as_html(a_report())).text
    for expected in (
        "5 of 20 points and 1 of 4 bonus points",
        "Gradients are assigned with = (accumulation)",
        "Hint 3 of 3",
        "Proof: 2 failed tests and 36 fresh programs (24 of them wrong) gave exactly what this mistake gives.",
        "a.grad 2.0 1.0   <-- it goes wrong here",
        "It holds that second, as in a + a.",
        "failed: a.grad is 1.0 zebra",
        "Try: Add to it.",
        "not written yet: tanh (1 test)",
        "isolation: namespaces",
    ):
        assert expected in text


def test_what_passed_is_folded_below_the_points() -> None:
    text = ReadHtml(render_report_as_html(a_report())).text
    assert text.index("Points by concept") < text.index("What passed: 2 tests") < text.index("It holds that first")


def test_the_points_at_the_top_are_those_that_count() -> None:
    text = ReadHtml(render_report_as_html(a_report(late=True))).text
    assert "4.5 of 20 points and 0.9 of 4 bonus points" in text
    assert "4.5 of the 5 points and 0.9 of the 1 bonus points count. Handed in 1 hour after the deadline." in text


def test_of_what_could_not_be_graded_the_reason_is_told_once() -> None:
    text = ReadHtml(render_report_as_html(a_report(status="line 3: '(' was never closed"))).text
    assert "It could not be graded. line 3: '(' was never closed" in text
    assert text.count("never closed") == 1


def test_what_a_student_may_not_see_is_not_in_the_page_and_is_said_to_be_missing() -> None:
    text = ReadHtml(render_report_as_html(filter_report_for_student(shown(a_report(), "hidden"), "published"))).text
    assert "It holds that" not in text
    assert "assigned with" not in text
    assert "Not shown here: the tests that did not pass in accumulation, tanh, robustness." in text


def test_a_page_that_is_written_is_cut_to_what_may_be_seen_once_grades_are_published(tmp_path: Path) -> None:
    report = a_report()
    stages: list[Visibility] = [
        "visible",
        "after_due_date",
        "after_published",
        "hidden",
        "visible",
        "hidden",
        "hidden",
    ]
    tests = [structs.replace(test, visibility=stage) for test, stage in zip(report.tests, stages, strict=True)]
    text = ReadHtml(render_published_page(structs.replace(report, tests=tests)).decode()).text
    assert "It holds that second" in text
    assert "It holds that third" in text
    assert "not written yet" not in text


def test_a_page_runs_nothing_and_loads_nothing() -> None:
    page = render_report_as_html(a_report())
    read = ReadHtml(page)
    assert "default-src 'none'; style-src 'unsafe-inline'" in page
    assert not {"script", "link", "img", "iframe", "form", "a", "object", "desc"} & set(read.tags)
    assert not {"src", "href", "action"} & read.attributes
    assert "url(" not in page
    assert "@import" not in page


def test_a_page_with_a_replay_runs_the_script_of_the_kit_and_no_other() -> None:
    page = render_report_as_html(with_picture(a_report()))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert not {"link", "img", "iframe", "form", "a", "object"} & set(ReadHtml(page).tags)
    assert not {"src", "href", "action", "onclick"} & ReadHtml(page).attributes


def test_a_page_shows_picture_table_and_replay() -> None:
    read = ReadHtml(render_report_as_html(with_picture(a_report())))
    assert read.classes.count("picture") == 1 + 4 + 3  # the picture, four steps, and three of the reference
    for expected in (
        "The graph of the program: a gradient goes wrong at b",
        "b.grad 6.0 12.0 ✗ it goes wrong here",
        "b.grad is 12.0, as if both paths were counted twice.",
        "c._backward() is called again, and passes its gradient on once more.",
        "Yours adds 8.0 to a.grad and 6.0 to b.grad.",
        "The reference does the same.",
    ):
        assert expected in " ".join(read.text.split())


def test_the_legend_explains_what_is_drawn_and_no_more() -> None:
    text = ReadHtml(render_report_as_html(with_picture(a_report()))).text
    assert "Double: it came more than once." in text
    assert "Dotted" not in text


def test_picture_and_replay_go_with_the_diagnosis() -> None:
    cut = filter_report_for_student(shown(with_picture(a_report()), "visible", "hidden"), "published")
    page = render_report_as_html(cut)
    assert "picture" not in ReadHtml(page).classes
    assert "<script" not in page
    assert "_backward" not in page


def test_a_page_is_titled_by_the_name_of_its_assignment() -> None:
    report = a_report()
    named_one = structs.replace(report, assignment=structs.replace(report.assignment, title="A scalar engine"))
    text = ReadHtml(render_report_as_html(named_one)).text
    assert "A scalar engine" in text
    assert "autograd-engine" not in text
    assert "autograd-engine" in ReadHtml(render_report_as_html(report)).text  # a report up to 1.3 has no title


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_student_wrote_is_text_in_the_picture_too(attack: str) -> None:
    read, plain = (ReadHtml(render_report_as_html(with_picture(a_report(text), text))) for text in (attack, "zebra"))
    assert (read.tags, read.attributes) == (plain.tags, plain.attributes)


def test_a_page_is_small_enough_to_be_mailed() -> None:
    again = [("c", 6.0 + 6 * at, 8.0 + 8 * at, 2.0, 1.0) for at in range(1, 37)]
    report = with_picture(a_report())
    long = structs.replace(report, diagnosis=structs.replace(report.diagnosis, replay=replay_of(*again)))
    assert len(render_report_as_html(long).encode()) < 200_000


def test_hints_are_folded() -> None:
    assert ReadHtml(render_report_as_html(a_report())).text.count("Hint ") == 3
    assert "<details open" not in render_report_as_html(a_report())


def test_what_a_mistake_explains_is_folded_below_its_hints_and_its_own_hint_is_not_there() -> None:
    page = render_report_as_html(named(a_report(), cause_of("accumulation.second", "accumulation.third")))
    text = ReadHtml(page).text
    assert text.index("Hint 3 of 3") < text.index("It explains 2 failed tests") < text.index("It holds that second")
    assert text.count("failed: a.grad is 1.0") == 1
    assert "Add to it" not in text
    assert "What else did not pass" in text
    assert "accumulation" not in text[text.index("What else did not pass") : text.index("Points by concept")]


def test_without_a_name_the_smallest_program_comes_first_and_hints_of_later_concepts_are_folded() -> None:
    page = render_report_as_html(unnamed(with_test(a_report(), 4, outcome="failed")))
    text = ReadHtml(page).text
    places = [text.index(one) for one in ("goes wrong here", "has no name yet", "Try: Add to it", "First fix accum")]
    assert places == sorted(places)
    assert "Try: Write it." not in text
    assert "<details><summary>A hint for later</summary><p>Write it.</p></details>" in page


def test_a_provisional_result_says_so() -> None:
    assert "provisional" not in render_report_as_html(a_report())
    assert "The points may still change." in render_report_as_html(provisional(a_report()))


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_student_wrote_is_shown_as_it_is(attack: str) -> None:
    read, plain = ReadHtml(render_report_as_html(a_report(attack))), ReadHtml(render_report_as_html(a_report()))
    assert read.text == plain.text.replace("zebra", attack)
    assert (read.tags, read.attributes) == (plain.tags, plain.attributes)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")))
def test_no_text_changes_the_elements_of_a_page(text: str) -> None:
    read = ReadHtml(render_report_as_html(a_report(f"x{text}x")))
    assert f"x{text}x" in read.text
    assert read.tags == ReadHtml(render_report_as_html(a_report())).tags


def test_what_is_no_text_does_not_keep_a_page_from_being_written() -> None:
    assert "half \\ud800 a pair" in render_report_as_html(a_report("half \ud800 a pair")).encode().decode()


def test_a_page_is_the_same_whenever_it_is_made() -> None:
    report = a_report()
    later = structs.replace(report, timing=structs.replace(report.timing, graded_at="2027-01-01T00:00:00+00:00"))
    assert render_report_as_html(report) == render_report_as_html(later)

"""``results.json``: what Gradescope reads, and what its students see."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec import structs

from autograder.course.model import Visibility
from autograder.faults import CallerFault, KitFault
from autograder.platforms import ExportOptions, require_platform
from autograder.platforms.gradescope.results_json import encode_results_json
from autograder.reports import ScoreReport
from autograder.reports.report_model import FinalScore, Points
from tests.platforms.gradescope import read_results, toy_report
from tests.reports.sample import LATE, SUSPECT, a_report, almost, shown, with_each_test, with_test
from tests.toy import HALF, RIGHT, SYNTAX

MISTAKE = SUSPECT.explanation.rpartition("`")[2].strip(" .")
"""The words of the explanation that Markdown leaves as they are."""
BONUS = "    bonus: {extra: 4}\n"
HOSTILE = (
    "</pre><script>alert(1)</script> [x](javascript:alert(1)) ![](http://x/y) | `a` \n\n# h\n* b\x1b[31m\0\ud800 =1+1"
)


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> ScoreReport:
    """One of two tests passed, 5 of 10 points, and 2 of 4 of a bonus."""
    return toy_report(tmp_path_factory.mktemp("half"), HALF, BONUS, extra="extra")


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> ScoreReport:
    """Full marks, and all of the bonus."""
    return toy_report(tmp_path_factory.mktemp("right"), RIGHT, BONUS, extra="extra")


def results(report: ScoreReport, bonus: str = "capped") -> dict[str, Any]:
    return read_results(encode_results_json(report, bonus))


def below(data: dict[str, Any]) -> float:
    """What the entries add up to."""
    return round(float(sum(entry.get("score", 0) for entry in data["tests"])), 2)


def with_visibility(report: ScoreReport, tests: Visibility, diagnosis: Visibility = "visible") -> ScoreReport:
    """A report of a course that shows tests and diagnosis so; the diagnosis names a mistake."""
    return shown(structs.replace(report, diagnosis=a_report().diagnosis), tests, diagnosis)


def test_the_platform_offers_it_under_its_name(half: ScoreReport) -> None:
    writer = require_platform("gradescope").report_writer
    assert writer is not None
    files = writer(half, ExportOptions(settings={"bonus": "none"}))
    assert list(files) == ["results.json"]
    assert read_results(files["results.json"])["score"] == 5


def test_each_test_is_an_entry_with_its_points_and_its_concept_as_a_tag(half: ScoreReport) -> None:
    data = results(half)
    assert [(one["number"], one["score"], one["max_score"], one["status"], one["tags"]) for one in data["tests"]] == [
        ("1.1", 5, 5, "passed", ["doubling"]),
        ("1.2", 0, 5, "failed", ["doubling"]),
        ("2.1", 2, 2, "passed", ["extra"]),
        ("2.2", 0, 2, "failed", ["extra"]),
    ]
    assert data["tests"][0]["name"] == "double(x) is x twice."
    assert data["tests"][2]["name"].endswith("(bonus)")
    assert "double gave 6" in data["tests"][1]["output"]
    assert "output" not in data["tests"][0]


def test_what_is_printed_stays_with_the_staff_and_nobody_is_ranked(half: ScoreReport) -> None:
    data = results(half)
    assert data["stdout_visibility"] == "hidden"
    assert "leaderboard" not in data


def test_a_bonus_that_fills_the_score_up_does_not_hide_that_the_core_is_wrong() -> None:
    data = results(almost())
    assert data["score"] == 20
    assert data["output"].startswith("**20 points**, of which 1\\.8 bonus; the core is not complete.")


def test_the_hint_of_a_test_that_a_mistake_explains_does_not_undo_the_ladder() -> None:
    outputs = [test.get("output", "") for test in results(a_report())["tests"]]
    assert any("Fix this first\\: Gradients are assigned with" in output for output in outputs)
    assert sum("Use `+=`" in output for output in outputs) == 1, "of the test that nothing explains"


@pytest.mark.parametrize(("bonus", "score"), [("capped", 10), ("added", 14), ("none", 10)])
def test_the_bonus_counts_as_the_teacher_wishes(right: ScoreReport, bonus: str, score: float) -> None:
    assert results(right, bonus)["score"] == score


@pytest.mark.parametrize("bonus", ["added", "none"])
def test_the_score_is_what_the_entries_add_up_to(half: ScoreReport, right: ScoreReport, bonus: str) -> None:
    for report in (half, right):
        data = results(report, bonus)
        assert below(data) == data["score"]
        assert "add up to" not in data["output"]


def test_a_bonus_that_does_not_count_shows_no_points(right: ScoreReport) -> None:
    extra = [entry for entry in results(right, "none")["tests"] if entry["tags"] == ["extra"]]
    assert extra
    assert not any("score" in entry or "max_score" in entry for entry in extra)


def test_where_score_and_entries_differ_the_top_says_why(right: ScoreReport) -> None:
    data = results(right)
    assert (below(data), data["score"]) == (14, 10)
    assert "**10 points count** of the 14 that the tests below add up to" in data["output"]


def test_lateness_is_taken_off_the_score_and_told(half: ScoreReport) -> None:
    late = structs.replace(half, lateness=LATE, final=FinalScore(score=4.5, max_score=10, bonus=1.8))
    data = results(late)
    assert data["score"] == 6.3
    assert LATE.message.strip(".") in data["output"]
    assert "lateness is taken off" in data["output"]


def test_another_wish_for_the_bonus_is_refused(half: ScoreReport) -> None:
    with pytest.raises(CallerFault, match="unknown bonus rule 'twice'"):
        encode_results_json(half, "twice")


@pytest.mark.parametrize("diagnosis", ["visible", "hidden", "after_due_date", "after_published"])
@pytest.mark.parametrize("tests", ["visible", "hidden", "after_due_date", "after_published"])
def test_no_entry_is_ever_hidden_since_that_may_hide_the_total(
    half: ScoreReport, tests: Visibility, diagnosis: Visibility
) -> None:
    data = results(with_visibility(half, tests, diagnosis))
    assert "hidden" not in {entry["visibility"] for entry in data["tests"]}
    assert data["visibility"] == "visible"


def test_hidden_tests_become_a_line_of_points_for_each_concept(half: ScoreReport) -> None:
    report = with_visibility(half, "hidden")
    data = results(report)
    assert [(one["name"], one["score"], one["max_score"], one["status"]) for one in data["tests"]] == [
        ("doubling", 5, 10, "failed"),
        ("extra (bonus)", 2, 4, "failed"),
    ]
    text = encode_results_json(report).decode()
    for test in report.tests:
        assert test.sentence not in text
        assert not test.message or test.message not in text


@pytest.mark.parametrize("later", ["after_due_date", "after_published"])
def test_what_is_shown_later_says_so_and_is_not_on_top(half: ScoreReport, later: Visibility) -> None:
    data = results(with_visibility(half, later, later))
    assert {entry["visibility"] for entry in data["tests"]} == {later}
    assert MISTAKE not in data["output"]
    assert "double gave" not in data["output"]
    assert MISTAKE in data["tests"][-1]["output"]


def test_a_hidden_diagnosis_is_nowhere(half: ScoreReport) -> None:
    assert MISTAKE.encode() not in encode_results_json(with_visibility(half, "visible", "hidden"))
    assert MISTAKE.encode() in encode_results_json(with_visibility(half, "visible", "visible"))


def test_a_fault_of_the_grader_costs_no_points_and_is_told(half: ScoreReport) -> None:
    broken = with_test(half, 1, outcome="grader error", score=5.0, message="This test does not work here.")
    full = FinalScore(score=10, max_score=10, bonus=0)
    report = structs.replace(broken, score=10.0, final=full, bonus=Points(score=0, max_score=4))
    data = results(report)
    assert (data["tests"][1]["status"], data["tests"][1]["score"]) == ("passed", 5)
    assert data["score"] == 10
    assert "1 test could not be run" in data["output"]


def test_what_cannot_be_graded_gets_one_entry_and_a_reason(tmp_path: Path) -> None:
    data = results(toy_report(tmp_path, SYNTAX))
    assert data["score"] == 0
    assert [(one["score"], one["max_score"], one["status"]) for one in data["tests"]] == [(0, 10, "failed")]
    assert "line 1" in data["output"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_a_fault_and_no_score(half: ScoreReport, number: float) -> None:
    with pytest.raises(KitFault, match="number"):
        encode_results_json(structs.replace(half, final=FinalScore(score=number, max_score=10, bonus=0)), "none")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(text=st.text(max_size=60) | st.just(HOSTILE))
def test_a_students_text_is_never_markup(half: ScoreReport, text: str) -> None:
    report = structs.replace(
        with_each_test(half, message=text, outcome="failed"),
        notes=[text],
        status=structs.replace(half.status, message=""),
        submission=structs.replace(half.submission, id=text),
    )
    data = results(report)
    for entry in data["tests"]:
        tags = _tags(entry["output"])
        assert tags <= {"paragraph_open", "paragraph_close", "inline", "text", "strong_open", "strong_close",
                        "text_special", "hardbreak", "softbreak"}  # fmt: skip
    assert not _tags(data["output"]) & {"html_block", "html_inline", "link_open", "image"}


def _tags(markdown: str) -> set[str]:
    found: set[str] = set()
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        found |= {token.type, *(child.type for child in token.children or ())}
    return found


def test_hostile_words_arrive_as_ascii_that_a_strict_reader_takes(half: ScoreReport) -> None:
    content = encode_results_json(structs.replace(half, notes=[HOSTILE * 50]))
    assert json.loads(content.decode("ascii"))
    assert b"<script>" not in content


def test_points_are_written_in_hundredths(half: ScoreReport) -> None:
    entries = results(with_each_test(half, score=0.1 + 0.2, visibility="hidden"))["tests"]
    assert [entry["score"] for entry in entries] == [0.6, 0.6]

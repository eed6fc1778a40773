"""Platforms that run the kit on one submission: each gets its form, and forged output changes nothing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from autograder.course.model import Visibility
from autograder.faults import CallerFault
from autograder.platforms import ExportOptions, require_platform
from autograder.platforms.common.export_points import BONUS_RULES
from autograder.platforms.printed_reports import (
    encode_autolab_files,
    encode_codegrade_files,
    encode_coderunner_files,
    encode_vpl_files,
    encode_xqueue_files,
)
from autograder.platforms.written_reports import (
    encode_classroom50_files,
    encode_coursera_files,
    encode_prairielearn_files,
    encode_submitty_files,
)
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_report_as_html
from autograder.reports.report_model import filter_report_for_student
from tests.platforms.forged import AROUND, given
from tests.platforms.vpl_output import GRADE, comments_of, grade_of
from tests.reports.sample import a_report, shown, with_test

# ------------------------------------------------------------------ thin writers


NAMES = (
    "autolab",
    "classroom50",
    "codegrade",
    "coderunner",
    "coursera",
    "junit",
    "prairielearn",
    "submitty",
    "vpl",
    "xqueue",
)


def written(name: str, text: str, *, status: str = "", **more: str) -> dict[str, bytes]:
    writer = require_platform(name).report_writer
    assert writer is not None
    return dict(writer(a_report(text, status=status), ExportOptions(settings={**AROUND, **more})))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stage", ["after_due_date", "after_published", "hidden"])
def test_what_is_not_shown_at_once_is_in_no_file(name: str, stage: Visibility) -> None:
    writer = require_platform(name).report_writer
    assert writer is not None
    whole = b"".join(writer(shown(a_report(), stage), ExportOptions(settings=AROUND)).values())
    for secret in (b"It holds that", b"accumulation.second", b"a.grad", b"assigned with", b"third"):
        assert secret not in whole


@pytest.mark.parametrize("name", sorted({*NAMES, "gradescope", "otter"} - {"junit"}))
def test_an_unknown_way_to_count_the_bonus_is_a_fault_of_the_caller(name: str) -> None:
    with pytest.raises(CallerFault, match="unknown bonus rule 'double'"):
        written(name, "x", bonus="double")


@pytest.mark.parametrize("name", NAMES)
def test_the_same_report_gives_the_same_bytes(name: str) -> None:
    assert written(name, "x") == written(name, "x")


# ------------------------------------------------------------------ plain


def test_a_fragment_has_no_element_that_html_would_read_otherwise() -> None:
    assert b"/>" not in encode_xqueue_files(a_report(), ExportOptions())["stdout"]


# ------------------------------------------------------------------ autolab


def test_the_last_line_is_the_score_of_one_problem() -> None:
    lines = encode_autolab_files(a_report(), given())["stdout"].decode().rstrip("\n").split("\n")
    assert json.loads(lines[-1]) == {"scores": {"autograded": 6.0}, "scoreboard": [6.0]}


def test_the_problem_is_called_as_it_is_there_and_has_its_points() -> None:
    last = (
        encode_autolab_files(a_report(), given({"problem": "Autograd"}, max_points=60.0))["stdout"]
        .decode()
        .splitlines()[-1]
    )
    assert json.loads(last)["scores"] == {"Autograd": 18.0}


def test_the_line_before_has_a_stage_for_each_concept() -> None:
    stages = json.loads(encode_autolab_files(a_report(), given())["stdout"].decode().splitlines()[-2])
    assert stages["_presentation"] == "semantic"
    assert stages["stages"] == ["accumulation", "tanh", "robustness"]
    assert stages["accumulation"]["accumulation.first"] == {"passed": True}
    second = stages["accumulation"]["accumulation.second"]
    assert second["passed"] is False
    assert second["hint"] == (
        "It holds that second, as in `a + a`.\nfailed: a.grad is 1.0 zebra\n"
        "try: Fix this first: Gradients are assigned with `=`. How often is a paid?"
    )


# ------------------------------------------------------------------ classroom50


KEYS = [
    "schema",
    "classroom",
    "assignment",
    "assignment_type",
    "owner",
    "submission",
    "commit",
    "release",
    "review",
    "datetime",
    "score",
    "max-score",
    "tests",
]


def result(report: ScoreReport, max_points: float | None = None, **settings: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        encode_classroom50_files(report, given({**AROUND, **settings}, max_points=max_points))["result.json"]
    )
    return found


def assert_valid(found: dict[str, Any]) -> None:
    """What the documentation asks for."""
    assert list(found) == KEYS
    assert found["schema"] == "classroom50/result/v1"
    assert all(isinstance(found[key], str) and found[key] for key in KEYS[:10])
    assert found["submission"].startswith("submit/")
    for part in (found, *found["tests"]):
        assert type(part["score"]) is type(part["max-score"]) is int
        assert 0 <= part["score"] <= part["max-score"]
    for test in found["tests"]:
        assert list(test) == ["test-name", "passed", "score", "max-score"]
        assert type(test["passed"]) is bool


def test_a_result_has_what_the_workflow_says_and_no_key_more() -> None:
    found = result(a_report())
    assert_valid(found)
    assert (found["classroom"], found["owner"], found["score"], found["max-score"]) == ("mg101", "ada", 6, 20)
    assert found["datetime"] == "2026-11-21T13:00:05Z"
    assert found["tests"][0] == {"test-name": "accumulation", "passed": False, "score": 5, "max-score": 15}


@pytest.mark.parametrize(("bonus", "score"), [(0.4, 5), (0.5, 6), (14.6, 19), (14.999, 19), (15.0, 20), (19.0, 20)])
def test_points_are_rounded_and_full_marks_are_only_for_full_marks(bonus: float, score: int) -> None:
    assert result(a_report(bonus=bonus))["score"] == score


@pytest.mark.parametrize("bonus", BONUS_RULES)
@pytest.mark.parametrize("max_points", [None, 1.0, 12.5, 100.0])
def test_every_result_is_valid(bonus: str, max_points: float | None) -> None:
    for report in (a_report(), a_report(bonus=19.0), a_report(late=True), a_report(status="empty")):
        assert_valid(result(report, max_points, bonus=bonus))


def test_a_username_stands_in_for_an_owner() -> None:
    around = {**AROUND, "OWNER": "", "USERNAME": "grace"}
    assert json.loads(encode_classroom50_files(a_report(), given(around))["result.json"])["owner"] == "grace"


def test_what_the_workflow_should_have_set_is_named() -> None:
    around = {**AROUND, "COMMIT_URL": "", "OWNER": ""}
    with pytest.raises(CallerFault, match="missing settings: OWNER, COMMIT_URL"):
        encode_classroom50_files(a_report(), given(around))


def test_a_tag_that_is_no_submissions_is_refused() -> None:
    with pytest.raises(CallerFault, match="the tag does not begin with submit/"):
        encode_classroom50_files(a_report(), given({**AROUND, "SUBMISSION_TAG": "v1.0"}))


# ------------------------------------------------------------------ codegrade


GOLDEN = Path(__file__).parent.parent / "data" / "platforms" / "codegrade" / "err.txt"


def lines(report: ScoreReport, **settings: str) -> list[dict[str, Any]]:
    printed = encode_codegrade_files(report, given(settings))["stdout"]
    assert printed.isascii()
    return [json.loads(line) for line in printed.splitlines()]


def shape(line: dict[str, Any]) -> object:
    """A line's keys, with the status of its test."""
    if line["tag"] == "points":
        return sorted(line)
    (suite,) = line["results"]
    (case,) = suite["testCases"]
    return sorted(line), sorted(suite), sorted({*case} - {"stdout"}), case["status"]


def test_lines_have_the_shape_of_those_of_codegrades_own_reporter() -> None:
    golden = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
    ours = lines(with_test(a_report(), 1, outcome="grader error"))
    assert {str(shape(line)) for line in golden} == {str(shape(line)) for line in ours}
    assert [line["tag"] for line in ours] == ["unit-test"] * 7 + ["points"]


@pytest.mark.parametrize(("bonus", "points"), [("capped", "3/10"), ("none", "1/4")])
def test_points_are_a_fraction_in_words_and_come_last(bonus: str, points: str) -> None:
    assert lines(a_report(), bonus=bonus)[-1] == {"tag": "points", "points": points}


def test_none_and_all_are_fractions_too() -> None:
    assert lines(a_report(status="empty"))[-1]["points"] == "0/1"
    assert lines(a_report(bonus=15.0))[-1]["points"] == "1/1"
    assert Fraction(lines(a_report(bonus=14.9999999))[-1]["points"]) < 1


def test_a_line_has_no_space_between_its_parts() -> None:
    first = encode_codegrade_files(a_report(), given())["stdout"].splitlines()[0]
    assert first == (
        b'{"tag":"unit-test","results":[{"id":"accumulation","name":"accumulation",'
        b'"testCases":[{"name":"accumulation.first","status":"success"}]}]}'
    )


# ------------------------------------------------------------------ coderunner


def printed(report: ScoreReport) -> dict[str, Any]:
    printed = encode_coderunner_files(report, given())["stdout"]
    assert printed.count(b"\n") == 1
    found: dict[str, Any] = json.loads(printed)
    return found


def test_a_report_is_one_json_object_with_a_row_for_each_concept() -> None:
    found = printed(a_report())
    assert found["fraction"] == 0.3
    assert found["testresults"] == [
        ["iscorrect", "Concept", "Points", "iscorrect"],
        [0, "accumulation", "5 of 15", 0],
        [0, "tanh", "0 of 5", 0],
        [0, "robustness", "1 of 4", 0],
    ]
    assert "failed: a.grad is 1.0 zebra" in found["epiloguehtml"]
    assert "showoutputonly" not in found, "which would be full marks"


def test_each_column_but_iscorrect_has_a_format_and_none_is_html() -> None:
    found = printed(a_report())
    heads = [head for head in found["testresults"][0] if head not in ("iscorrect", "ishidden")]
    assert found["columnformats"] == ["%s"] * len(heads)
    assert all(len(row) == len(found["testresults"][0]) for row in found["testresults"])


def test_what_could_not_be_graded_has_no_rows_and_says_why() -> None:
    found = printed(a_report(status="line 3: '(' was never closed"))
    assert found["fraction"] == 0.0
    assert "testresults" not in found
    assert "was never closed" in found["epiloguehtml"]


# ------------------------------------------------------------------ coursera


def test_the_score_is_a_number_from_0_to_1_and_the_page_stands_beside_it() -> None:
    files = encode_coursera_files(a_report(), given())
    feedback = json.loads(files["feedback.json"])
    assert set(feedback) == {"fractionalScore", "feedback", "feedbackType"}
    assert feedback["fractionalScore"] == 0.3
    assert feedback["feedbackType"] == "HTML"
    seen = filter_report_for_student(a_report(), "handed in")
    assert files["htmlFeedback.html"].decode() == render_report_as_html(seen)


def test_none_and_all_are_numbers_too_and_no_booleans() -> None:
    for report, score in ((a_report(status="empty"), b"0.0"), (a_report(bonus=15.0), b"1.0")):
        assert b'"fractionalScore":' + score in encode_coursera_files(report, given())["feedback.json"]


# ------------------------------------------------------------------ prairielearn


def results(report: ScoreReport, **settings: str) -> dict[str, Any]:
    files = encode_prairielearn_files(report, given(settings))
    assert list(files) == ["results.json"]
    found: dict[str, Any] = json.loads(files["results.json"])
    return found


def test_a_report_has_a_share_of_full_marks_and_a_test_for_each_concept() -> None:
    found = results(a_report())
    assert (found["gradable"], found["score"]) == (True, 0.3)
    assert found["message"] == "5 of 20 points and 1 of 4 bonus points"
    assert [(test["name"], test["points"], test["max_points"]) for test in found["tests"]] == [
        ("accumulation", 5.0, 15.0),
        ("tanh", 0.0, 5.0),
        ("robustness (bonus)", 1.0, 0),
    ]
    assert "failed: a.grad is 1.0 zebra" in found["tests"][0]["output"]


@pytest.mark.parametrize(("bonus", "share"), [("capped", 0.27), ("none", 0.225)])
def test_the_points_of_the_tests_add_up_to_what_counts(bonus: str, share: float) -> None:
    found = results(a_report(late=True), bonus=bonus)
    assert found["tests"][-1]["name"] == "lateness"
    assert found["tests"][-1]["output"] == "Handed in 1 hour after the deadline."
    total = sum(test["max_points"] for test in found["tests"])
    assert sum(test["points"] for test in found["tests"]) / total == pytest.approx(found["score"]) == share


def test_no_share_is_beyond_full_marks() -> None:
    assert results(a_report(bonus=19.0), bonus="added")["score"] == 1.0


def test_what_could_not_be_read_is_not_gradable_and_costs_no_attempt() -> None:
    assert results(a_report(status="line 3: '(' was never closed")) == {
        "gradable": False,
        "format_errors": ["line 3: '(' was never closed"],
    }


@pytest.mark.thorough
def test_the_file_stays_below_a_megabyte() -> None:
    assert len(encode_prairielearn_files(a_report("🎓" * 200_000), given())["results.json"]) < 1_000_000


# ------------------------------------------------------------------ submitty


def test_results_have_the_total_and_a_test_case_for_each_concept() -> None:
    found = json.loads(encode_submitty_files(a_report(), given())["results.json"])
    assert (found["automatic_grading_total"], found["nonhidden_automatic_grading_total"]) == (6.0, 6.0)
    assert [(case["test_name"], case["points_awarded"]) for case in found["testcases"]] == [
        ("accumulation", 5.0),
        ("tanh", 0.0),
        ("robustness", 1.0),
    ]
    (check,) = found["testcases"][0]["autochecks"]
    assert {"message": "    failed: a.grad is 1.0 zebra", "type": "failure"} in check["messages"]


def test_a_validator_prints_the_share_of_full_marks() -> None:
    printed = encode_submitty_files(a_report(), given({"form": "validator"}))["stdout"]
    found = json.loads(printed)
    assert printed.count(b"\n") == 1
    assert (found["score"], found["status"]) == (0.3, "failure")
    assert "failed: a.grad is 1.0 zebra" in found["message"]


def test_full_marks_are_a_success() -> None:
    assert (
        json.loads(encode_submitty_files(a_report(bonus=15.0), given({"form": "validator"}))["stdout"])["status"]
        == "success"
    )


# ------------------------------------------------------------------ vpl


@pytest.mark.parametrize(
    ("printed", "grade"),
    [
        ("noGrade :=>> bad\nGrade :=>> value\nGrade :=>> correct \n Grade :=>> incorrect", "correct"),
        ("Grade :=>> 4.86\ngrade :=>> correct", "4.86"),
    ],
)
def test_the_parser_of_these_tests_reads_what_vpl_reads(printed: str, grade: str) -> None:
    assert grade_of(printed) == grade


def test_a_report_is_one_comment_and_one_grade() -> None:
    printed = encode_vpl_files(a_report(), given())["stdout"].decode()
    (comment,) = comments_of(printed)
    assert comment.startswith("-5 of 20 points and 1 of 4 bonus points\n>")
    assert all(line.startswith(">") for line in comment.split("\n")[1:])
    assert "> " in comment
    assert GRADE.findall(printed) == [" 6"]


@pytest.mark.parametrize(
    ("settings", "max_points", "grade"),
    [
        ({"VPL_GRADEMIN": "0", "VPL_GRADEMAX": "10"}, None, "3"),
        ({"VPL_GRADEMIN": "1.0", "VPL_GRADEMAX": "5.0"}, None, "2.2"),
        ({"VPL_GRADEMAX": "100.0"}, None, "30"),
        ({"VPL_GRADEMAX": "100", "bonus": "none"}, None, "25"),
        ({}, 40.0, "12"),
        ({"VPL_GRADEMAX": "100"}, 40.0, "12"),
        ({}, None, "6"),
    ],
)
def test_the_grade_is_in_the_range_of_the_activity(
    settings: dict[str, str], max_points: float | None, grade: str
) -> None:
    printed = encode_vpl_files(a_report(), given(settings, max_points=max_points))["stdout"].decode()
    assert grade_of(printed) == grade


@pytest.mark.parametrize("value", ["twenty", "nan", "inf"])
def test_a_range_that_is_no_number_is_told(value: str) -> None:
    with pytest.raises(CallerFault, match="is not a number"):
        encode_vpl_files(a_report(), given({"VPL_GRADEMAX": value}))


def test_what_could_not_be_graded_says_why() -> None:
    printed = encode_vpl_files(a_report(status="line 3: '(' was never closed"), given())["stdout"].decode()
    assert "'(' was never closed" in printed
    assert grade_of(printed) == "0"


# ------------------------------------------------------------------ xqueue


def reply(report: ScoreReport, **settings: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(encode_xqueue_files(report, given(settings))["stdout"])
    assert set(found) == {"correct", "score", "msg"}
    return found


def test_correct_is_full_marks_and_nothing_less() -> None:
    part, full = reply(a_report()), reply(a_report(bonus=15.0))
    assert (part["correct"], part["score"]) == (False, 0.3)
    assert (full["correct"], full["score"]) == (True, 1.0)


def test_the_message_is_xml_with_one_root_and_says_all() -> None:
    root = ElementTree.fromstring(reply(a_report())["msg"])
    text = "".join(root.itertext())
    assert root.tag == "div"
    assert "5 of 20 points and 1 of 4 bonus points" in text
    assert "failed: a.grad is 1.0 zebra" in text

"""The score report: its schema, its sameness from run to run, and whole reports against goldens."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules, LatePolicy
from autograder.grading import Grader
from autograder.lateness import apply_lateness, compute_lateness_or_none
from autograder.reports import encode_report_json, make_score_report, read_report_json, write_report_json
from autograder.reports.print_schema import make_report_schema

GOLDENS = Path(__file__).parent.parent / "data" / "goldens"
CASES = (
    "complete.py",
    "overwrites.py",
    "no_tanh.py",
    "syntax_error.py",
    "untouched.py",
    "notebook.ipynb",
    "folder_with_helpers",
)


def graded_json(grader: Grader, path: Path) -> bytes:
    return encode_report_json(make_score_report(grader.grade(path), grader.assignment))


def without_what_may_change(report: dict[str, Any]) -> dict[str, Any]:
    """A report without times, and without the versions and the tier of whoever runs it."""
    report = {
        key: value for key, value in report.items() if key not in ("timing", "kit_version", "python", "isolation")
    }
    report["assignment"] = {"name": report["assignment"]["name"]}
    return report


@pytest.mark.parametrize("case", CASES)
def test_a_whole_report_is_what_it_was(grader: Grader, root: Path, case: str, request: pytest.FixtureRequest) -> None:
    report = without_what_may_change(json.loads(graded_json(grader, root / "examples" / "submissions" / case)))
    golden = GOLDENS / f"{Path(case).stem}.json"
    if request.config.getoption("--update-goldens"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert report == json.loads(golden.read_text(encoding="utf-8"))


def test_two_runs_give_the_same_bytes_apart_from_timing(grader: Grader, root: Path) -> None:
    path = root / "examples" / "submissions" / "no_visited.py"
    first, second = (json.loads(graded_json(grader, path)) for _ in range(2))
    assert first.pop("timing").keys() == second.pop("timing").keys()
    assert json.dumps(first) == json.dumps(second)


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("case", CASES)
def test_a_report_keeps_to_the_published_schema(grader: Grader, root: Path, case: str) -> None:
    published = json.loads((root / "docs" / "score-report.schema.json").read_text())
    jsonschema.validate(json.loads(graded_json(grader, root / "examples" / "submissions" / case)), published)


def test_the_published_schema_is_up_to_date(root: Path) -> None:
    published = json.loads((root / "docs" / "score-report.schema.json").read_text())
    assert published == make_report_schema(), (
        "run: python -m autograder.reports.print_schema > docs/score-report.schema.json"
    )


def test_the_schema_refuses_what_is_no_report(grader: Grader, root: Path) -> None:
    report = json.loads(graded_json(grader, root / "examples" / "submissions" / "syntax_error.py"))
    report["tests"][0]["outcome"] = "maybe"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, make_report_schema())


def test_the_scores_of_tests_concepts_and_report_agree(grader: Grader, root: Path) -> None:
    report = json.loads(graded_json(grader, root / "examples" / "submissions" / "forgot_reversed.py"))
    for concept in report["concepts"]:
        tests = [test for test in report["tests"] if test["concept"] == concept["name"]]
        assert sum(test["score"] for test in tests) == pytest.approx(concept["score"])
        assert sum(test["max_score"] for test in tests) == pytest.approx(concept["max_score"])
    main = [concept for concept in report["concepts"] if not concept["bonus"]]
    assert sum(concept["score"] for concept in main) == pytest.approx(report["score"])
    assert (report["max_score"], report["bonus"]["max_score"]) == (100, 10)


def test_a_report_can_be_written_and_read_back(grader: Grader, root: Path, tmp_path: Path) -> None:
    report = make_score_report(grader.grade(root / "examples" / "submissions" / "complete.py"), grader.assignment)
    write_report_json(report, tmp_path / "deep" / "report.json")
    assert read_report_json(tmp_path / "deep" / "report.json") == report
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["report.json"]


HOSTILE = """\
class Value:
    def __init__(self, data):
        self.data = data
        raise type("\\x1b]0;owned\\x07\\u202e<script>", (Exception,), {})("\\x1b[2J\\u202e=cmd()")
"""


def test_nothing_of_a_submission_can_steer_a_terminal_or_hide_text(
    grader: Grader, engine: Assignment, tmp_path: Path
) -> None:
    path = tmp_path / "a\x1b[31m\u202eb.py"
    path.write_text(HOSTILE)
    text = encode_report_json(make_score_report(grader.grade(path), engine)).decode()
    assert not any(ord(character) < 32 and character != "\n" for character in text)
    assert "\\u001b" not in text
    assert "\u202e" not in text
    assert "\\u202e" in text.replace("\\\\", "\\"), "the name is still recognisable"


def test_hidden_tests_show_neither_their_code_nor_their_files(grader: Grader, root: Path, engine: Assignment) -> None:
    text = graded_json(grader, root / "examples" / "submissions" / "forgot_reversed.py").decode()
    for path in engine.hidden_suite_folder.glob("*.py"):
        assert path.name not in text
        assert path.stem not in text
    assert "assert " not in text


def test_a_late_report_keeps_to_the_published_schema_and_to_what_was_reached(grader: Grader, root: Path) -> None:
    report = make_score_report(grader.grade(root / "examples" / "submissions" / "no_tanh.py"), grader.assignment)
    deadline = datetime(2025, 11, 21, tzinfo=UTC)
    due = DeadlineRules(deadline=deadline, late_policy=LatePolicy(percent_per_day=33.0))
    late = apply_lateness(report, compute_lateness_or_none(due, "ada", deadline + timedelta(hours=30)))
    jsonschema.validate(json.loads(encode_report_json(late)), make_report_schema())
    assert (late.score, late.bonus) == (report.score, report.bonus)
    assert late.final.score == pytest.approx(report.score * 0.34, abs=0.005)
    assert late.final.bonus == pytest.approx(report.bonus.score * 0.34, abs=0.005)
    assert apply_lateness(late, None) == report

"""Otter's ``results.json`` and ``final_grades.csv``, as scripts that read Otter's own expect them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from autograder.course.model import Visibility
from autograder.platforms import ExportOptions, SubmissionResult
from autograder.platforms.otter.results_writers import encode_report_files, make_final_grades_export
from autograder.reports import ScoreReport
from autograder.reports.report_model import ReportedConcept, ReportedSubmission
from autograder.submissions import SubmissionOrigin
from tests.platforms.classes import a_class, result
from tests.reports.sample import a_report, almost, shown, with_each_test

DATA = Path(__file__).parent.parent / "data" / "platforms" / "otter"
NOTHING = ExportOptions()


def written(report: ScoreReport, options: ExportOptions = NOTHING) -> dict[str, Any]:
    (content,) = encode_report_files(report, options).values()
    found = json.loads(content)
    assert isinstance(found, dict)
    return found


def golden_result(file: str, *points: float, message: str = "") -> SubmissionResult:
    """One of the golden table: two questions, of 2 and of 3 points."""
    full = (("q1", 2.0), ("q2_tanh", 3.0))
    concepts = [
        ReportedConcept(name=name, score=score, max_score=most, bonus=False)
        for (name, most), score in zip(full, points, strict=True)
    ]
    name = Path(file).stem
    report = structs.replace(
        a_report(status=message), submission=ReportedSubmission(id=name, sha256="", files=[file]), concepts=concepts
    )
    return result(name, sum(points), report=report)


def table(*rows: SubmissionResult, options: ExportOptions = NOTHING) -> list[list[str]]:
    content = make_final_grades_export(a_class(*rows, name="value", title="Value", maximum=5.0), options).files[
        "final_grades.csv"
    ]
    return [*csv.reader(io.StringIO(content.decode(), newline=""))]


# final_grades.csv


def test_the_table_is_byte_for_byte_what_otter_wrote() -> None:
    rows = (
        golden_result("value_ada.ipynb", 2, 3),
        golden_result("value_bob.ipynb", 0, 0),
        golden_result("value_zed.ipynb", 0, 0, message="kernel died"),
    )
    made = make_final_grades_export(a_class(*rows, name="value", title="Value", maximum=5.0), NOTHING)
    assert made.files == {"final_grades.csv": (DATA / "final_grades.csv").read_bytes()}
    assert [(change.student, change.after) for change in made.changes] == [
        ("value_ada", "5"),
        ("value_bob", "0"),
        ("value_zed", "0"),
    ]


def test_a_total_is_what_counts_and_a_question_what_was_earned() -> None:
    row = golden_result("value.ipynb", 2, 3)
    late = SubmissionResult(row.name, row.report, 4.5)
    assert table(late)[2] == ["value.ipynb", "2.0", "3.0", "4.5", "0.9", "Completed"]


def test_other_full_marks_scale_every_number() -> None:
    rows = table(golden_result("value.ipynb", 1, 0), options=ExportOptions(max_points=10))
    assert rows[1:] == [
        ["points-per-question", "4.0", "6.0", "10.0", "1.0", "--"],
        ["value.ipynb", "2.0", "0.0", "2.0", "0.2", "Completed"],
    ]


def test_a_submission_is_called_like_the_file_in_the_download() -> None:
    row = golden_result("value.ipynb", 2, 3)
    origin = SubmissionOrigin("moodle", names=("Ada_1_assignsubmission_file/value ada.ipynb",))
    assert table(SubmissionResult(row.name, row.report, 5, origin))[2][0] == "value ada.ipynb"


def test_a_submission_of_several_files_is_called_as_in_the_batch() -> None:
    row = golden_result("value.ipynb", 2, 3)
    report = structs.replace(
        row.report, submission=ReportedSubmission(id="ada", sha256="", files=["a.py", "value.py"])
    )
    assert table(SubmissionResult("ada", report, 5))[2][0] == "ada"


# results.json


def test_the_file_has_the_keys_of_otters_own() -> None:
    golden = json.loads((DATA / "results.json").read_text(encoding="utf-8"))
    made = written(a_report())
    question = next(test for test in golden["tests"] if "score" in test)
    rows = [test for test in made["tests"] if "score" in test]
    assert [row["name"] for row in rows] == ["accumulation", "tanh", "robustness"]
    assert all(row.keys() == question.keys() for row in rows)
    without = {*golden["tests"][0]}
    assert all(row.keys() == without for row in made["tests"] if "score" not in row)


def test_points_are_those_that_count() -> None:
    assert written(a_report())["score"] == 6.0
    assert written(a_report(late=True))["score"] == 5.4
    assert written(a_report(), ExportOptions(settings={"bonus": "none"}))["score"] == 5.0
    assert written(a_report(), ExportOptions(max_points=100))["score"] == 30.0


def test_a_bonus_that_fills_the_score_up_does_not_hide_that_the_core_is_wrong() -> None:
    made = written(almost())
    assert made["score"] == 20.0
    assert made["output"].startswith("20 of 20 points, of which 1.8 bonus; the core is not complete.")


def test_what_did_not_pass_is_told_with_what_to_try() -> None:
    row = next(test for test in written(a_report("zebra"))["tests"] if test["name"] == "accumulation")
    assert row["output"].splitlines()[:4] == [
        "accumulation results:",
        "    It holds that second, as in `a + a`.",
        "        a.grad is 1.0 zebra",
        "        Try: Fix this first: Gradients are assigned with `=`. How often is a paid?",
    ]
    assert "It holds that first" not in row["output"]


def test_a_concept_that_holds_is_told_as_otter_tells_it() -> None:
    rows = written(with_each_test(a_report(), outcome="passed"))["tests"]
    assert rows[1]["output"] == "accumulation results: All test cases passed!"


@pytest.mark.parametrize("visibility", ["hidden", "after_due_date", "after_published"])
def test_what_students_do_not_see_yet_stands_in_rows_of_their_own(visibility: Visibility) -> None:
    rows = written(shown(a_report(), visibility))["tests"]
    seen = json.dumps([row for row in rows if row["visibility"] == "visible"])
    assert "It holds that" not in seen
    assert "erases the first" not in seen
    later = [row for row in rows if row["visibility"] != "visible"]
    assert {row["visibility"] for row in later} == {visibility}
    assert not [row for row in later if "score" in row]
    assert "erases the first" in json.dumps(later)


def test_a_submission_that_could_not_be_graded_says_why_and_has_no_points() -> None:
    made = written(a_report(status="value.py, line 3: invalid syntax."))
    assert made["score"] == 0
    assert made["output"].startswith("value.py, line 3: invalid syntax.")

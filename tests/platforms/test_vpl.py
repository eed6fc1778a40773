"""VPL: one comment and one grade, whatever a student writes."""

from __future__ import annotations

import pytest

from autograder.faults import CallerFault
from autograder.platforms.single_report_writers import encode_vpl_files
from tests.platforms.forged import given
from tests.platforms.vpl_output import GRADE, comments_of, grade_of
from tests.reports.sample import a_report


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

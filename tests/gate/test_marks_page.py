"""Typical submissions are graded, held against what teachers would give, and told in a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.author_checks.typical import (
    check_typical_marks_in_range,
    format_marks_page_section,
    grade_typical_submissions,
    load_typical_submissions_file,
)
from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.sandbox import SandboxConfig
from tests.toy import HALF, load_toy

TYPICAL = """\
submissions:
  - {name: raises, what: It raises., at_most: 0, transformation: every method raises}
  - {name: triple, what: It adds one too many., at_least: 0, at_most: 2, edits: [{old: x + x, new: x + x + x}]}
  - {name: half, what: It knows one answer., at_least: 4, at_most: 6, file: typical/half.py}
  - {name: right, what: It is right., at_least: 10, edits: [{old: x + x, new: 2 * x}]}
"""


def course_of(root: Path, typical: str = TYPICAL) -> Assignment:
    """The toy course with typical submissions."""
    return load_toy(root, files={"solutions/toy/typical/half.py": HALF, "solutions/toy/typical.yml": typical})


def test_marks_in_range_hold_and_stand_in_the_table(tmp_path: Path, sandbox: SandboxConfig) -> None:
    course = course_of(tmp_path)
    marks = grade_typical_submissions(course, sandbox, lambda done, count: None)
    assert [float(mark.core_points) for mark in marks] == [0, 0, 5, 10]
    assert check_typical_marks_in_range(marks).claim_holds
    rows = format_marks_page_section(course, marks).splitlines()
    assert rows[2] == "| submission | what it does | teachers give | this course gives, of 10 |"
    assert rows[4:] == [
        "| raises | It raises. | 0 | 0 |",
        "| triple | It adds one too many. | at most 2 | 0 |",
        "| half | It knows one answer. | 4 to 6 | 5 |",
        "| right | It is right. | at least 10 | 10 |",
    ]


def test_marks_out_of_range_are_told_concept_by_concept(tmp_path: Path, sandbox: SandboxConfig) -> None:
    course = course_of(tmp_path, TYPICAL.replace("at_most: 6", "at_most: 4.5"))
    said = check_typical_marks_in_range(grade_typical_submissions(course, sandbox, lambda done, count: None)).problems
    assert said == ("half: 5 points, and teachers give 4 to 4.5: doubling 5 of 10",)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("file: typical/half.py", "", "must be made in one way"),
        ("file: typical/half.py", "file: a.py, transformation: every method raises", "must be made in one way"),
        ("every method raises", "every method sings", "unknown transformation 'every method sings'"),
        ("name: half", "name: triple", "two submissions have the name 'triple'"),
        ("at_least: 4", "at_least: 7", "at_least .7. is more than at_most .6."),
        ("what: It raises., ", "", "the key .what. is missing"),
    ],
)
def test_a_table_that_is_not_what_it_should_be_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    course = course_of(tmp_path, TYPICAL.replace(old, new))
    with pytest.raises(CourseFault, match=said):
        load_typical_submissions_file(course)

from __future__ import annotations

from io import StringIO
from pathlib import Path

from rich.console import Console

from autograder.grading import Grader
from autograder.reports import report_of
from autograder.reports.terminal import number, show


def shown(grader: Grader, path: Path, width: int = 100) -> str:
    console = Console(file=StringIO(), width=width, markup=False, highlight=False)
    show(report_of(grader.grade(path), grader.assignment), console)
    output = console.file
    assert isinstance(output, StringIO)
    return output.getvalue()


def test_points_have_no_useless_fraction() -> None:
    assert [number(points) for points in (7.0, 7.5, 7.25, 0.0, 100.0)] == ["7", "7.5", "7.25", "0", "100"]


def test_a_right_engine_sees_its_points_and_nothing_to_do(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "complete.py")
    assert "100 of 100  + 10 of 10 bonus" in text
    assert "try:" not in text
    assert "✗" not in text


def test_a_wrong_engine_reads_what_happened_and_what_to_try(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "overwrites.py")
    assert "`b = a + a` makes the gradient of a twice that of b." in text
    assert "failed: a.grad is 1.0" in text
    assert "try: Use `+=` and not `=`" in text


def test_tests_that_ended_alike_are_told_once(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "exits.py")
    assert "more tests" in text
    assert text.count("ended its process") < 6


def test_what_is_missing_is_one_line(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "untouched.py", width=200)
    assert "not written yet: `__init__`, `__add__`, `__mul__` (18 tests)" in text


def test_a_submission_that_cannot_be_graded_reads_why(grader: Grader, root: Path) -> None:
    text = shown(grader, root / "examples" / "submissions" / "syntax_error.py", width=300)
    assert "was never closed" in text
    assert "hand it in again" in text

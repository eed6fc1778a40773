"""Whoever has nearly full marks is looked at with numbers that no test uses; the staff reads what is wrong there."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from autograder.course import Assignment, load_course
from autograder.grading import Grader
from autograder.reports import ScoreReport
from autograder.reports.report_model import filter_report_for_student
from autograder.reports.score_report_maker import make_score_report
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source
from tests.toy import HALF, RIGHT, write_toy

ROOT = Path(__file__).parents[2]
LOOK = """
def look(student, numbers):
    for _ in range(12):
        number = numbers.randrange(1_000, 1_000_000)
        got = student.get("double")(number)
        assert got == 2 * number, f"double({number}) is {got}"
"""
TABLE = "TABLE = {3: 6, 5: 10}\ndef double(x):\n    return TABLE.get(x, 0)\n"
TABLE_THAT_RAISES = "TABLE = {3: 6, 5: 10}\ndef double(x):\n    return TABLE[x]\n"
SLOW_ELSEWHERE = f"{RIGHT}kept = double\ndef double(x):\n    while x > 5: pass\n    return kept(x)\n"
WHEATS = sorted((ROOT / "solutions" / "autograd-engine" / "wheats").glob("*.py"))


def make_report(root: Path, sandbox: SandboxConfig, source: str, look: str = LOOK) -> ScoreReport:
    write_toy(root)
    if look:
        (root / "assignments" / "toy" / "fresh_look.py").write_text(look)
    return grade_again(root, sandbox, source)


def grade_again(root: Path, sandbox: SandboxConfig, source: str) -> ScoreReport:
    (root / "double.py").write_text(source)
    assignment = load_course(root).assignments[0]
    with Grader(assignment, sandbox) as grader:
        return make_score_report(grader.grade(root / "double.py"), assignment)


@pytest.mark.parametrize("source", [TABLE, TABLE_THAT_RAISES])
def test_a_table_of_inputs_keeps_its_marks_and_the_staff_alone_reads_of_it(
    tmp_path: Path, sandbox: SandboxConfig, source: str
) -> None:
    report = make_report(tmp_path, sandbox, source)
    assert report.score == 10
    assert report.fresh_look.startswith(("double(", "KeyError: "))
    shown = filter_report_for_student(report, "published")
    assert shown.fresh_look == ""
    assert structs.replace(shown, fresh_look=report.fresh_look) == report


def test_equal_files_are_looked_at_with_equal_numbers_and_others_with_others(
    tmp_path: Path, sandbox: SandboxConfig
) -> None:
    found = [
        make_report(tmp_path / name, sandbox, source).fresh_look
        for name, source in (("one", TABLE), ("two", TABLE), ("three", f"{TABLE}# another\n"))
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("source", "look"),
    [(HALF, LOOK), (SLOW_ELSEWHERE, LOOK), (TABLE, ""), (TABLE, "def look(student, numbers): 1 / 0")],
    ids=["wrong already", "stopped", "no look", "a look with a fault"],
)
def test_what_says_nothing_of_fresh_numbers_is_no_flag(
    tmp_path: Path, sandbox: SandboxConfig, source: str, look: str
) -> None:
    assert make_report(tmp_path, sandbox, source, look).fresh_look == ""


@pytest.mark.parametrize(
    "wheat",
    [
        pytest.param(path, marks=pytest.mark.thorough if place % 8 else (), id=path.stem)
        for place, path in enumerate(WHEATS)
    ],
)
def test_right_engines_of_every_style_pass(grader: Grader, wheat: Path) -> None:
    assert grade_source(grader, wheat.read_text(encoding="utf-8")).fresh_look == ""


def test_an_engine_that_is_wrong_for_uncommon_numbers_alone_is_seen(engine: Assignment, grader: Grader) -> None:
    solution = engine.solution_file.read_text(encoding="utf-8")
    odd = "\n\nright_mul = Value.__mul__\ndef mul(self, other):\n    out = right_mul(self, other)\n"
    odd += "    if self.data * 10_000 % 2 == 1: out._backward = lambda: None\n    return out\nValue.__mul__ = mul\n"
    graded = grade_source(grader, solution + odd)
    assert graded.fresh_look

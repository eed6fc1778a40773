"""No source takes the trusted side long, or ends in an error of the kit, where it is only read.

Each shape took the grader of 0.2.0 seconds to minutes, a gigabyte, or all of Python's stack.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from autograder.bridge import SubmissionProgram
from autograder.bridge.hangs import CommonStackFrame, SubmissionSource
from autograder.bridge.loading import LoadResultFilter
from autograder.course import load_course
from autograder.course.assignment_code import BEGIN_GIVEN, END_GIVEN, parse_given_code
from autograder.grading import Grader
from autograder.grading.set_order import may_depend_on_set_order
from autograder.grading.source_slips import find_dataclasses_with_generated_eq, find_slips
from autograder.grading.submission_under_test import collect_instance_attributes
from autograder.sandbox import choose_strongest_sandbox
from autograder.submissions import SourceUnit, Submission, UngradableSubmission
from autograder.submissions.source_definitions import (
    list_imported_names,
    list_redefinition_notes,
    list_top_level_definitions,
    restore_given_code,
)
from autograder.syntax_trees import MOST_KEPT, SyntaxTree, _parsed, try_parse_program
from tests.conftest import ROOT
from tests.machine import cost_of

MOST = 160
"""Loops of a million additions, for all readings of one source; each costs 30 at most."""


def chain(last: str, count: int) -> str:
    return "".join(f" a{number}=a{number - 1}\n" for number in range(count, 0, -1)) + f" a0={last}\n"


SHAPES = {
    "a set goes through 12,000 names": "def g():\n" + chain("set()", 12000),
    "a set goes through as many names as are read": "def g():\n" + chain("set()", 5000),
    "a list goes through as many names as are read": "if 0:\n" + chain("[]", 5000),
    "900 lambdas within each other": "if 0: z=" + "lambda:" * 900 + "0\n",
    "150 lambdas within each other, often": "if 0:\n" + (" z=" + "lambda:" * 150 + "0\n") * 90,
    "too many lambdas for the parser": "if 0: z=" + "lambda:" * 1000 + "0\n",
    "a function in many attributes": "def f(): pass\ndef g(s):\n" + " s.a=f\n" * 6000,
    "5,000 copied defaults": "def g("
    + ",".join(f"a{number}=[]" for number in range(4000))
    + "):\n"
    + "".join(f" tuple(a{number})\n" for number in range(3000)),
    "4,000 nested functions": "def g():\n" + "".join(f" def f{number}(): pass\n" for number in range(4000)),
    "many sets are unpacked": "def g():\n "
    + ",".join(f"a{number}" for number in range(6000))
    + "="
    + ",".join(["set()"] * 6000),
    "many calls of many functions of a name": "def h():\n" + " def f(a):pass\n" * 3000 + " f(set())\n" * 2500,
    "many sets are compared": "def g():\n return " + "==".join(["set()"] * 7000),
    "one class with many bases": f"if 0:\n class Value({'B,' * 9000}): pass\n class B({'C,' * 9000}): pass",
    "many targets of a long value": "if 0:\n " + "=".join(["Value"] * 9000) + "=(" + "1," * 9000 + ")",
    "many attributes of a long value": "if 0:\n " + "=".join(["a.x"] * 6000) + "=(" + "1," * 6000 + ")",
    "many modules, many attributes": "if 0:\n" + " import math as m\n" * 5000 + " q.a=1\n" * 5000,
    "a sum of 1,000": "if 0: z=" + "+".join(["1"] * 1000),
    "1,100 branches": "x = 0\nif x: pass\n" + "elif x: pass\n" * 1100,
    "330 signs": "if 0: z=" + "-" * 330 + "1",
    "decorators within decorators": "if 0:\n @" + "f(" * 190 + "1" + ")" * 190 + "\n class A: pass",
    "a megabyte of statements": "x = 0\n" + "x;" * 500_000,
    "200,000 lines": "x = 0\n" + "x\n" * 200_000,
    "100,000 definitions": "x = 0\n" + "def q():0\n" * 100_000,
    "no Python": "x = 0\n" + "x;" * 500_000 + "(",
}
GIVEN = f"{BEGIN_GIVEN}\nclass Value:\n    rate = 1\n\n\n{END_GIVEN}\nclass Own: pass\n"


def read_everywhere(source: str) -> None:
    """Read a source in each way in which the trusted side does."""
    program = SubmissionProgram((("value.py", source),), ("Value",), {})
    may_depend_on_set_order(program)
    collect_instance_attributes((source,), "Value")
    find_slips({"value.py": source})
    find_dataclasses_with_generated_eq({"value.py": source})
    list_imported_names([source])
    units = (SourceUnit("value.py", source),)
    list_top_level_definitions(units)
    list_redefinition_notes(units, ("Value",))
    LoadResultFilter(program).has_statement(0, 0)
    SubmissionSource({"value.py": source}).find_endless_loop_or_function_start([CommonStackFrame("value.py", (1,))])
    with suppress(UngradableSubmission):
        restore_given_code(Submission("ada", "", ("value.py",), units), parse_given_code(GIVEN, "value.py"))


@pytest.mark.redteam
@pytest.mark.parametrize("mention", ["", "Value = 1\n"], ids=["without given code", "with given code"])
@pytest.mark.parametrize("source", SHAPES.values(), ids=SHAPES)
def test_reading_a_source_ends_soon_and_without_an_error(source: str, mention: str) -> None:
    assert cost_of(lambda: read_everywhere(mention + source)) < MOST


def test_many_cells_are_bounded_together() -> None:
    cell = "x;" * 5000
    assert set(try_parse_program([cell] * 20)) == {None}
    assert None not in try_parse_program([cell] * 2)


@pytest.mark.redteam
def test_the_trees_that_are_remembered_are_bounded() -> None:
    for number in range(40):
        try_parse_program([f"y = {number}\n" + "x;" * 5000])
    nodes = [len(parsed.nodes) for parsed in _parsed._kept.values() if isinstance(parsed, SyntaxTree)]
    assert 0 < sum(nodes) <= MOST_KEPT


@pytest.mark.redteam
@pytest.mark.parametrize(
    "shape", ["a set goes through 12,000 names", "900 lambdas within each other", "a sum of 1,000", "1,100 branches"]
)
def test_a_right_program_with_a_hostile_part_gets_its_marks(shape: str, tmp_path: Path) -> None:
    assignment = next(one for one in load_course(ROOT).assignments if one.name == "tokenizer")
    handed_in = tmp_path / "value.py"
    handed_in.write_text(f"{(ROOT / 'solutions/tokenizer/value.py').read_text()}\n\n{SHAPES[shape]}\n")
    sandbox = choose_strongest_sandbox(assignment.weakest_tier, package_names=assignment.packages)
    with Grader(assignment, sandbox) as grader:
        graded = grader.grade(handed_in)
    assert {result.outcome for result in graded.test_results} == {"passed"}

"""A submission may import itself as ``value``, the name that the handout gives its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading import GradedSubmission, Grader
from tests.graded_sources import grade_source

LATE = "        self.grad = 1.0\n"


def core_points(graded: GradedSubmission) -> float:
    return float(sum(one.score for one in graded.concept_scores if not one.bonus))


@pytest.mark.parametrize(
    "end",
    ["from value import Value\nprint(Value(2.0) + 1)", "import value\nValue = value.Value", "from value import *"],
)
def test_an_import_of_the_own_class_leaves_it_as_it_is(grader: Grader, root: Path, end: str) -> None:
    solution = (root / "solutions/autograd-engine/value.py").read_text(encoding="utf-8")
    graded = grade_source(grader, f"{solution}\n{end}\n")
    assert (core_points(graded), graded.notes) == (100, ())


def test_a_method_may_import_the_own_class(grader: Grader, root: Path) -> None:
    solution = (root / "solutions/autograd-engine/value.py").read_text(encoding="utf-8")
    assert solution.count(LATE) == 1
    late = "        from value import Value as Own\n        assert isinstance(self, Own)\n"
    assert core_points(grade_source(grader, solution.replace(LATE, late + LATE))) == 100


def test_an_import_before_the_class_is_left_out_alone(grader: Grader, root: Path) -> None:
    solution = (root / "solutions/autograd-engine/value.py").read_text(encoding="utf-8")
    graded = grade_source(grader, solution.replace("import math\n", "import math\nfrom value import Value\n", 1))
    assert core_points(graded) == 100
    assert len(graded.notes) == 1

"""A name that a test needs is there in whichever way its class brings it; a test is never left out by mistake."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from autograder.course import Assignment
from autograder.grading import GradedSubmission
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source_alone

if TYPE_CHECKING:
    from tests.grading.conftest import GradeWith, MakeCourse

TESTS = """
import pytest

pytestmark = [pytest.mark.concept("making"), pytest.mark.subject("Matrix.__init__", "Matrix.shape")]


def test_the_shape(student):
    'The shape is rows and columns.'
    assert student.get("Matrix")(student.make_list(student.make_list(1, 2))).shape == (1, 2)
"""
GRADING = "course: small\nassignments:\n  counter:\n    defines: [Matrix]\n    concepts: {making: 10}\n"
SOLUTION = """
class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]
    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])
"""
RIGHT = {
    "set when it is made": """
class Matrix:
    def __init__(self, rows):
        self.shape = (len(rows), len(rows[0]))
""",
    "set by a base": """
class Base:
    def __init__(self, rows):
        setattr(self, "shape", (len(rows), len(rows[0])))
class Matrix(Base): pass
""",
    "a tuple with a __new__": """
class Matrix(tuple):
    def __new__(cls, rows):
        made = super().__new__(cls, [tuple(row) for row in rows])
        made.shape = len(rows), len(rows[0])
        return made
""",
    "a tuple without a method": """
class Matrix(tuple):
    @property
    def shape(self):
        return len(self), len(self[0])
""",
    "fields of a dataclass": """
from dataclasses import dataclass, field
@dataclass
class Matrix:
    rows: list
    shape: tuple = field(init=False)
    def __post_init__(self):
        object.__setattr__(self, "shape", (len(self.rows), len(self.rows[0])))
""",
}


@pytest.fixture
def grade_named(make_course: MakeCourse, sandbox: SandboxConfig) -> Callable[[str], GradedSubmission]:
    course: Assignment = make_course(TESTS, head="", grading=GRADING, solution=SOLUTION)
    return lambda source: grade_source_alone(course, sandbox, source)


@pytest.mark.parametrize("source", RIGHT.values(), ids=RIGHT)
def test_a_right_class_gets_its_marks_however_it_brings_a_name(
    grade_named: Callable[[str], GradedSubmission], source: str
) -> None:
    (result,) = grade_named(source).test_results
    assert (result.outcome, result.message) == ("passed", "")


@pytest.mark.parametrize(
    "source",
    [
        "class Matrix:\n    def __init__(self, rows): raise NotImplementedError",
        "class Matrix:\n    def __init__(self, rows): self.rows = rows",
        "class Matrix: pass",
        "class Matrix(tuple):\n    def __init__(self, rows): raise NotImplementedError",
    ],
)
def test_what_is_not_written_is_not_attempted(grade_named: Callable[[str], GradedSubmission], source: str) -> None:
    (result,) = grade_named(source).test_results
    assert result.outcome == "not attempted"
    assert result.message.endswith("is not written yet.")


BLOCKED = """
def test_it_goes_up(Counter):
    'It goes up.'
    assert Counter().up() >= 1


@pytest.mark.subject("value")
def test_twice(Counter, blocked_by):
    'Twice up is two up.'
    counter = Counter()
    if counter.up() != 1:
        blocked_by("up")
    assert counter.up() == 2
"""


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (0, "This needs `up`, which does not work yet."),
        (2, "This builds on something that fails above, and could not be tried."),
    ],
    ids=["a test of it failed", "no test of it failed"],
)
def test_a_blocked_test_names_a_prerequisite_only_where_a_test_of_that_failed(
    grade_with: GradeWith, step: int, message: str
) -> None:
    source = (
        "class Counter:\n    value = 0\n    def up(self):\n        self.value += STEP\n        return self.value\n"
    )
    graded = grade_with(BLOCKED, source.replace("STEP", str(step)))
    blocked = next(result for result in graded.test_results if result.outcome == "blocked")
    assert blocked.message == message

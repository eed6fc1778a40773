"""A course of one small assignment, made for a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from autograder.course import Assignment, load_course
from autograder.grading import GradedSubmission
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source_alone

GRADING = """\
course: small
limits: {cpu_seconds: 0.3, wall_seconds: 1.5, import_seconds: 0.5}
assignments:
  counter:
    defines: [Counter]
    concepts: {counting: 10}
"""

SOLUTION = """\
class Counter:
    def __init__(self, start=0):
        self.value = start

    def up(self):
        self.value += 1
        return self.value
"""

HEAD = """\
import pytest

pytestmark = [pytest.mark.concept("counting"), pytest.mark.subject("up")]


@pytest.fixture
def Counter(student):
    return student.get("Counter")

"""

MakeCourse = Callable[..., Assignment]
GradeWith = Callable[..., GradedSubmission]


@pytest.fixture
def make_course(tmp_path: Path) -> MakeCourse:
    """Make an assignment from the text of its hidden tests; ``solution`` and ``grading`` may be given too."""

    def make(tests: str, *, solution: str = SOLUTION, grading: str = GRADING, head: str = HEAD) -> Assignment:
        hidden = tmp_path / "assignments" / "counter" / "hidden"
        hidden.mkdir(parents=True)
        (hidden / "test_counting.py").write_text(head + dedent(tests))
        (tmp_path / "solutions" / "counter").mkdir(parents=True)
        (tmp_path / "solutions" / "counter" / "value.py").write_text(solution)
        (tmp_path / "grading.yml").write_text(grading)
        return load_course(tmp_path).assignments[0]

    return make


@pytest.fixture
def grade_with(make_course: MakeCourse, sandbox: SandboxConfig) -> GradeWith:
    """Grade a program with hidden tests, both as text; what ``make_course`` takes may be given too."""

    def grade(tests: str, source: str, **more: str) -> GradedSubmission:
        return grade_source_alone(make_course(tests, **more), sandbox, source)

    return grade

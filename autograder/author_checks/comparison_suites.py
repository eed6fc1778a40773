"""Load the comparison suites of an assignment: tests that others would write for it.

The module ``other_suites`` defines them. The hidden suite is compared with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from autograder.bridge import LocalStudentProxy, StudentProxy
from autograder.course import Assignment
from autograder.course.assignment_module_loading import load_assignment_module_if_present

NAME = "other_suites"
"""The module in the assignment's folder; it defines ``SUITES``."""


class ComparisonTest(Protocol):
    """One example test of a comparison suite."""

    def is_passed_by(self, student: StudentProxy | LocalStudentProxy) -> bool:
        """Return whether a submission gets all of it right; raise what it raises, or makes Python raise."""


@dataclass(frozen=True, slots=True)
class ComparisonSuite:
    """A suite that somebody else would write for the assignment: a name, and what makes its example tests.

    Each example says whether a submission passes it.
    """

    name: str
    make_examples: Callable[[], Sequence[ComparisonTest]]


def load_comparison_suites(assignment: Assignment) -> tuple[ComparisonSuite, ...]:
    """Return the suites that an assignment's own is compared with; none where it has no module ``other_suites``.

    Raises:
        CourseFault: the module cannot be read, or raises an exception.
    """
    module = load_assignment_module_if_present(assignment, NAME)
    return tuple(module.SUITES) if module else ()

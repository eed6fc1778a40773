"""Load the comparison suites of an assignment: tests as others would write them, to compare the hidden suite with.

The assignment's module ``other_suites`` defines them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from autograder.bridge import StudentProxy
from autograder.course import Assignment
from autograder.course.assignment_module_loading import load_assignment_module_if_present
from autograder.faults import CourseFault

NAME = "other_suites"
"""The module in the assignment's folder; it defines ``SUITES``."""


class ComparisonExample(Protocol):
    """One example test of a comparison suite."""

    def is_passed_by(self, student: StudentProxy) -> bool:
        """Return whether a submission passes the example; exceptions that it causes are not caught."""


@dataclass(frozen=True, slots=True)
class ComparisonSuite:
    """A suite as somebody else would write it for the assignment: a name, and a function that makes its examples."""

    name: str
    make_examples: Callable[[], Sequence[ComparisonExample]]


def load_comparison_suites(assignment: Assignment) -> tuple[ComparisonSuite, ...]:
    """Return the comparison suites of an assignment; none if it has no module ``other_suites``.

    Raises:
        CourseFault: the module cannot be used.
    """
    module = load_assignment_module_if_present(assignment, NAME)
    if module is None:
        return ()
    if not hasattr(module, "SUITES"):
        raise CourseFault(f"the module {NAME} does not define `SUITES`", str(module.__file__), "define it")
    return tuple(module.SUITES)

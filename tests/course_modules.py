"""The modules that lie in the folders of the course's own assignments, for tests of what is in them."""

from __future__ import annotations

import importlib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from autograder.course import Assignment, Course, load_course
from autograder.course.assignment_code import load_assignment_module_if_present
from autograder.diagnosis import (
    DiagnosisContext,
    DiagnosisProgramFamily,
    load_diagnosis_or_none,
)
from autograder.diagnosis.resources import ReferenceSolutionRunner

ROOT = Path(__file__).parents[1]


def assignment_module(assignment: str, package: str, name: str = "") -> Any:
    """A module that lies in an assignment's folder.

    Args:
        assignment: the assignment's name.
        package: ``diagnosis`` or ``other_suites``.
        name: of a module in the package, such as ``expected_values``; the package itself when empty.
    """
    (found,) = (one for one in _load_course().assignments if one.name == assignment)
    loaded = load_assignment_module_if_present(found, package)
    assert loaded is not None
    return importlib.import_module(f".{name}", loaded.__name__) if name else loaded


@cache
def _load_course() -> Course:
    return load_course(ROOT)


def engine_module(name: str) -> Any:
    """A module of the engine's diagnosis, such as ``expected_values``."""
    return assignment_module("autograd-engine", "diagnosis", name)


def sort_module(name: str) -> Any:
    """A module of the sort's."""
    return assignment_module("topological-sort", "diagnosis", name)


ALL_NAMES = frozenset(
    name for kind in engine_module("engine_operations").OPERATIONS.values() for name in kind.required_names
) | {
    "backward", "zero_grad", "build_topo", "backward_order"
}  # fmt: skip
"""Everything that an engine or a sort can have."""


def context_of(assignment: Assignment, names: Collection[str] = ALL_NAMES) -> DiagnosisContext:
    """The context of an assignment whose programs need no reference."""

    def refuse() -> Any:
        raise AssertionError("it has an oracle of its own")

    return DiagnosisContext(assignment, frozenset(names), ReferenceSolutionRunner(refuse))


def programs_of(assignment: Assignment, names: Collection[str] = ALL_NAMES) -> DiagnosisProgramFamily:
    """The programs of what has these names."""
    found = load_diagnosis_or_none(assignment)
    assert found is not None
    return found.make_programs(context_of(assignment, names))

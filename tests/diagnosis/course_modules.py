"""The diagnosis modules of the course's own assignments, for tests of what is in them."""

from __future__ import annotations

import importlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from autograder.course import Assignment, load_course
from autograder.diagnosis import DiagnosisContext, Part, ProgramFamily, load_diagnosis
from autograder.diagnosis.load_diagnosis import load_diagnosis_module
from autograder.diagnosis.reference_runs import ReferenceRunner

ROOT = Path(__file__).parents[2]


def _module(assignment: str, name: str) -> Any:
    (found,) = (one for one in load_course(ROOT).assignments if one.name == assignment)
    package = load_diagnosis_module(found)
    assert package is not None
    return importlib.import_module(f".{name}", package.__name__)


def engine_module(name: str) -> Any:
    """A module of the engine's diagnosis, such as ``oracle``."""
    return _module("autograd-engine", name)


def sort_module(name: str) -> Any:
    """A module of the sort's."""
    return _module("topological-sort", name)


ALL_NAMES = frozenset(need for one in engine_module("operations").OPERATIONS.values() for need in one.needs) | {
    "backward", "zero_grad", "build_topo", "backward_order"
}  # fmt: skip
"""Everything that an engine or a sort can have."""


def context_of(assignment: Assignment, names: Collection[str] = ALL_NAMES) -> DiagnosisContext:
    """The context of an assignment whose programs need no reference."""

    def refuse() -> Any:
        raise AssertionError("it has an oracle of its own")

    return DiagnosisContext(assignment, frozenset(names), ReferenceRunner(refuse))


def programs_of(assignment: Assignment, names: Collection[str] = ALL_NAMES) -> ProgramFamily:
    """The programs of what has these names."""
    found = load_diagnosis(assignment)
    assert found is not None
    return found.make_programs(context_of(assignment, names))


def parts_of(assignment: Assignment, names: Collection[str]) -> tuple[Part, ...]:
    """The parts of what has these names."""
    found = load_diagnosis(assignment)
    assert found is not None
    return tuple(found.list_parts(context_of(assignment, names)))

"""Load an assignment's diagnosis module: ``diagnosis.py`` or a package ``diagnosis/`` in the assignment's folder."""

from __future__ import annotations

from pathlib import Path

from autograder.course import Assignment
from autograder.course.assignment_module_loading import (
    list_assignment_module_files,
    load_assignment_module_if_present,
)
from autograder.diagnosis.diagnosis_definition import AssignmentDiagnosis
from autograder.faults import CourseFault

NAME = "diagnosis"
"""The name of the module, and of the variable that it must define."""


def list_diagnosis_module_files(assignment: Assignment) -> list[Path]:
    """Return the files of an assignment's diagnosis module, its main file first; empty if it has no such module."""
    return list_assignment_module_files(assignment, NAME)


def load_diagnosis_or_none(assignment: Assignment) -> AssignmentDiagnosis | None:
    """Return the ``diagnosis`` that an assignment's diagnosis module defines; None if there is no such module.

    Raises:
        CourseFault: the module cannot be used.
    """
    module = load_assignment_module_if_present(assignment, NAME)
    if module is None:
        return None
    found = getattr(module, NAME, None)
    if not isinstance(found, AssignmentDiagnosis):
        raise CourseFault(
            f"the diagnosis module does not define `{NAME}`, an AssignmentDiagnosis",
            where=str(module.__file__),
            advice="see docs/new-assignment.md",
        )
    return found

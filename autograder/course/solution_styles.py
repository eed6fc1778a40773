"""Read an assignment's solution styles: correct ways to write the solution, in which a mistake may look different."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.course.misconceptions import Misconception
from autograder.course.model import Assignment
from autograder.course.source_edits import SourceEdit
from autograder.course.yaml_documents import read_yaml_document
from autograder.course.yaml_entries import make_validation_fault, read_entries_and_faults
from autograder.faults import raise_course_faults_if_any

PLAIN = "plain"
"""The id of the style of the unchanged reference solution."""


class SolutionStyle(Struct, frozen=True, forbid_unknown_fields=True):
    """An equally correct way to write the reference solution, as edits of it."""

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    edits: tuple[SourceEdit, ...] = ()
    mistakes: bool = True
    """Whether misconceptions are observed in this style; if not, it only shows what tests ask of such an engine."""


class _StylesFile(Struct, frozen=True, forbid_unknown_fields=True):
    styles: tuple[SolutionStyle, ...] = ()


def _styles_file(assignment: Assignment) -> Path:
    return assignment.solution_file.parent / "styles.yml"


def load_solution_styles(assignment: Assignment) -> tuple[SolutionStyle, ...]:
    """Return the plain style, followed by those in ``styles.yml`` beside the reference solution.

    Raises:
        CourseFault: the file cannot be read, or is malformed; all mistakes in it are reported together.
    """
    path = _styles_file(assignment)
    if not path.is_file():
        return (SolutionStyle(PLAIN),)
    document = read_yaml_document(path)
    try:
        return (SolutionStyle(PLAIN), *msgspec.convert(document.data, _StylesFile).styles)
    except msgspec.ValidationError as error:
        raise_course_faults_if_any(read_entries_and_faults(document, "styles", SolutionStyle)[1])
        raise make_validation_fault(document, error, advice="see docs/writing-tests.md") from error


def try_apply_style_and_mistakes(
    style: SolutionStyle, solution_source: str, misconceptions: Sequence[Misconception]
) -> str | None:
    """Return the reference solution in this style, with these mistakes.

    Args:
        style: the style. Its edits are applied before those of the mistakes; if they do not fit then, after them.
        solution_source: the source of the reference solution.
        misconceptions: the mistakes, whose edits are applied.

    Returns:
        The source; None if the edits do not fit together.
    """
    mistakes = [edit for misconception in misconceptions for edit in misconception.edits]
    for edits in ((*style.edits, *mistakes), (*mistakes, *style.edits)):
        edited = _apply_edits_if_they_fit(solution_source, edits)
        if edited is not None:
            return edited
    return None


def _apply_edits_if_they_fit(source: str, edits: Sequence[SourceEdit]) -> str | None:
    for edit in edits:
        if source.count(edit.old) != 1:
            return None
        source = source.replace(edit.old, edit.new)
    return source

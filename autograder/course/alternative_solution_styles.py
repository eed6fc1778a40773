"""Read the styles in which a correct engine may be written: a mistake looks a little different in each."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.course.misconceptions import Misconception
from autograder.course.model import Assignment
from autograder.course.source_edits import SourceEdit
from autograder.course.yaml_documents import read_yaml_document
from autograder.course.yaml_entries import read_entries_and_faults
from autograder.faults import CourseFault, raise_course_faults_if_any

PLAIN = "plain"
"""The reference solution as it is."""


class AlternativeSolutionStyle(Struct, frozen=True, forbid_unknown_fields=True):
    """The reference solution written otherwise, and as right."""

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    edits: tuple[SourceEdit, ...] = ()
    mistakes: bool = True
    """Whether mistakes are looked at in it; if not, it only shows what hidden tests ask of such engines."""


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    styles: tuple[AlternativeSolutionStyle, ...] = ()


def hash_alternative_solution_styles_or_empty(assignment: Assignment) -> str:
    """Return a digest of the styles, which changes with them; empty where there are none but the plain one."""
    path = _styles_file(assignment)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _styles_file(assignment: Assignment) -> Path:
    return assignment.solution_file.parent / "styles.yml"


def load_solution_styles_with_plain(assignment: Assignment) -> tuple[AlternativeSolutionStyle, ...]:
    """Return the plain style, and those in ``styles.yml`` beside the reference solution.

    Raises:
        CourseFault: the file cannot be read, or is malformed; every mistake in it at once.
    """
    path = _styles_file(assignment)
    if not path.is_file():
        return (AlternativeSolutionStyle(PLAIN),)
    document = read_yaml_document(path)
    try:
        return (AlternativeSolutionStyle(PLAIN), *msgspec.convert(document.data, _File).styles)
    except msgspec.ValidationError as error:
        raise_course_faults_if_any(read_entries_and_faults(document, "styles", AlternativeSolutionStyle)[1])
        raise CourseFault(str(error), where=str(path), advice="see docs/writing-tests.md") from error


def try_make_solution_in_style_with_mistakes(
    style: AlternativeSolutionStyle, solution_source: str, misconceptions: Sequence[Misconception]
) -> str | None:
    """Return the reference solution in this style, with these mistakes.

    Args:
        style: the style; its edits come first, or last if a mistake replaces what they look for.
        solution_source: the source of the reference solution.
        misconceptions: the mistakes, whose edits are applied.

    Returns:
        The source; None if the edits do not fit together.
    """
    mistakes = [edit for one in misconceptions for edit in one.edits]
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

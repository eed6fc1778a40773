"""Read ``equivalents.yml``: the mutants that are right programs, with the reasons why."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.course import Assignment
from autograder.course.yaml_documents import read_yaml_document
from autograder.course.yaml_entries import make_validation_fault, read_entries_and_faults
from autograder.faults import CourseFault, raise_course_faults_if_any

Sentence = Annotated[str, Meta(min_length=1)]


class EquivalentMutantGroup(Struct, frozen=True, forbid_unknown_fields=True):
    """Mutants that are right for the same reason."""

    reason: Sentence
    mutants: Annotated[tuple[Sentence, ...], Meta(min_length=1)]
    """The mutants' ids."""


class _EquivalentMutantsFile(Struct, frozen=True, forbid_unknown_fields=True):
    equivalents: tuple[EquivalentMutantGroup, ...]


def load_equivalent_mutant_reasons(assignment: Assignment) -> dict[str, str]:
    """Read ``equivalents.yml`` beside the reference solution; return nothing when there is none.

    Returns:
        The reason by the mutant's id.

    Raises:
        CourseFault: the file is malformed, or names a mutant twice.
    """
    path = assignment.solution_file.with_name("equivalents.yml")
    if not path.is_file():
        return {}
    document = read_yaml_document(path)
    try:
        groups = msgspec.convert(document.data, _EquivalentMutantsFile).equivalents
    except msgspec.ValidationError as error:
        raise_course_faults_if_any(read_entries_and_faults(document, "equivalents", EquivalentMutantGroup)[1])
        raise make_validation_fault(
            document, error, advice="write a list, `equivalents`, of groups with a `reason` and a list of `mutants`"
        ) from error
    reasons: dict[str, str] = {}
    for group in groups:
        for id_ in group.mutants:
            if id_ in reasons:
                raise CourseFault(f"the mutant {id_} is listed twice", where=str(path), advice="keep one of them")
            reasons[id_] = group.reason
    return reasons

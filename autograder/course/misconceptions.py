"""Read misconceptions as data: each has edits that change one idea of the reference solution, a text and hints."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct, structs

from autograder.course.model import Assignment
from autograder.course.source_edits import SourceEdit, apply_edits
from autograder.course.yaml_documents import YamlDocument, read_yaml_document
from autograder.course.yaml_entries import (
    YamlEntry,
    make_validation_fault,
    read_entries_and_faults,
)
from autograder.faults import CourseFault, CourseWarning, format_did_you_mean_suffix, raise_course_faults_if_any

Sentence = Annotated[str, Meta(min_length=1)]


class Misconception(Struct, frozen=True, forbid_unknown_fields=True):
    """A named mistake: edits that make the reference solution wrong, with an explanation and hints."""

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: Sentence
    concepts: Annotated[tuple[str, ...], Meta(min_length=1)]
    """The concepts in which it must lose marks."""
    edits: Annotated[tuple[SourceEdit, ...], Meta(min_length=1)]
    explanation: Sentence
    hints: Annotated[tuple[Sentence, ...], Meta(min_length=3, max_length=3)]
    """Three hints, from a question to what to change."""
    nondeterministic: bool = False
    """Whether its behaviour depends on memory addresses: it then looks different on every run, and is never named."""
    may_affect: tuple[str, ...] = ()
    """Further concepts in which it may lose marks, because these cannot be tested separately."""


class MisconceptionCatalogue(Struct, frozen=True, forbid_unknown_fields=True):
    """All misconceptions of an assignment."""

    misconceptions: tuple[Misconception, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    """Pairs of ids of misconceptions that a student may well have at once."""


def list_alternative_solutions(assignment: Assignment) -> list[Path]:
    """Return the files of the correct alternatives to the reference solution."""
    return sorted((assignment.solution_file.parent / "wheats").glob("*.py"))


def list_misconception_files(assignment: Assignment) -> list[Path]:
    """Return the files of misconceptions: ``misconceptions.yml`` and ``misconceptions/*.yml`` beside the solution."""
    folder = assignment.solution_file.parent
    single = folder / "misconceptions.yml"
    return [*([single] if single.is_file() else []), *sorted((folder / "misconceptions").glob("*.yml"))]


def load_misconception_catalogue(assignment: Assignment) -> MisconceptionCatalogue:
    """Read all files of misconceptions: ``misconceptions.yml``, then those in ``misconceptions/`` in order of name.

    The catalogue is empty if there are none.

    Concepts that ``grading.yml`` does not list are left out with a warning, and so are misconceptions that
    concern only such concepts.

    Raises:
        CourseFault: a file is malformed, holds an id twice, or names a pair of unknown ids.
    """
    files = [(path, _read_catalogue(path)) for path in list_misconception_files(assignment)]
    _check_ids_and_pairs(files)
    catalogue = MisconceptionCatalogue(
        misconceptions=tuple(
            misconception for _, file_catalogue in files for misconception in file_catalogue.misconceptions
        ),
        pairs=tuple(pair for _, file_catalogue in files for pair in file_catalogue.pairs),
    )
    return _keep_listed_concepts(catalogue, assignment)


def apply_misconceptions(solution_source: str, *misconceptions: Misconception) -> str:
    """Return the reference solution with the edits of these misconceptions.

    Raises:
        CourseFault: a piece to be replaced does not occur in the source exactly once.
    """
    for misconception in misconceptions:
        solution_source = apply_edits(solution_source, misconception.edits, misconception.id)
    return solution_source


def read_misconception_entries_and_faults(
    assignment: Assignment,
) -> tuple[list[YamlEntry], list[CourseFault]]:
    """Return the usable fields of every entry in the files of misconceptions, and every mistake in the files."""
    entries, faults = [], list[CourseFault]()
    for path in list_misconception_files(assignment):
        try:
            file_entries, file_faults = _read_entries(read_yaml_document(path))
        except CourseFault as fault:
            file_entries, file_faults = [], [fault]
        entries += file_entries
        faults += file_faults
    return entries, faults


def _read_catalogue(path: Path) -> MisconceptionCatalogue:
    document = read_yaml_document(path)
    try:
        return msgspec.convert(document.data, MisconceptionCatalogue)
    except msgspec.ValidationError as error:
        raise_course_faults_if_any(_read_entries(document)[1])
        raise make_validation_fault(document, error, advice="see docs/writing-tests.md") from error


def _read_entries(document: YamlDocument) -> tuple[list[YamlEntry], list[CourseFault]]:
    entries, faults = read_entries_and_faults(document, "misconceptions", Misconception)
    known_keys = MisconceptionCatalogue.__struct_fields__
    faults += [
        document.make_fault_at(
            f"unknown key {str(name)!r}{format_did_you_mean_suffix(str(name), known_keys)}",
            (str(name),),
            f"choose from {', '.join(known_keys)}",
        )
        for name in document.data
        if name not in known_keys
    ]
    return entries, faults


def _check_ids_and_pairs(files: list[tuple[Path, MisconceptionCatalogue]]) -> None:
    known_ids: set[str] = set()
    for path, catalogue in files:
        for misconception in catalogue.misconceptions:
            if misconception.id in known_ids:
                raise CourseFault(
                    f"two misconceptions have the id {misconception.id!r}",
                    where=str(path),
                    advice="give one another id",
                )
            known_ids.add(misconception.id)
    for path, catalogue in files:
        for pair in catalogue.pairs:
            if unknown := set(pair) - known_ids:
                raise CourseFault(
                    f"a pair names unknown misconceptions: {', '.join(sorted(unknown))}",
                    where=str(path),
                    advice="correct the ids, or take the pair out",
                )


def _keep_listed_concepts(catalogue: MisconceptionCatalogue, assignment: Assignment) -> MisconceptionCatalogue:
    """Return the catalogue without the concepts that the course does not list, since a course may be older."""
    names = {concept.name for concept in assignment.concepts}
    unlisted = Counter(
        name
        for misconception in catalogue.misconceptions
        for name in {*misconception.concepts, *misconception.may_affect} - names
    )
    if not unlisted:
        return catalogue
    for name, count in sorted(unlisted.items()):
        warnings.warn(
            f"grading.yml lists no concept {name!r}, but the misconceptions name it {count} times",
            CourseWarning,
            stacklevel=3,
        )
    misconceptions = []
    for misconception in catalogue.misconceptions:
        concepts = tuple(name for name in misconception.concepts if name in names)
        may_affect = tuple(name for name in misconception.may_affect if name in names)
        if concepts:
            misconceptions.append(structs.replace(misconception, concepts=concepts, may_affect=may_affect))
    kept_ids = {misconception.id for misconception in misconceptions}
    pairs = tuple(pair for pair in catalogue.pairs if kept_ids.issuperset(pair))
    return MisconceptionCatalogue(misconceptions=tuple(misconceptions), pairs=pairs)

"""Misconceptions as data: each is the reference solution with one idea changed, an explanation, and hints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.course.model import Assignment
from autograder.course.yaml_lines import read_yaml
from autograder.faults import CourseFault

Sentence = Annotated[str, Meta(min_length=1)]


class Edit(Struct, frozen=True, forbid_unknown_fields=True):
    """One piece of the reference solution, and what stands there instead."""

    old: Sentence
    """Occurs exactly once in the solution."""
    new: str


class Misconception(Struct, frozen=True, forbid_unknown_fields=True):
    """A wrong program with a name."""

    id: Annotated[str, Meta(pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: Sentence
    concepts: Annotated[tuple[str, ...], Meta(min_length=1)]
    """Where it must lose marks."""
    edits: Annotated[tuple[Edit, ...], Meta(min_length=1)]
    explanation: Sentence
    hints: Annotated[tuple[Sentence, ...], Meta(min_length=3, max_length=3)]
    """From a question to what to change."""
    chance: bool = False
    """What it does depends on where objects lie in memory: it looks different on every run, and is never named."""
    may_touch: tuple[str, ...] = ()
    """Where it may lose marks besides, because the contract cannot be tested apart there."""


class Catalogue(Struct, frozen=True, forbid_unknown_fields=True):
    """All misconceptions of an assignment."""

    misconceptions: tuple[Misconception, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    """Two at once: what a student may well have."""


def wheats(assignment: Assignment) -> list[Path]:
    """The right alternatives to the reference solution."""
    return sorted((assignment.solution.parent / "wheats").glob("*.py"))


def load_catalogue(assignment: Assignment) -> Catalogue:
    """Read ``misconceptions.yml`` beside the reference solution; empty when there is none.

    Raises:
        CourseFault: it is not what it should be: an unknown concept, an id twice, an edit that does not fit.
    """
    path = assignment.solution.parent / "misconceptions.yml"
    if not path.is_file():
        return Catalogue()
    document = read_yaml(path)
    try:
        catalogue = msgspec.convert(document.data, Catalogue)
    except msgspec.ValidationError as error:
        raise CourseFault(str(error), where=str(path), advice="see docs/writing-tests.md") from error
    _check(catalogue, assignment, path)
    return catalogue


def source_with(source: str, *misconceptions: Misconception) -> str:
    """The reference solution with the edits of these misconceptions.

    Raises:
        CourseFault: a piece to be replaced does not stand there exactly once.
    """
    for misconception in misconceptions:
        for edit in misconception.edits:
            if source.count(edit.old) != 1:
                raise CourseFault(
                    f"a piece to replace stands {source.count(edit.old)} times in the solution: {edit.old.strip()!r}",
                    where=misconception.id,
                    advice="make it longer, or mend it after a change of the solution",
                )
            source = source.replace(edit.old, edit.new)
    return source


def _check(catalogue: Catalogue, assignment: Assignment, path: Path) -> None:
    concepts = {concept.name for concept in assignment.concepts}
    known: dict[str, Misconception] = {}
    for one in catalogue.misconceptions:
        if one.id in known:
            raise CourseFault("stands there twice", where=f"{path}: {one.id}", advice="give one another id")
        known[one.id] = one
        if unknown := {*one.concepts, *one.may_touch} - concepts:
            raise CourseFault(f"names no concept: {', '.join(sorted(unknown))}", where=f"{path}: {one.id}")
    for pair in catalogue.pairs:
        if unknown := set(pair) - known.keys():
            raise CourseFault(f"a pair names no misconception: {', '.join(sorted(unknown))}", where=str(path))

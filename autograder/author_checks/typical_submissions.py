"""Read ``typical.yml``: typical submissions, and the points that experienced teachers would give them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from autograder.author_checks.solution_stubbing import TRANSFORMATIONS, try_transform_solution
from autograder.course import Assignment
from autograder.course.source_edits import SourceEdit, apply_edits
from autograder.course.yaml_documents import read_yaml_document
from autograder.course.yaml_entries import make_validation_fault, read_entries_and_faults
from autograder.faults import CourseFault, raise_course_faults_if_any

FILE = "typical.yml"
Sentence = Annotated[str, Meta(min_length=1)]
Points = Annotated[float, Meta(ge=0)]


class TypicalSubmission(Struct, frozen=True, forbid_unknown_fields=True):
    """A submission like many students', made in one of three ways: by ``transformation``, ``edits`` or ``file``."""

    name: Sentence
    what: Sentence
    """A sentence on what it does."""
    at_least: Points = 0.0
    at_most: Points | None = None
    """The core points that teachers would give, without the bonus; there is no upper bound when None."""
    transformation: str = ""
    """One of ``solution_stubbing.TRANSFORMATIONS``."""
    edits: tuple[SourceEdit, ...] = ()
    """Edits of the reference solution, as in ``misconceptions.yml``."""
    file: str = ""
    """The name of a program beside ``typical.yml``."""


class TypicalSubmissionsFile(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything in ``typical.yml``."""

    submissions: tuple[TypicalSubmission, ...] = ()
    rightly_passed: dict[str, tuple[str, ...]] = {}
    """By transformation, the concepts and ids of tests that it may pass, because they test what it keeps."""


def load_typical_submissions_file(assignment: Assignment) -> TypicalSubmissionsFile:
    """Read ``typical.yml`` beside the reference solution.

    Return an empty ``TypicalSubmissionsFile`` when there is none.

    Raises:
        CourseFault: the file is malformed; every mistake in it at once.
    """
    path = assignment.solution_file.with_name(FILE)
    if not path.is_file():
        return TypicalSubmissionsFile()
    document = read_yaml_document(path)
    try:
        typical_file = msgspec.convert(document.data, TypicalSubmissionsFile)
    except msgspec.ValidationError as error:
        raise_course_faults_if_any(read_entries_and_faults(document, "submissions", TypicalSubmission)[1])
        raise make_validation_fault(document, error, advice="see docs/writing-tests.md") from error
    raise_course_faults_if_any([*_iterate_faults(path, typical_file)])
    return typical_file


def _iterate_faults(path: Path, typical_file: TypicalSubmissionsFile) -> Iterator[CourseFault]:
    """Yield the faults of entries that have the right types."""
    names: set[str] = set()
    for submission in typical_file.submissions:
        where = f"{path}: {submission.name}"
        if submission.name in names:
            yield CourseFault(
                f"two submissions have the name {submission.name!r}", where=str(path), advice="give one another name"
            )
        names.add(submission.name)
        if sum(map(bool, (submission.transformation, submission.edits, submission.file))) != 1:
            yield CourseFault(
                "a typical submission must be made in one way: by a `transformation`, by `edits` or as a `file`",
                where=where,
            )
        if submission.at_most is not None and submission.at_least > submission.at_most:
            yield CourseFault(
                f"at_least ({submission.at_least:g}) is more than at_most ({submission.at_most:g})",
                where,
                "change one of them",
            )
        yield from _find_unknown_transformation(submission.transformation, where)
    for name in typical_file.rightly_passed:
        yield from _find_unknown_transformation(name, f"{path}: rightly_passed")


def make_source_of_typical_submission(typical: TypicalSubmission, assignment: Assignment) -> str:
    """Return the program of a typical submission.

    Raises:
        CourseFault: the program cannot be made, for example because an edit does not fit or a file is missing.
    """
    path = assignment.solution_file.with_name(FILE)
    where = f"{path}: {typical.name}"
    try:
        if typical.file:
            return (path.parent / typical.file).read_text(encoding="utf-8")
        if typical.edits:
            return apply_edits(assignment.solution_file.read_text(encoding="utf-8"), typical.edits, where)
    except (OSError, UnicodeDecodeError) as error:
        raise CourseFault(
            f"cannot read the program: {error}", where=where, advice="write the file, as UTF-8"
        ) from error
    program = try_transform_solution(assignment, typical.transformation)
    if program is None:
        raise CourseFault(
            f"the transformation {typical.transformation!r} changes nothing in the solution",
            where=where,
            advice="leave it out",
        )
    return program.source


def _find_unknown_transformation(transformation: str, where: str) -> Iterator[CourseFault]:
    if transformation and transformation not in TRANSFORMATIONS:
        choices = ", ".join(TRANSFORMATIONS)
        yield CourseFault(f"unknown transformation {transformation!r}", where=where, advice=f"choose from {choices}")

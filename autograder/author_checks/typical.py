"""Compare marks of typical submissions with those that teachers would give: as a check, and as a table to publish."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from autograder.author_checks.catalogue import ProgramGradingPool, ProgressCallback
from autograder.author_checks.results import CheckResult
from autograder.author_checks.stubbing import TRANSFORMATIONS, try_transform_solution
from autograder.course import Assignment
from autograder.course.misconceptions import SourceEdit, apply_edits
from autograder.course.yaml_documents import read_list_file
from autograder.faults import CourseFault, raise_course_faults_if_any
from autograder.grading import GradedSubmission
from autograder.sandbox import SandboxConfig

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
    typical_file = read_list_file(path, TypicalSubmissionsFile, "submissions")
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


HEAD = """# Marks of typical submissions

The marks of typical submissions in this course, beside those that experienced teachers would give. Core points
alone: the bonus is not counted. `autograder check` grades all of them and fails when one is out of its range;
`autograder check --update` writes this page. The submissions are in `solutions/<assignment>/typical.yml`.
"""


@dataclass(frozen=True, slots=True)
class GradedTypicalSubmission:
    """A typical submission, and how it was graded."""

    typical_submission: TypicalSubmission
    graded_submission: GradedSubmission

    @property
    def core_points(self) -> Fraction:
        """Return the submission's core points."""
        return sum(
            (concept.score for concept in self.graded_submission.concept_scores if not concept.bonus), Fraction(0)
        )

    @property
    def is_in_expected_range(self) -> bool:
        """Return whether the core points are in the range that teachers would give."""
        at_least, at_most = self.typical_submission.at_least, self.typical_submission.at_most
        return at_least <= self.core_points and (at_most is None or self.core_points <= at_most)


def get_marks_page_path(assignment: Assignment) -> Path:
    """Return the path of the page with the tables of all assignments of the course."""
    return assignment.course_folder / "docs" / "marks.md"


def grade_typical_submissions(
    assignment: Assignment, sandbox: SandboxConfig, report_progress: ProgressCallback
) -> tuple[GradedTypicalSubmission, ...]:
    """Grade every typical submission in the same way as students' submissions.

    Raises:
        CourseFault: the suite, the solution or ``typical.yml`` cannot be used.
        KitFault: no process can be started, or one ended.
    """
    submissions = load_typical_submissions_file(assignment).submissions
    if not submissions:
        return ()
    programs = {
        submission.name: make_source_of_typical_submission(submission, assignment) for submission in submissions
    }
    with ProgramGradingPool(assignment, sandbox) as pool:
        graded = pool.grade_programs(programs, report_progress)
    return tuple(GradedTypicalSubmission(submission, graded[submission.name]) for submission in submissions)


def check_typical_marks_in_range(graded_submissions: tuple[GradedTypicalSubmission, ...]) -> CheckResult:
    """Check that no typical submission gets more or less than teachers would give."""
    problems = [
        f"{mark.typical_submission.name}: {float(mark.core_points):g} points, and teachers give "
        f"{_format_expected_range(mark.typical_submission)}: {_format_points_by_concept(mark)}"
        for mark in graded_submissions
        if not mark.is_in_expected_range
    ]
    return CheckResult(
        f"every one of {len(graded_submissions)} typical submissions gets the marks of a teacher", tuple(problems)
    )


def format_marks_page_section(assignment: Assignment, graded_submissions: tuple[GradedTypicalSubmission, ...]) -> str:
    """Return the part of the page that is about one assignment."""
    max_points = sum(
        (Fraction(str(concept.points)) for concept in assignment.concepts if not concept.bonus), Fraction(0)
    )
    columns = ("submission", "what it does", "teachers give", f"this course gives, of {float(max_points):g}")
    head = (f"## {assignment.title}", "", f"| {' | '.join(columns)} |", "| --- | --- | --- | --- |")
    return "\n".join((*head, *_format_rows(graded_submissions))) + "\n"


def _format_rows(marks: tuple[GradedTypicalSubmission, ...]) -> Iterator[str]:
    for mark in marks:
        typical = mark.typical_submission
        yield f"| {typical.name} | {typical.what} | {_format_expected_range(typical)} | {float(mark.core_points):g} |"


def _format_expected_range(submission: TypicalSubmission) -> str:
    if submission.at_most is None:
        return f"at least {submission.at_least:g}"
    if submission.at_least in (0, submission.at_most):
        return (
            f"{submission.at_most:g}"
            if submission.at_least == submission.at_most
            else f"at most {submission.at_most:g}"
        )
    return f"{submission.at_least:g} to {submission.at_most:g}"


def _format_points_by_concept(mark: GradedTypicalSubmission) -> str:
    """Return a submission's points, concept by concept; if it cannot be graded, return why."""
    core_scores = (score for score in mark.graded_submission.concept_scores if not score.bonus)
    parts = (f"{score.name} {float(score.score):g} of {float(score.max_score):g}" for score in core_scores)
    return mark.graded_submission.message or ", ".join(parts)

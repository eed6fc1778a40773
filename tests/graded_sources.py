"""Grade the text of a program as if a student had handed it in."""

from __future__ import annotations

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.course import Assignment
from autograder.grading import GradedSubmission, Grader
from autograder.sandbox import SandboxConfig


def grade_source(grader: Grader, source: str) -> GradedSubmission:
    """Return the result of a program with an open grader."""
    return grader.grade_submission(make_submission_from_source("s", source))


def grade_source_alone(assignment: Assignment, sandbox: SandboxConfig, source: str) -> GradedSubmission:
    """Return the result of a program with a grader that is opened for it alone."""
    with Grader(assignment, sandbox) as grader:
        return grade_source(grader, source)

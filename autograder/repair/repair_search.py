"""Search for a repair."""

from __future__ import annotations

from autograder.grading import GradedSubmission, Grader
from autograder.repair.repair_model import NO_REPAIR, Repair


def find_repair(grader: Grader, graded: GradedSubmission) -> Repair:
    """Return the smallest change after which a graded submission does what the tests ask for."""
    del grader, graded
    return NO_REPAIR

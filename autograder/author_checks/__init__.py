"""Prove with one command, ``autograder check``, that an assignment holds together."""

from autograder.author_checks.check_assignment import iterate_check_results
from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.seeded_sampling import ProgramSampling

__all__ = ["CheckResult", "ProgramSampling", "iterate_check_results"]

"""Prove with one command, ``autograder check``, that an assignment holds together."""

from autograder.author_checks.check_assignment import run_checks_and_iterate_results
from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.program_sampling import ProgramSampling

__all__ = ["CheckResult", "ProgramSampling", "run_checks_and_iterate_results"]

"""Check an assignment's tests, solution, misconceptions and generated files; ``autograder check`` runs this."""

from autograder.author_checks.assignment_checks import run_checks
from autograder.author_checks.results import CheckResult, ProgramSampler

__all__ = ["CheckResult", "ProgramSampler", "run_checks"]

"""Check an assignment's tests, solution, misconceptions and generated files; ``autograder check`` runs this."""

from autograder.author_checks.assignment_checks import run_checks
from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.program_sample import ProgramSampler

__all__ = ["CheckResult", "ProgramSampler", "run_checks"]

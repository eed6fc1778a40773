"""Check an assignment's tests, solution, misconceptions and generated files; ``autograder check`` runs this."""

from autograder.author_checks.check_assignment import run_checks_and_iterate_results
from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.program_sampling import ProgramSampling

__all__ = ["CheckResult", "ProgramSampling", "run_checks_and_iterate_results"]

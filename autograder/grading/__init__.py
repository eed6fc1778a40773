"""Turn a submission and a hidden suite into results, points and sentences."""

from autograder.grading.graded_submission import GradedSubmission
from autograder.grading.grader import Grader
from autograder.grading.results import ConceptScore, HiddenTestResult, HiddenTestSpec, Outcome

__all__ = ["ConceptScore", "GradedSubmission", "Grader", "HiddenTestResult", "HiddenTestSpec", "Outcome"]

"""Turn a submission and a hidden suite into results, points and sentences."""

from autograder.grading.graded import Graded
from autograder.grading.grader import Grader
from autograder.grading.results import ConceptScore, Outcome, TestResult, TestSpec

__all__ = ["ConceptScore", "Graded", "Grader", "Outcome", "TestResult", "TestSpec"]

"""The author's gate: one command that proves an assignment, as its author must."""

from autograder.gate.check import check
from autograder.gate.finding import Finding

__all__ = ["Finding", "check"]

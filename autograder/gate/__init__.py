"""The author's gate: one command that proves an assignment, as its author must."""

from autograder.gate.check import check
from autograder.gate.finding import Finding
from autograder.gate.sample import Sample

__all__ = ["Finding", "Sample", "check"]

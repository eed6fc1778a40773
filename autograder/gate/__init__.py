"""Prove an assignment with one command, as its author must: the author's gate."""

from autograder.gate.check import check
from autograder.gate.finding import Finding
from autograder.gate.sample import Sample

__all__ = ["Finding", "Sample", "check"]

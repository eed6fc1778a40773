"""Small fixed experiments on one part of a submission at a time, and what was seen in each."""

from autograder.diagnosis.probes.reading import Finding, Lab, Reading

__all__ = ["Finding", "Lab", "Reading"]

"""Small fixed experiments on one part of a submission at a time, and what was seen in each."""

from autograder.diagnosis.probes.experiment_log import ExperimentLog, PartReading, ProbeFinding

__all__ = ["ExperimentLog", "PartReading", "ProbeFinding"]

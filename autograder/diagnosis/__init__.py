"""Find out why a submission is wrong: the smallest program that shows it, and what its numbers say."""

from autograder.diagnosis.counterexample import Found, find
from autograder.diagnosis.diagnose import Diagnoser
from autograder.diagnosis.model import NONE, Cause, Diagnosis, Evidence, Suspect
from autograder.diagnosis.observations import Observed
from autograder.diagnosis.paths import decode
from autograder.diagnosis.runner import Run, Runner, trace_all
from autograder.diagnosis.story import Counterexample, Node
from autograder.diagnosis.subject import Subject, subject_of
from autograder.diagnosis.trace import Trace, same

__all__ = [
    "NONE",
    "Cause",
    "Counterexample",
    "Diagnoser",
    "Diagnosis",
    "Evidence",
    "Found",
    "Node",
    "Observed",
    "Run",
    "Runner",
    "Subject",
    "Suspect",
    "Trace",
    "decode",
    "find",
    "same",
    "subject_of",
    "trace_all",
]

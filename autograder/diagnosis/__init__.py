"""Find out why a submission is wrong: the smallest program that shows it, and what its numbers say."""

from autograder.diagnosis.counterexample import FailingProgram, find_counterexample
from autograder.diagnosis.counterexample_report import Counterexample, Node
from autograder.diagnosis.diagnoser import Diagnoser
from autograder.diagnosis.diagnosis_model import NONE, Cause, Diagnosis, Evidence, Suspect
from autograder.diagnosis.observations import Observed
from autograder.diagnosis.path_weights import decode
from autograder.diagnosis.program_family import ProgramFamily, find_program_family
from autograder.diagnosis.program_runner import ProgramRunner, Run, trace_programs
from autograder.diagnosis.program_trace import ProgramTrace, are_traces_alike

__all__ = [
    "NONE",
    "Cause",
    "Counterexample",
    "Diagnoser",
    "Diagnosis",
    "Evidence",
    "FailingProgram",
    "Node",
    "Observed",
    "ProgramFamily",
    "ProgramRunner",
    "ProgramTrace",
    "Run",
    "Suspect",
    "are_traces_alike",
    "decode",
    "find_counterexample",
    "find_program_family",
    "trace_programs",
]

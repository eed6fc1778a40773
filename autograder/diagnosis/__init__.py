"""Find out why a submission is wrong: the smallest program that shows it, and what its numbers say."""

from autograder.diagnosis.assignment_diagnosis import AssignmentDiagnosis, DiagnosisContext, Part
from autograder.diagnosis.call_programs import CallProgram, Operation, diagnose_calls
from autograder.diagnosis.counterexample import FailingProgram, find_counterexample
from autograder.diagnosis.counterexample_report import Counterexample, Node
from autograder.diagnosis.diagnoser import Diagnoser
from autograder.diagnosis.diagnosis_model import NO_DIAGNOSIS, NONE, Cause, Diagnosis, Evidence, Suspect
from autograder.diagnosis.load_diagnosis import load_diagnosis
from autograder.diagnosis.observations import Observed
from autograder.diagnosis.path_weights import decode
from autograder.diagnosis.program_family import Program, ProgramFamily, ScriptedProgramFamily
from autograder.diagnosis.program_runner import ProgramRunner, Run, trace_programs
from autograder.diagnosis.program_trace import ProgramTrace, are_traces_alike

__all__ = [
    "NONE",
    "NO_DIAGNOSIS",
    "AssignmentDiagnosis",
    "CallProgram",
    "Cause",
    "Counterexample",
    "Diagnoser",
    "Diagnosis",
    "DiagnosisContext",
    "Evidence",
    "FailingProgram",
    "Node",
    "Observed",
    "Operation",
    "Part",
    "Program",
    "ProgramFamily",
    "ProgramRunner",
    "ProgramTrace",
    "Run",
    "ScriptedProgramFamily",
    "Suspect",
    "are_traces_alike",
    "decode",
    "diagnose_calls",
    "find_counterexample",
    "load_diagnosis",
    "trace_programs",
]

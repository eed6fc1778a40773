"""Find out why a submission is wrong: the smallest program that shows it, and what its numbers say."""

from autograder.diagnosis.assignment_diagnosis import AssignmentDiagnosis, DiagnosedPart, DiagnosisContext
from autograder.diagnosis.call_programs import CallProgram, Operation, diagnose_calls
from autograder.diagnosis.counterexample_model import Counterexample, Node
from autograder.diagnosis.counterexample_search import FailingProgram, find_counterexample
from autograder.diagnosis.diagnosis_model import NO_DIAGNOSIS, NONE, Cause, Diagnosis, Evidence, Suspect
from autograder.diagnosis.load_diagnosis import find_and_load_diagnosis
from autograder.diagnosis.observations import Observed
from autograder.diagnosis.path_weight_decoding import decode
from autograder.diagnosis.program_family import BatchableProgramFamily, DiagnosisProgram, DiagnosisProgramFamily
from autograder.diagnosis.program_runner import ProgramRunner, RunProgram, run_and_trace_programs
from autograder.diagnosis.program_trace import ProgramTrace, are_traces_alike
from autograder.diagnosis.submission_diagnoser import SubmissionDiagnoser

__all__ = [
    "NONE",
    "NO_DIAGNOSIS",
    "AssignmentDiagnosis",
    "BatchableProgramFamily",
    "CallProgram",
    "Cause",
    "Counterexample",
    "DiagnosedPart",
    "Diagnosis",
    "DiagnosisContext",
    "DiagnosisProgram",
    "DiagnosisProgramFamily",
    "Evidence",
    "FailingProgram",
    "Node",
    "Observed",
    "Operation",
    "ProgramRunner",
    "ProgramTrace",
    "RunProgram",
    "SubmissionDiagnoser",
    "Suspect",
    "are_traces_alike",
    "decode",
    "diagnose_calls",
    "find_and_load_diagnosis",
    "find_counterexample",
    "run_and_trace_programs",
]

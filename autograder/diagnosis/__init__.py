"""Diagnose wrong submissions: find the smallest program that fails, and name the mistake behind failed tests."""

from autograder.diagnosis.call_programs import CallProgram, Operation, make_call_diagnosis
from autograder.diagnosis.counterexample_model import Counterexample, Node
from autograder.diagnosis.counterexample_search import FailingProgram, search_smallest_failing_program
from autograder.diagnosis.diagnosis_definition import AssignmentDiagnosis, DiagnosisContext
from autograder.diagnosis.diagnosis_model import NO_DIAGNOSIS, NONE, Cause, Diagnosis, EvidenceCounts, NamedMistake
from autograder.diagnosis.diagnosis_module_loading import load_diagnosis_or_none
from autograder.diagnosis.naming.misconception_observations_file import Observed
from autograder.diagnosis.program_family import BatchableProgramFamily, DiagnosisProgram, DiagnosisProgramFamily
from autograder.diagnosis.program_readings import ProgramReadings, are_traces_alike
from autograder.diagnosis.program_runner import ProgramRunner, RunProgram, trace_until_second_stop
from autograder.diagnosis.submission_diagnoser import SubmissionDiagnoser
from autograder.diagnosis.wrong_path_sum import try_describe_wrong_path_sum

__all__ = [
    "NONE",
    "NO_DIAGNOSIS",
    "AssignmentDiagnosis",
    "BatchableProgramFamily",
    "CallProgram",
    "Cause",
    "Counterexample",
    "Diagnosis",
    "DiagnosisContext",
    "DiagnosisProgram",
    "DiagnosisProgramFamily",
    "EvidenceCounts",
    "FailingProgram",
    "NamedMistake",
    "Node",
    "Observed",
    "Operation",
    "ProgramReadings",
    "ProgramRunner",
    "RunProgram",
    "SubmissionDiagnoser",
    "are_traces_alike",
    "load_diagnosis_or_none",
    "make_call_diagnosis",
    "search_smallest_failing_program",
    "trace_until_second_stop",
    "try_describe_wrong_path_sum",
]

"""Diagnose wrong submissions: find the smallest program that fails, and name the mistake behind failed tests."""

from autograder.diagnosis.assignment_diagnosis import AssignmentDiagnosis, DiagnosedPart, DiagnosisContext
from autograder.diagnosis.call_programs import CallProgram, Operation, diagnose_calls
from autograder.diagnosis.counterexample_model import Counterexample, Node
from autograder.diagnosis.counterexample_search import ProgramWithCounterexample, search_smallest_failing_program
from autograder.diagnosis.diagnosis_model import NO_DIAGNOSIS, NONE, Cause, Diagnosis, EvidenceCounts, NamedMistake
from autograder.diagnosis.diagnosis_module_loading import find_and_load_diagnosis_definition
from autograder.diagnosis.misconception_observations import Observed
from autograder.diagnosis.program_family import BatchableProgramFamily, DiagnosisProgram, DiagnosisProgramFamily
from autograder.diagnosis.program_runner import ProgramRunner, RunProgram, trace_programs_until_second_stop
from autograder.diagnosis.program_trace import ProgramTrace, are_traces_alike
from autograder.diagnosis.submission_diagnoser import SubmissionDiagnoser
from autograder.diagnosis.wrong_path_sum import decode, try_describe_wrong_path_sum

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
    "EvidenceCounts",
    "NamedMistake",
    "Node",
    "Observed",
    "Operation",
    "ProgramRunner",
    "ProgramTrace",
    "ProgramWithCounterexample",
    "RunProgram",
    "SubmissionDiagnoser",
    "are_traces_alike",
    "decode",
    "diagnose_calls",
    "find_and_load_diagnosis_definition",
    "search_smallest_failing_program",
    "trace_programs_until_second_stop",
    "try_describe_wrong_path_sum",
]

"""Diagnose wrong submissions: find the smallest program that fails, and name the mistake behind failed tests."""

from autograder.diagnosis.call_programs import CallProgram, Operation, make_call_diagnosis
from autograder.diagnosis.definition import (
    AssignmentDiagnosis,
    BatchableProgramFamily,
    DiagnosisContext,
    DiagnosisProgram,
    DiagnosisProgramFamily,
    load_diagnosis_or_none,
)
from autograder.diagnosis.diagnoser import SubmissionDiagnoser
from autograder.diagnosis.model import (
    NO_DIAGNOSIS,
    NONE,
    Cause,
    Counterexample,
    Diagnosis,
    EvidenceCounts,
    NamedMistake,
    Node,
)
from autograder.diagnosis.naming import Observed
from autograder.diagnosis.program_runner import ProgramRunner, trace_until_second_stop
from autograder.diagnosis.readings import ProgramReadings, are_traces_alike
from autograder.diagnosis.search import FailingProgram, search_smallest_failing_program
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
    "SubmissionDiagnoser",
    "are_traces_alike",
    "load_diagnosis_or_none",
    "make_call_diagnosis",
    "search_smallest_failing_program",
    "trace_until_second_stop",
    "try_describe_wrong_path_sum",
]

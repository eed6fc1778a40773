"""Programs made of operations that an author lists, with the reference solution as the oracle."""

from autograder.diagnosis.call_programs.call_program import CallProgram
from autograder.diagnosis.call_programs.definition_from_operations import make_call_diagnosis
from autograder.diagnosis.call_programs.operation import Operation

__all__ = ["CallProgram", "Operation", "make_call_diagnosis"]

"""Programs made of operations that an author lists, with the reference solution as the oracle."""

from autograder.diagnosis.call_programs.composing import CallProgram, Operation
from autograder.diagnosis.call_programs.running import make_call_diagnosis

__all__ = ["CallProgram", "Operation", "make_call_diagnosis"]

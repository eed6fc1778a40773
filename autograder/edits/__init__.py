"""Change a program in one place: mutants of a right program, and repairs of a wrong one."""

from autograder.edits.model import EditKind, ProposedEdit
from autograder.edits.mutants import Mutant, make_mutants
from autograder.edits.probes import ConditionProbe, FunctionBody, iterate_condition_probes, list_function_bodies
from autograder.edits.proposals import find_function_around, propose_edits, propose_methods

__all__ = [
    "ConditionProbe",
    "EditKind",
    "FunctionBody",
    "Mutant",
    "ProposedEdit",
    "find_function_around",
    "iterate_condition_probes",
    "list_function_bodies",
    "make_mutants",
    "propose_edits",
    "propose_methods",
]

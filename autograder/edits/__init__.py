"""Change a program in one place: mutants of a right program, and repairs of a wrong one."""

from autograder.edits.model import EditKind, ProposedEdit
from autograder.edits.mutants import Mutant, make_mutants
from autograder.edits.proposals import propose_edits, propose_methods

__all__ = ["EditKind", "Mutant", "ProposedEdit", "make_mutants", "propose_edits", "propose_methods"]

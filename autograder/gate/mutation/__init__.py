"""Make mutants: a program with one thing wrong in one place, for every such thing and place."""

from autograder.gate.mutation.make import Mutant, mutants

__all__ = ["Mutant", "mutants"]

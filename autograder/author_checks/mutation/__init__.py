"""Make mutants: a program with one thing wrong in one place, for every such thing and place."""

from autograder.author_checks.mutation.make_mutants import Mutant, make_mutants

__all__ = ["Mutant", "make_mutants"]

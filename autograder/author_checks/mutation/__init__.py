"""Make mutants of a program: every variant with one thing wrong in one place."""

from autograder.author_checks.mutation.mutants import Mutant, make_mutants

__all__ = ["Mutant", "make_mutants"]

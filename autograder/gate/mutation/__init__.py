"""Mutants: a program with one thing wrong in one place, as often as there are things and places."""

from autograder.gate.mutation.make import Mutant, mutants

__all__ = ["Mutant", "mutants"]

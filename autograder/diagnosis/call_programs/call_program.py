"""Describe a program as the operations that it does, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.diagnosis.call_programs.operation import RESULT, Placeholder
from autograder.diagnosis.call_programs.program_vocabulary import ProgramVocabulary


@dataclass(frozen=True, slots=True)
class OperationStep:
    """One operation of a program."""

    operation_index: int
    """Its number in the vocabulary."""
    operands: tuple[int, ...]
    """For each of its placeholders: the step that gave the object, or which of the values."""


@dataclass(frozen=True, slots=True)
class CallProgram:
    """Operations, one after the other, and in the end a look at what they made."""

    vocabulary: ProgramVocabulary
    steps: tuple[OperationStep, ...]

    @property
    def step_result_names_or_empty(self) -> tuple[str, ...]:
        """Return the name of what each step gives; empty where it gives nothing."""
        letters = iter(self.vocabulary.unused_variable_names)
        operations = (self.vocabulary.operations[step.operation_index] for step in self.steps)
        return tuple("" if one.gives is None else next(letters) for one in operations)

    def format_steps(self) -> tuple[str, ...]:
        """Return the code of each step."""
        names = self.step_result_names_or_empty
        return tuple(self._format(at, names) for at in range(len(self.steps)))

    def format_lines(self) -> tuple[str, ...]:
        """Return the whole program as a student writes it."""
        return tuple(line for code in self.format_steps() for line in code.split("\n"))

    def list_observed_expressions(self) -> tuple[str, ...]:
        """Return the expressions that are looked at in the end, in the order in which their objects were made."""
        found = []
        for name, step in zip(self.step_result_names_or_empty, self.steps, strict=True):
            gives = self.vocabulary.operations[step.operation_index].gives
            if name:
                looks = self.vocabulary.observe.get(gives, ()) if gives else ("{}",)
                found += [code.replace(RESULT, name) for code in looks]
        return tuple(found)

    def get_used_step_indices(self, step_index: int) -> frozenset[int]:
        """Return the steps that gave what a step uses."""
        return frozenset(
            operand for slot, operand in self._pairs(step_index) if slot.name not in self.vocabulary.values
        )  # fmt: skip

    def _pairs(self, at: int) -> list[tuple[Placeholder, int]]:
        step = self.steps[at]
        return [*zip(self.vocabulary.operations[step.operation_index].placeholders, step.operands, strict=True)]

    def _format(self, at: int, names: Sequence[str]) -> str:
        values = self.vocabulary.values
        texts = {
            slot: repr(values[slot.name][operand]) if slot.name in values else names[operand]
            for slot, operand in self._pairs(at)
        }
        return self.vocabulary.operations[self.steps[at].operation_index].fill_placeholders(texts, names[at])

"""Describe a program as the operations that it does, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.diagnosis.call_programs.operation import RESULT, Slot
from autograder.diagnosis.call_programs.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a program."""

    operation: int
    """Its number in the vocabulary."""
    operands: tuple[int, ...]
    """For each of its placeholders: the step that gave the object, or which of the values."""


@dataclass(frozen=True, slots=True)
class CallProgram:
    """Operations, one after the other, and in the end a look at what they made."""

    vocabulary: Vocabulary
    steps: tuple[Step, ...]
    about_last: bool = False
    """Whether it is about the last operation: no look at plain data that operations before gave."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the name of what each step gives; empty where it gives nothing."""
        letters = iter(self.vocabulary.letters)
        operations = (self.vocabulary.operations[step.operation] for step in self.steps)
        return tuple("" if one.gives is None else next(letters) for one in operations)

    def format_steps(self) -> tuple[str, ...]:
        """Return the code of each step."""
        names = self.names
        return tuple(self._format(at, names) for at in range(len(self.steps)))

    def format_lines(self) -> tuple[str, ...]:
        """Return the whole program as a student writes it."""
        return tuple(line for code in self.format_steps() for line in code.split("\n"))

    def list_observations(self) -> tuple[str, ...]:
        """Return the expressions that are looked at in the end, in the order in which their objects were made."""
        found = []
        for at, (name, step) in enumerate(zip(self.names, self.steps, strict=True), start=1):
            gives = self.vocabulary.operations[step.operation].gives
            if name and (gives or at == len(self.steps) or not self.about_last):
                looks = self.vocabulary.observe.get(gives, ()) if gives else ("{}",)
                found += [code.replace(RESULT, name) for code in looks]
        return tuple(found)

    def find_operand_steps(self, at: int) -> frozenset[int]:
        """Return the steps that gave what a step uses."""
        return frozenset(
            operand for slot, operand in self._pairs(at) if slot.name not in self.vocabulary.values
        )  # fmt: skip

    def _pairs(self, at: int) -> list[tuple[Slot, int]]:
        step = self.steps[at]
        return [*zip(self.vocabulary.operations[step.operation].slots, step.operands, strict=True)]

    def _format(self, at: int, names: Sequence[str]) -> str:
        values = self.vocabulary.values
        texts = {
            slot: repr(values[slot.name][operand]) if slot.name in values else names[operand]
            for slot, operand in self._pairs(at)
        }
        return self.vocabulary.operations[self.steps[at].operation].fill(texts, names[at])

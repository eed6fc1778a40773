"""Make programs: all small ones in order, random ones, and those that are simpler than a given one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from autograder.diagnosis.call_programs.call_program import CallProgram, OperationStep
from autograder.diagnosis.call_programs.program_vocabulary import ProgramVocabulary

Steps = tuple[OperationStep, ...]
Choose = Callable[[int], int]
"""Chooses a number below another; 0 is the simplest choice."""
NEAREST = 3
"""Objects of a kind that a small program chooses from: those made last."""


class CallProgramComposer:
    """Makes programs of the operations that can be used."""

    def __init__(self, vocabulary: ProgramVocabulary, usable_operation_indices: Sequence[int]) -> None:
        """Make nothing yet.

        Args:
            vocabulary: what programs are made of.
            usable_operation_indices: the numbers of the operations that can be used.
        """
        self.vocabulary, self.usable = vocabulary, tuple(usable_operation_indices)
        self._makers = vocabulary.map_makeable_kinds_to_maker_index(usable_operation_indices)

    def enumerate_extensions(
        self,
        earlier_steps: Steps,
        operation_index: int,
        value_index_offset: int = 0,
        *,
        must_use_earlier_steps: bool = True,
    ) -> Iterator[Steps]:
        """Yield every way to do one more operation.

        Args:
            earlier_steps: the steps before.
            operation_index: its number.
            value_index_offset: where to begin in the list of values.
            must_use_earlier_steps: whether it must use something that was there before.
        """
        yield from self._fill(
            earlier_steps,
            operation_index,
            (),
            value_index_offset,
            len(earlier_steps) if must_use_earlier_steps else 0,
        )

    def compose_program(
        self, operation_count: int, choose_index: Choose, last_operation_index: int | None = None
    ) -> CallProgram:
        """Make a program of chosen operations on chosen objects.

        Args:
            operation_count: how many operations, without those that only make the first objects.
            choose_index: makes every choice.
            last_operation_index: the last operation; any when None.
        """
        steps: Steps = ()
        for number in range(operation_count):
            wanted = (
                last_operation_index
                if last_operation_index is not None and number == operation_count - 1
                else self.usable[choose_index(len(self.usable))]
            )
            operands: list[int] = []
            for slot in self.vocabulary.operations[wanted].placeholders:
                if slot.name in self.vocabulary.values:
                    operands.append(choose_index(len(self.vocabulary.values[slot.name])))
                    continue
                there = self._find_objects(steps, slot.name)
                chosen = choose_index(len(there) + 1)
                if chosen == len(there):
                    steps = self._make(steps, slot.name, choose_index(len(self.vocabulary.operations)))
                    operands.append(len(steps) - 1)
                else:
                    operands.append(there[chosen])
            steps = (*steps, OperationStep(wanted, tuple(operands)))
        return CallProgram(self.vocabulary, steps)

    def _fill(
        self, steps: Steps, operation: int, operands: tuple[int, ...], offset: int, must_use_below: int
    ) -> Iterator[Steps]:
        slots = self.vocabulary.operations[operation].placeholders
        if len(operands) == len(slots):
            kinds = [slot.name not in self.vocabulary.values for slot in slots]
            used = [operand for operand, is_kind in zip(operands, kinds, strict=True) if is_kind]
            if not must_use_below or any(operand < must_use_below for operand in used):
                yield (*steps, OperationStep(operation, operands))
            return
        name = slots[len(operands)].name
        if name in self.vocabulary.values:
            used_here = sum(slot.name == name for slot in slots[: len(operands)])
            index = self._next_value(steps, name, offset + used_here)
            yield from self._fill(steps, operation, (*operands, index), offset, must_use_below)
            return
        there = self._find_objects(steps, name)[:NEAREST]
        made = self._make(steps, name, offset)
        new = self._fill(made, operation, (*operands, len(made) - 1), offset, must_use_below)
        if not must_use_below:
            yield from new
        for one in there:
            yield from self._fill(steps, operation, (*operands, one), offset, must_use_below)
        if must_use_below:
            yield from new

    def _make(self, steps: Steps, kind: str, offset: int) -> Steps:
        """Return the steps with one more object of a kind; the last step makes it."""
        maker = self._makers[kind]
        operands = []
        for slot in self.vocabulary.operations[maker].placeholders:
            if slot.name in self.vocabulary.values:
                operands.append(self._next_value(steps, slot.name, offset))
            else:
                steps = self._make(steps, slot.name, offset)
                operands.append(len(steps) - 1)
        return (*steps, OperationStep(maker, tuple(operands)))

    def _next_value(self, steps: Steps, name: str, offset: int) -> int:
        """Return the next value of a name: distinct ones say more than equal ones."""
        return (_count_uses_of_named_value(self.vocabulary, steps, name) + offset) % len(self.vocabulary.values[name])

    def _find_objects(self, steps: Steps, kind: str) -> list[int]:
        """Return the steps that gave an object of a kind, the last first."""
        return [
            at
            for at in range(len(steps) - 1, -1, -1)
            if self.vocabulary.operations[steps[at].operation_index].gives == kind
        ]


def _count_uses_of_named_value(vocabulary: ProgramVocabulary, steps: Sequence[OperationStep], value_name: str) -> int:
    """Return how often steps use a value of a name."""
    return sum(
        slot.name == value_name for step in steps for slot in vocabulary.operations[step.operation_index].placeholders
    )


def enumerate_simpler_programs(program: CallProgram) -> Iterator[CallProgram]:
    """Yield programs to be preferred to this one: fewer operations, then the values that come first."""
    for gone in range(len(program.steps) - 1, -1, -1):
        yield from _without(program, gone)
    plain = _with_first_values(program, range(len(program.steps)))
    if plain != program:
        yield plain
        for at in range(len(program.steps)):
            plainer = _with_first_values(program, [at])
            if plainer != program:
                yield plainer


def rotate_program_values(program: CallProgram, value_index_offset: int) -> CallProgram:
    """Return the program with each value replaced by the one so many places later in its slot's list.

    After the last value of the list comes the first.
    """
    values, operations = program.vocabulary.values, program.vocabulary.operations
    return replace(
        program,
        steps=tuple(
            replace(
                step,
                operands=tuple(
                    (operand + value_index_offset) % len(values[slot.name]) if slot.name in values else operand
                    for slot, operand in zip(
                        operations[step.operation_index].placeholders, step.operands, strict=True
                    )
                ),
            )
            for step in program.steps
        ),
    )


def _without(program: CallProgram, gone: int) -> Iterator[CallProgram]:
    """Yield the program without a step: with another object of its kind in its place, or without what needs it."""
    vocabulary = program.vocabulary
    kind = vocabulary.operations[program.steps[gone].operation_index].gives
    if kind and program.get_used_step_indices(
        gone
    ):  # what is made of values stays: two objects say more than one twice
        for other in range(gone - 1, -1, -1):
            if vocabulary.operations[program.steps[other].operation_index].gives == kind:
                yield _drop(program, {gone}, {gone: other})
    dropped = {gone}
    for at in range(gone + 1, len(program.steps)):
        if dropped & program.get_used_step_indices(at):
            dropped.add(at)
    if len(dropped) < len(program.steps):
        yield _drop(program, dropped, {})


def _drop(program: CallProgram, dropped: set[int], instead: dict[int, int]) -> CallProgram:
    kept = [at for at in range(len(program.steps)) if at not in dropped]
    place = {at: number for number, at in enumerate(kept)}
    values, operations = program.vocabulary.values, program.vocabulary.operations
    steps = []
    for at in kept:
        step = program.steps[at]
        operands = tuple(
            operand if slot.name in values else place[instead.get(operand, operand)]
            for slot, operand in zip(operations[step.operation_index].placeholders, step.operands, strict=True)
        )
        steps.append(OperationStep(step.operation_index, operands))
    return replace(program, steps=tuple(steps))


def _with_first_values(program: CallProgram, chosen: Sequence[int]) -> CallProgram:
    """Return the program with the first values of each name in some steps: the first for its first use, and so on."""
    values, operations = program.vocabulary.values, program.vocabulary.operations
    uses = dict.fromkeys(values, 0)
    steps = []
    for at, step in enumerate(program.steps):
        operands = []
        for slot, operand in zip(operations[step.operation_index].placeholders, step.operands, strict=True):
            index = operand
            if slot.name in values:
                index = uses[slot.name] % len(values[slot.name]) if at in chosen else operand
                uses[slot.name] += 1
            operands.append(index)
        steps.append(OperationStep(step.operation_index, tuple(operands)))
    return replace(program, steps=tuple(steps))

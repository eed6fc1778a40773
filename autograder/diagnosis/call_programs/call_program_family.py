"""Make, run and check the programs of a vocabulary, with the reference solution as the oracle."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from autograder.bridge import StudentProxy
from autograder.diagnosis.caches import CachedIterable
from autograder.diagnosis.call_programs.call_program import CallProgram
from autograder.diagnosis.call_programs.counterexample_from_wrong_trace import DrawGraph, make_counterexample
from autograder.diagnosis.call_programs.program_composer import (
    CallProgramComposer,
    Choose,
    Steps,
    enumerate_simpler_programs,
    rotate_program_values,
)
from autograder.diagnosis.call_programs.program_vocabulary import ProgramVocabulary
from autograder.diagnosis.call_programs.step_tracing import trace_steps_or_failure
from autograder.diagnosis.counterexample_model import Counterexample
from autograder.diagnosis.diagnosis_definition import ReferenceSolutionOracle
from autograder.diagnosis.program_readings import STUB, ProgramReadings, are_traces_alike, was_stopped

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

FRESH = 28
MOST_SMALL = 600
"""Small programs that are tried before Hypothesis searches for larger ones."""
OFFSETS = 6
"""Choices of values for programs of one operation."""
MOST_OPERATIONS = 6
MOST_REMEMBERED = 32


class CallProgramFamily:
    """The programs of a vocabulary that use only operations of the submission; see ``DiagnosisProgramFamily``.

    The reference solution says what is right.
    """

    def __init__(
        self,
        vocabulary: ProgramVocabulary,
        usable_operation_indices: tuple[int, ...],
        reference: ReferenceSolutionOracle,
        draw_graph: DrawGraph | None = None,
    ) -> None:
        """Make nothing yet.

        Args:
            vocabulary: what programs are made of.
            usable_operation_indices: the numbers of the operations that a submission has.
            reference: says what is right.
            draw_graph: see ``make_counterexample``.
        """
        self.vocabulary, self.usable = vocabulary, usable_operation_indices
        self._reference, self._draw_graph = reference, draw_graph

    def enumerate_small_programs(self) -> Iterator[CallProgram]:
        """See ``DiagnosisProgramFamily``."""
        return iter(_small(self.vocabulary, self.usable))

    def enumerate_state_leak_programs(self) -> Iterator[CallProgram]:
        """See ``DiagnosisProgramFamily``.

        Each operation twice, on new objects first, then on objects of the first time.
        """
        composer = CallProgramComposer(self.vocabulary, self.usable)
        for operation in self.usable:
            for once in composer.enumerate_extensions((), operation):
                for twice in composer.enumerate_extensions(once, operation, must_use_earlier_steps=False):
                    yield CallProgram(self.vocabulary, twice)

    def make_hypothesis_strategy(self) -> SearchStrategy[CallProgram]:
        """See ``DiagnosisProgramFamily``.

        The strategy draws coin tosses only. Into draws from others, Hypothesis mixes numbers that it finds in the
        modules that happen to be loaded, and the answer must be the same for everyone.
        """
        from hypothesis.strategies import booleans, composite, nothing

        if not self.usable:
            return nothing()
        coin = booleans()

        @composite
        def programs(draw: DrawFn) -> CallProgram:
            def choose(limit: int) -> int:
                return sum(draw(coin) << bit for bit in range((limit - 1).bit_length())) % limit

            size = 3 + choose(MOST_OPERATIONS - 2)
            return CallProgramComposer(self.vocabulary, self.usable).compose_program(size, choose)

        return programs()

    def enumerate_simpler_programs(self, program: CallProgram) -> Iterator[CallProgram]:
        """See ``DiagnosisProgramFamily``."""
        return enumerate_simpler_programs(program)

    def draw_random_programs(self) -> tuple[CallProgram, ...]:
        """See ``DiagnosisProgramFamily``: 28 programs of 2 to 6 operations, each operation the last one of some."""
        return _draw_random_programs(self.vocabulary, self.usable)

    def make_programs_of_same_shape(self, program: CallProgram) -> tuple[CallProgram, ...]:
        """See ``DiagnosisProgramFamily``: with other values."""
        return tuple(dict.fromkeys(rotate_program_values(program, offset) for offset in range(OFFSETS)))

    def includes_program(self, program: CallProgram) -> bool:
        """See ``DiagnosisProgramFamily``."""
        return {step.operation_index for step in program.steps} <= {*self.usable}

    def run_program(self, student: StudentProxy, program: CallProgram) -> ProgramReadings:
        """See ``DiagnosisProgramFamily``."""
        return trace_steps_or_failure(student, program.format_steps(), program.list_observed_expressions())

    def is_trace_correct(self, program: CallProgram, trace: ProgramReadings) -> bool:
        """Return whether a program gives what it gives with the reference solution, or raises what it raises there.

        A method that is not written yet is not a wrong answer.
        """
        right = self._reference.trace_program(self, program)
        if was_stopped(right) or (trace.failure is not None and trace.failure.exception_name == STUB):
            return True
        if right.failure is None or trace.failure is None:
            return are_traces_alike(trace, right)
        return (right.failure.exception_name, right.failure.step) == (
            trace.failure.exception_name,
            trace.failure.step,
        )

    def make_counterexample(self, program: CallProgram, trace: ProgramReadings) -> Counterexample:
        """See ``DiagnosisProgramFamily``."""
        right = self._reference.trace_program(self, program)
        return make_counterexample(program, trace, right, self._draw_graph)


def enumerate_programs_of_operation(
    vocabulary: ProgramVocabulary, usable_operation_indices: tuple[int, ...], operation_index: int
) -> Iterator[CallProgram]:
    """Yield programs that end with an operation: it alone, with several values, then after each operation."""
    composer = CallProgramComposer(vocabulary, usable_operation_indices)
    for offset in range(OFFSETS):
        for steps in composer.enumerate_extensions((), operation_index, offset):
            yield CallProgram(vocabulary, steps)
    for other in usable_operation_indices:
        for before in composer.enumerate_extensions((), other):
            for steps in composer.enumerate_extensions(before, operation_index):
                yield CallProgram(vocabulary, steps)


@functools.lru_cache(MOST_REMEMBERED)
def _small(vocabulary: ProgramVocabulary, usable_operations: tuple[int, ...]) -> CachedIterable[CallProgram]:
    programs = (
        CallProgram(vocabulary, steps)
        for steps in _enumerate_small(CallProgramComposer(vocabulary, usable_operations))
    )
    return CachedIterable(itertools.islice(dict.fromkeys(programs), MOST_SMALL))


def _enumerate_small(composer: CallProgramComposer) -> Iterator[Steps]:
    """Yield programs of one operation, then of two and of three, each of which uses something of those before."""
    for offset in range(OFFSETS):
        for operation in composer.usable:
            yield from composer.enumerate_extensions((), operation, offset)
    twos = [
        steps
        for first in composer.usable
        for before in composer.enumerate_extensions((), first)
        for second in composer.usable
        for steps in composer.enumerate_extensions(before, second)
    ]
    yield from twos
    yield from itertools.islice(
        (
            steps
            for before in twos
            for third in composer.usable
            for steps in composer.enumerate_extensions(before, third)
        ),
        MOST_SMALL,
    )


@functools.lru_cache(MOST_REMEMBERED)
def _draw_random_programs(
    vocabulary: ProgramVocabulary, usable_operations: tuple[int, ...]
) -> tuple[CallProgram, ...]:
    pick = random.Random(0)
    choose: Choose = pick.randrange
    composer = CallProgramComposer(vocabulary, usable_operations)
    programs = (
        composer.compose_program(pick.randint(2, 6), choose, usable_operations[at % len(usable_operations)])
        for at in range(FRESH if usable_operations else 0)
    )
    return tuple(dict.fromkeys(programs))

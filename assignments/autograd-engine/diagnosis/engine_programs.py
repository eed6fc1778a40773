"""Make, run and check the programs of an engine: expressions on the class ``Value``."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from dataclasses import replace

from autograder.bridge import StudentProxy
from autograder.bridge.request_sequences import PackedRequests, RequestSequenceResult
from autograder.course.model import SecondBackward
from autograder.diagnosis.definition import COMPARED
from autograder.diagnosis.model import Counterexample
from autograder.diagnosis.readings import ProgramReadings

from .engine_operations import list_available_operations
from .expected_values import has_clear_right_answer, is_trace_correct
from .expression_explanation import make_counterexample
from .expression_program import PROTOCOLS, ExpressionProgram
from .expression_requests import (
    make_request_sequence,
    parse_expression_trace,
    run_expression_program,
)
from .program_generators import (
    NICE,
    ODD,
    SMALL,
    build_program,
    draw_random_sketch,
    enumerate_simpler_programs,
)
from .small_programs import enumerate_small_programs, enumerate_state_leak_programs

MOST_SUBJECTS = 16
"""Sets of operations whose programs are kept, for each use: most submissions have one of a few."""


class ExpressionProgramFamily:
    """See ``DiagnosisProgramFamily``.

    Attributes:
        operations: names of the operations that programs use.
        protocols: what may be called on their results, the simplest first.
    """

    def __init__(self, implemented_names: frozenset[str], conventions: tuple[SecondBackward, ...]) -> None:
        """Use what is there: ``implemented_names`` are those of methods, such as ``Value.__add__``."""
        self.operations = list_available_operations(implemented_names)
        self.protocols = tuple(
            name
            for name, calls in PROTOCOLS.items()
            if implemented_names.issuperset(call.partition(" ")[0] for call in calls)
        )
        self._conventions = conventions

    def enumerate_small_programs(self) -> Iterator[ExpressionProgram]:
        """See ``DiagnosisProgramFamily``."""
        return iter(_small(self.operations, self.protocols))

    def enumerate_state_leak_programs(self) -> Iterator[ExpressionProgram]:
        """See ``DiagnosisProgramFamily``."""
        if {"add", "mul"}.issubset(self.operations):
            yield from enumerate_state_leak_programs(self.protocols)

    def enumerate_simpler_programs(self, program: ExpressionProgram) -> Iterator[ExpressionProgram]:
        """See ``DiagnosisProgramFamily``."""
        return filter(has_clear_right_answer, enumerate_simpler_programs(program, self.protocols))

    def draw_random_programs(self, count: int = COMPARED) -> tuple[ExpressionProgram, ...]:
        """See ``DiagnosisProgramFamily``: 3 to 8 operations, over all protocols."""
        return _draw_random_programs(self.operations, self.protocols, count)

    def make_programs_of_same_shape(self, program: ExpressionProgram) -> tuple[ExpressionProgram, ...]:
        """See ``DiagnosisProgramFamily``: with other numbers."""
        others = (replace(program, leaves=leaves[: len(program.leaves)]) for leaves in (*NICE, SMALL, *ODD))
        return tuple(filter(has_clear_right_answer, dict.fromkeys((program, *others))))

    def includes_program(self, program: ExpressionProgram) -> bool:
        """See ``DiagnosisProgramFamily``."""
        return {step.operation_name for step in program.steps} <= {*self.operations}

    def run_program(self, student: StudentProxy, program: ExpressionProgram) -> ProgramReadings:
        """See ``DiagnosisProgramFamily``."""
        return run_expression_program(student, program)

    def make_request_sequence(self, program: ExpressionProgram) -> PackedRequests:
        """See ``DiagnosisProgramFamily``."""
        return make_request_sequence(program)

    def parse_trace(self, program: ExpressionProgram, result: RequestSequenceResult) -> ProgramReadings:
        """See ``DiagnosisProgramFamily``."""
        return parse_expression_trace(program, result)

    def is_trace_correct(self, program: ExpressionProgram, trace: ProgramReadings) -> bool:
        """See ``DiagnosisProgramFamily``."""
        return is_trace_correct(program, trace, self._conventions)

    def make_counterexample(self, program: ExpressionProgram, trace: ProgramReadings) -> Counterexample:
        """See ``DiagnosisProgramFamily``."""
        return make_counterexample(program, trace, self._conventions)


@functools.lru_cache(maxsize=MOST_SUBJECTS)
def _small(operations: tuple[str, ...], protocols: tuple[str, ...]) -> tuple[ExpressionProgram, ...]:
    return tuple(filter(has_clear_right_answer, enumerate_small_programs(operations, protocols)))


@functools.lru_cache(maxsize=MOST_SUBJECTS)
def _draw_random_programs(
    operations: tuple[str, ...], protocols: tuple[str, ...], count: int
) -> tuple[ExpressionProgram, ...]:
    pick = random.Random(0)
    found: list[ExpressionProgram] = []
    while operations and len(found) < count:
        protocol = protocols[-1 - len(found) % len(protocols)]
        leaves = pick.sample((2.0, 3.0, 4.0, 5.0, -3.0, 7.0, -2.0, 0.5), 4)
        program = build_program(draw_random_sketch(operations, pick.randint(3, 8), pick), leaves, protocol)
        if program is not None and len(program.steps) >= 3 and has_clear_right_answer(program):
            found.append(program)
    return tuple(found)

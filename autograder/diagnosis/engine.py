"""Make, run and judge the programs of an engine: expressions on the class ``Value``."""

from __future__ import annotations

import functools
import random
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from autograder.bridge import LocalStudent, Student
from autograder.bridge.endings import Ending
from autograder.bridge.scripts import Script
from autograder.course.model import SecondBackward
from autograder.diagnosis.expressions import PROTOCOLS, Program
from autograder.diagnosis.memo import Replayed
from autograder.diagnosis.operations import OPERATIONS, operations_with
from autograder.diagnosis.oracle import is_fit, is_right
from autograder.diagnosis.shapes import NICE, ODD, SMALL, built, random_sketch, simpler_programs
from autograder.diagnosis.small import leaking_programs, small_programs
from autograder.diagnosis.story import Counterexample
from autograder.diagnosis.tell import tell
from autograder.diagnosis.trace import Trace
from autograder.diagnosis.written import run, script_of, trace_of

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

FRESH = 28
MOST_STEPS = 6
MOST_SUBJECTS = 16
"""Sets of operations whose programs are kept, for each use: most submissions have one of a few."""


class Expressions:
    """See ``Subject``.

    Attributes:
        operations: names of the operations that programs use.
        protocols: what may be called on their results, the simplest first.
    """

    def __init__(self, has: frozenset[str], conventions: tuple[SecondBackward, ...]) -> None:
        """Use what is there: ``has`` names methods, as in ``Target.missing``."""
        self.operations = operations_with(has)
        self.protocols = tuple(
            name for name, calls in PROTOCOLS.items() if has.issuperset(call.partition(" ")[0] for call in calls)
        )
        self._conventions = conventions

    def small(self) -> Iterator[Program]:
        """See ``Subject``."""
        return iter(_small(self.operations, self.protocols))

    def leaking(self) -> Iterator[Program]:
        """See ``Subject``."""
        if {"add", "mul"}.issubset(self.operations):
            yield from leaking_programs(self.protocols)

    def strategy(self) -> SearchStrategy[Program]:
        """See ``Subject``.

        The strategy draws coin tosses only. Into draws from others, Hypothesis mixes numbers that it finds in the
        modules that happen to be loaded, and the answer must be the same for everyone.
        """
        from hypothesis import assume
        from hypothesis.strategies import booleans, composite, nothing

        if not self.operations:
            return nothing()
        coin = booleans()

        @composite
        def programs(draw: DrawFn) -> Program:
            def below(limit: int) -> int:
                bits = (limit - 1).bit_length()
                return sum(draw(coin) << bit for bit in range(bits)) % limit

            sketch = []
            for step in range(3 + below(MOST_STEPS - 2)):
                rare = draw(coin) and draw(coin)
                op = self.operations[below(len(self.operations) if rare else min(2, len(self.operations)))]
                operation = OPERATIONS[op]
                # Few tosses, since they are what takes the time; below step 0 are leaves, by the numbers of a sketch.
                chained = (step - 1, step - 2, -1, -3)[below(4) if draw(coin) else 0]
                operands = (chained, (step - 1, step - 2, -1, -2)[below(4)])
                numbers = operation.numbers
                sketch.append((op, operands[: operation.nodes], numbers[below(len(numbers))] if numbers else None))
            usual = self.protocols[:2][-1]
            protocol = self.protocols[below(len(self.protocols))] if draw(coin) else usual
            program = built(sketch, (*NICE, SMALL, *ODD)[below(8)], protocol)
            assume(program is not None and is_fit(program))
            assert program is not None
            return program

        return programs()

    def simpler(self, program: Program) -> Iterator[Program]:
        """See ``Subject``."""
        return filter(is_fit, simpler_programs(program, self.protocols))

    def fresh(self, seed: int = 0, about: Collection[str] = ()) -> tuple[Program, ...]:
        """See ``Subject``: 28 programs of 3 to 8 operations, over all protocols."""
        return _fresh(self.operations, self.protocols, seed, frozenset(about))

    def near(self, program: Program) -> tuple[Program, ...]:
        """See ``Subject``: with other numbers."""
        others = (replace(program, leaves=leaves[: len(program.leaves)]) for leaves in (*NICE, SMALL, *ODD))
        return tuple(filter(is_fit, dict.fromkeys((program, *others))))

    def run(self, student: Student | LocalStudent, program: Program) -> Trace:
        """See ``Subject``."""
        return run(student, program)

    def script(self, program: Program) -> Script:
        """See ``Subject``."""
        return script_of(program)

    def trace(self, program: Program, ending: Ending) -> Trace:
        """See ``Subject``."""
        return trace_of(program, ending)

    def is_right(self, program: Program, trace: Trace) -> bool:
        """See ``Subject``."""
        return is_right(program, trace, self._conventions)

    def tell(self, program: Program, trace: Trace) -> Counterexample:
        """See ``Subject``."""
        return tell(program, trace, self._conventions)


@functools.lru_cache(maxsize=MOST_SUBJECTS)
def _small(operations: tuple[str, ...], protocols: tuple[str, ...]) -> Replayed[Program]:
    return Replayed(filter(is_fit, small_programs(operations, protocols)))


@functools.lru_cache(maxsize=MOST_SUBJECTS)
def _fresh(
    operations: tuple[str, ...], protocols: tuple[str, ...], seed: int, about: frozenset[str]
) -> tuple[Program, ...]:
    pick = random.Random(seed)
    found: list[Program] = []
    often = [op for op in operations if not set(about).isdisjoint(OPERATIONS[op].needs)]
    picked = [*operations, *often * (len(operations) // max(1, len(often)))]
    while operations and len(found) < FRESH:
        protocol = protocols[-1 - len(found) % len(protocols)]
        leaves = pick.sample((2.0, 3.0, 4.0, 5.0, -3.0, 7.0, -2.0, 0.5), 4)
        program = built(random_sketch(picked, pick.randint(3, 8), pick), leaves, protocol)
        if program is not None and len(program.steps) >= 3 and is_fit(program):
            found.append(program)
    return tuple(found)

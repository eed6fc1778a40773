"""Make all small programs, the simplest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .engine_operations import CORE, NUMBERS, ONE_NODE, OPERATIONS
from .expression_program import ExpressionProgram
from .program_generators import (
    NICE,
    ODD,
    SMALL,
    TWO_ROOTS,
    Sketch,
    build_program,
    find_required_steps,
    needs_small_numbers,
)


def enumerate_small_programs(operations: Sequence[str], protocols: Sequence[str]) -> Iterator[ExpressionProgram]:
    """Yield programs of at most three of the contract's operations, or of two with a bonus, the simplest first."""
    core = [op for op in operations if op in CORE]
    plain = [op for op in core if op in ONE_NODE and not OPERATIONS[op].example_numbers]
    others = [op for op in operations if op not in CORE]
    first = "backward" if "backward" in protocols else "forward"
    later = [name for name in protocols if name not in ("forward", first, *TWO_ROOTS)]
    two_roots = [name for name in protocols if name in TWO_ROOTS]
    for size in (0, 1, 2):
        yield from _with(enumerate_sketches(core, size), NICE[:1], (first,))
        if size < 2:
            yield from _with(enumerate_sketches(core, size), (*NICE[1:], *ODD), (first,))
    for size in (0, 1):
        yield from _with(enumerate_sketches(core, size), NICE[:1], later)
    yield from _with(enumerate_sketches(plain, 2), NICE[:1], later)
    yield from _with(enumerate_sketches(plain, 1), NICE[:1], two_roots)
    yield from _with(enumerate_sketches(plain, 2, joined=False), NICE[:1], two_roots)
    threes = [
        sketch
        for op in plain
        for sketch in enumerate_sketches([op], 3, joined=False)
        if len(find_required_steps(sketch, [2])) > 2
    ]
    yield from _with(threes, NICE[:1], (first,))
    yield from _with(_in_company(others, core), NICE[:1], (first,))
    yield from _with(enumerate_sketches(others, 1), (NICE[3], *ODD[:2]), (first,))
    yield from _with(enumerate_sketches(core, 2), ODD[1:3], (first,))
    yield from _with(threes, NICE[:1], later[:1])


def _in_company(others: Sequence[str], core: Sequence[str]) -> Iterator[tuple[Sketch, ...]]:
    """Yield each operation alone, then with its operand used once more, and with a gradient that is not 1."""
    alone = list(enumerate_sketches(others, 1))
    yield from alone
    for op in ("add", "mul"):
        if op in core:
            yield from ((*sketch, (op, (0, -1), None)) for sketch in alone)


def _with(
    sketches: Iterable[tuple[Sketch, ...]], leaves: Sequence[Sequence[float]], protocols: Sequence[str]
) -> Iterator[ExpressionProgram]:
    made = list(sketches)
    for protocol in protocols:
        for numbers in leaves:
            for sketch in made:
                easiest = numbers is NICE[0]
                program = build_program(
                    sketch, SMALL if easiest and needs_small_numbers(sketch) else numbers, protocol
                )
                if program is not None:
                    yield program


def enumerate_state_leak_programs(protocols: Sequence[str]) -> Iterator[ExpressionProgram]:
    """Yield programs of two graphs, for engines in which one graph leaves something behind for the next."""
    if "second root" in protocols:
        for operands in ((-1, -1), (-2, -2), (0, 0), (0, -1)):
            for op in ("add", "mul"):
                program = build_program(((op, (-1, -1), None), (op, operands, None)), NICE[0], "second root")
                if program is not None:
                    yield program


def enumerate_sketches(operations: Sequence[str], size: int, *, joined: bool = True) -> Iterator[tuple[Sketch, ...]]:
    """Yield every way to write ``size`` operations.

    Args:
        operations: names in ``OPERATIONS``.
        size: 0 to 3.
        joined: whether every operation must use the one before.
    """
    if size == 0:
        yield ()
        return
    for before in enumerate_sketches(operations, size - 1, joined=joined):
        leaves = sorted({o for _, operands, _ in before for o in operands if o < 0}, reverse=True)
        if any(number not in (None, NUMBERS[0]) for _, _, number in before):
            continue
        for op in operations:
            operation = OPERATIONS[op]
            for operands in _choices(len(before), leaves, operation.operand_count):
                if joined and before and len(before) - 1 not in operands:
                    continue
                for number in (operation.example_numbers if size == 1 else operation.example_numbers[:1]) or (None,):
                    yield (*before, (op, operands, number))


def _choices(steps: int, leaves: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
    """Yield operands among the steps from the last back, the leaves that are used, and new ones."""
    new = -1 - len(leaves)
    firsts = [*range(steps - 1, -1, -1), *leaves, new]
    for first in firsts:
        if count == 1:
            yield (first,)
            continue
        seconds = [*firsts, new - 1] if first == new else firsts
        for second in seconds:
            if (first, second) != (new, new) or new == -1 or steps:
                yield first, second

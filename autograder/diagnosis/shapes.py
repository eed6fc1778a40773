"""Where programs come from: all small ones in order, random ones, and one that is given simplified."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.diagnosis.expressions import Program, Step
from autograder.diagnosis.operations import CORE, OPERATIONS

Sketch = tuple[str, tuple[int, ...], float | None]
"""An operation, its operands and its number. Leaf k is ``-1 - k``, step k is ``k``: leaves may still be added."""

NICE = (
    (2.0, 3.0, 4.0, 5.0),
    (3.0, 2.0, 5.0, 4.0),
    (2.0, -3.0, 5.0, 4.0),
    (-3.0, 4.0, 2.0, 5.0),
    (5.0, 7.0, -2.0, 3.0),
)
"""Numbers for the leaves, the easiest first: distinct, and none with a coincidence like 2 * 2 = 2 + 2."""
ODD = (
    (0.5, 1.5, -2.5, 0.25),
    (0.0, 2.0, 3.0, 4.0),
    (2.0, 0.0, 3.0, 4.0),
    (2.0, 2.0, 2.0, 2.0),
    (-0.5, -2.0, -1.0, 0.0),
    (1.0, 3.0, 2.0, -1.0),
)
"""Numbers at which a few more errors show: fractions, zero, one, equal leaves, nothing but negative ones."""
MOST_LEAVES = 4


def built(sketch: Sequence[Sketch], leaves: Sequence[float], protocol: str) -> Program | None:
    """The program of a sketch, without the steps that its result does not need; None if the protocol does not fit.

    Args:
        sketch: the steps in order.
        leaves: numbers for up to four leaves.
        protocol: a key of ``PROTOCOLS``.
    """
    two_roots = protocol in ("second root", "inner zero_grad")
    needed = _needed(sketch, [len(sketch) - 1, len(sketch) - 2] if two_roots else [len(sketch) - 1])
    if len(needed) < (2 if two_roots else 0):
        return None
    used = list(dict.fromkeys(o for step in needed for o in sketch[step][1] if o < 0)) or [-1]
    place = {leaf: at for at, leaf in enumerate(sorted(used, reverse=True))}
    place |= {step: len(used) + at for at, step in enumerate(needed)}
    steps = (Step(sketch[s][0], tuple(place[o] for o in sketch[s][1]), sketch[s][2]) for s in needed)
    return Program(tuple(leaves[: len(used)]), tuple(steps), protocol)


def _needed(sketch: Sequence[Sketch], roots: Sequence[int]) -> list[int]:
    found: set[int] = set()
    waiting = [root for root in roots if root >= 0]
    while waiting:
        step = waiting.pop()
        if step not in found:
            found.add(step)
            waiting += [operand for operand in sketch[step][1] if operand >= 0]
    return sorted(found)


def sketch_of(program: Program) -> list[Sketch]:
    """The sketch that a program was built from."""
    count = len(program.leaves)
    return [
        (step.op, tuple(o - count if o >= count else -1 - o for o in step.operands), step.number)
        for step in program.steps
    ]


def small_sketches(operations: Sequence[str], size: int, *, joined: bool = True) -> Iterator[tuple[Sketch, ...]]:
    """Every way to write so many operations.

    Args:
        operations: names in ``OPERATIONS``.
        size: 0, 1 or 2.
        joined: whether the last operation must use the one before.
    """
    if size == 0:
        yield ()
        return
    for before in small_sketches(operations, size - 1):
        leaves = sorted({o for _, operands, _ in before for o in operands if o < 0}, reverse=True)
        for op in operations:
            operation = OPERATIONS[op]
            for operands in _choices(len(before), leaves, operation.nodes):
                if joined and before and len(before) - 1 not in operands:
                    continue
                for number in operation.numbers or (None,):
                    yield (*before, (op, operands, number))


def _choices(steps: int, leaves: Sequence[int], count: int) -> Iterator[tuple[int, ...]]:
    """Operands among the steps from the last back, the leaves that are used, and new ones."""
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


def small_programs(operations: Sequence[str], protocols: Sequence[str]) -> Iterator[Program]:
    """Programs of at most two of the contract's operations, then of one of the others: the simplest first."""
    core = [op for op in operations if op in CORE]
    others = [op for op in operations if op not in CORE]
    first = "backward" if "backward" in protocols else "forward"
    later = [name for name in protocols if name not in ("forward", first)]
    for size in (0, 1, 2):
        yield from _with(small_sketches(core, size), NICE[:1], (first,))
        if size < 2:
            yield from _with(small_sketches(core, size), (*NICE[1:], *ODD), (first,))
    for size in (1, 2):
        yield from _with(small_sketches(core, size, joined=False), NICE[:1], later)
    yield from _with(small_sketches(others, 1), (*NICE[:3], *ODD[:2]), (first,))
    yield from _with(small_sketches(core, 2), ODD, (first,))


def _with(
    sketches: Iterator[tuple[Sketch, ...]], leaves: Sequence[Sequence[float]], protocols: Sequence[str]
) -> Iterator[Program]:
    made = list(sketches)
    for protocol in protocols:
        for numbers in leaves:
            for sketch in made:
                program = built(sketch, numbers, protocol)
                if program is not None:
                    yield program


def random_sketch(operations: Sequence[str], size: int, pick: random.Random) -> list[Sketch]:
    """So many operations at random; each step is used by a later one if possible, and nodes are shared."""
    sketch: list[Sketch] = []
    for step in range(size):
        op = pick.choice(operations)
        operation = OPERATIONS[op]
        leaves = [-1 - k for k in range(pick.randint(2, MOST_LEAVES))]
        nodes = [*range(step), *leaves]
        operands = [pick.choice(nodes) for _ in range(operation.nodes)]
        if step:
            operands[pick.randrange(len(operands))] = step - 1
        sketch.append((op, tuple(operands), pick.choice(operation.numbers) if operation.numbers else None))
    return sketch


def simpler_programs(program: Program, protocols: Sequence[str]) -> Iterator[Program]:
    """Programs to be preferred to this one: fewer operations, a simpler protocol, nicer leaves."""
    sketch = sketch_of(program)
    for at in range(len(sketch) - 1, -1, -1):
        for operand in dict.fromkeys(sketch[at][1]):
            shorter = built(_without(sketch, at, operand), program.leaves, program.protocol)
            if shorter is not None and len(shorter.steps) < len(program.steps):
                yield shorter
    for protocol in protocols[: protocols.index(program.protocol)]:
        simpler = built(sketch, program.leaves, protocol)
        if simpler is not None:
            yield simpler
    numbers = [*NICE, *ODD]
    now = next((at for at, n in enumerate(numbers) if n[: len(program.leaves)] == program.leaves), len(numbers))
    for leaves in numbers[:now]:
        yield replace(program, leaves=leaves[: len(program.leaves)])


def _without(sketch: Sequence[Sketch], gone: int, instead: int) -> list[Sketch]:
    """A sketch in which one of a step's operands takes its place."""

    def moved(operand: int) -> int:
        operand = instead if operand == gone else operand
        return operand - 1 if operand > gone else operand

    return [
        (op, tuple(moved(o) for o in operands), number)
        for at, (op, operands, number) in enumerate(sketch)
        if at != gone
    ]

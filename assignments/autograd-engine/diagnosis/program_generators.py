"""Build programs from sketches, draw random sketches, and find the simpler programs next to a given one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from .engine_operations import BENT, OPERATIONS
from .expression_program import BEFORE, PROTOCOLS, ExpressionProgram, ExpressionStep

Sketch = tuple[str, tuple[int, ...], float | None]
"""An operation, its operands and its number. Leaf k is ``-1 - k``, step k is ``k``: leaves may still be added."""

NICE = (
    (3.0, 4.0, 2.0, 5.0),
    (2.0, 3.0, 5.0, 4.0),
    (2.0, -3.0, 5.0, 4.0),
    (-3.0, 4.0, 2.0, 5.0),
    (5.0, 7.0, -2.0, 3.0),
)
"""Numbers for the leaves, the easiest first: distinct, and none with a coincidence like 2 * 2 = 2 + 2."""
SMALL = (0.5, 1.5, -0.25, 2.0)
"""The same for tanh and exp, which are flat or large elsewhere."""
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
TWO_ROOTS = tuple(name for name, calls in PROTOCOLS.items() if any(call.endswith(BEFORE) for call in calls))


def build_program(sketch: Sequence[Sketch], leaves: Sequence[float], protocol: str) -> ExpressionProgram | None:
    """Return the program of a sketch without steps that its result does not need; None if the protocol does not fit.

    Args:
        sketch: the steps in order.
        leaves: numbers for up to four leaves.
        protocol: a key of ``PROTOCOLS``.
    """
    two_roots = protocol in TWO_ROOTS
    needed = find_required_steps(sketch, [len(sketch) - 1, len(sketch) - 2] if two_roots else [len(sketch) - 1])
    if two_roots and len(needed) < (1 if protocol == "inner zero_grad" else 2):
        return None  # the node before may be a leaf, unless ``backward`` is called on it
    used = list(dict.fromkeys(o for step in needed for o in sketch[step][1] if o < 0)) or [-1]
    place = {leaf: at for at, leaf in enumerate(sorted(used, reverse=True))}
    place |= {step: len(used) + at for at, step in enumerate(needed)}
    steps = (ExpressionStep(sketch[s][0], tuple(place[o] for o in sketch[s][1]), sketch[s][2]) for s in needed)
    return ExpressionProgram(tuple(leaves[: len(used)]), tuple(steps), protocol)


def find_required_steps(sketch: Sequence[Sketch], roots: Sequence[int]) -> list[int]:
    """Return the steps that these steps are made from, themselves included."""
    found: set[int] = set()
    waiting = [root for root in roots if root >= 0]
    while waiting:
        step = waiting.pop()
        if step not in found:
            found.add(step)
            waiting += [operand for operand in sketch[step][1] if operand >= 0]
    return sorted(found)


def make_sketch(program: ExpressionProgram) -> list[Sketch]:
    """Return the sketch that a program is built from."""
    count = len(program.leaves)
    return [
        (step.operation_name, tuple(o - count if o >= count else -1 - o for o in step.operands), step.number)
        for step in program.steps
    ]


def needs_small_numbers(sketch: Sequence[Sketch]) -> bool:
    """Return whether one of a sketch's operations wants small numbers."""
    return any(op in BENT for op, _, _ in sketch)


def draw_random_sketch(operations: Sequence[str], size: int, pick: random.Random) -> list[Sketch]:
    """Draw ``size`` operations at random; each step is used by the next one, and nodes may be shared."""
    sketch: list[Sketch] = []
    for step in range(size):
        op = pick.choice(operations)
        operation = OPERATIONS[op]
        leaves = [-1 - k for k in range(pick.randint(2, MOST_LEAVES))]
        nodes = [*range(step), *leaves]
        operands = [pick.choice(nodes) for _ in range(operation.operand_count)]
        if step:
            operands[pick.randrange(len(operands))] = step - 1
        sketch.append(
            (op, tuple(operands), pick.choice(operation.example_numbers) if operation.example_numbers else None)
        )
    return sketch


def enumerate_simpler_programs(program: ExpressionProgram, protocols: Sequence[str]) -> Iterator[ExpressionProgram]:
    """Yield programs to be preferred to this one: fewer operations, a simpler protocol, nicer leaves, more leaves."""
    sketch = make_sketch(program)
    for at in range(len(sketch) - 1, -1, -1):
        for operand in dict.fromkeys(sketch[at][1]):
            shorter = build_program(_without(sketch, at, operand), program.leaves, program.protocol)
            if shorter is not None and len(shorter.steps) < len(program.steps):
                yield shorter
    for protocol in protocols[: protocols.index(program.protocol)]:
        for leaves in (program.leaves, *NICE):  # other numbers may show what these hide
            simpler = build_program(sketch, leaves, protocol)
            if simpler is not None:
                yield simpler
    numbers = [SMALL, *NICE, *ODD] if needs_small_numbers(sketch) else [*NICE, *ODD]
    now = next((at for at, n in enumerate(numbers) if n[: len(program.leaves)] == program.leaves), len(numbers))
    for leaves in numbers[:now]:
        yield replace(program, leaves=leaves[: len(program.leaves)])
    for apart in _apart(sketch, len(program.leaves)):
        for leaves in (numbers[now], *numbers) if now < len(numbers) else numbers:
            clearer = build_program(apart, leaves, program.protocol)
            if clearer is not None:
                yield clearer


def _apart(sketch: Sequence[Sketch], count: int) -> Iterator[list[Sketch]]:
    """Yield the sketch with one use of a leaf given to a new leaf: two operands say more than one used twice."""
    used: set[int] = set()
    for at, (op, operands, number) in enumerate(sketch):
        for place, operand in enumerate(operands):
            if operand in used and count < MOST_LEAVES:
                apart = (*operands[:place], -1 - count, *operands[place + 1 :])
                yield [*sketch[:at], (op, apart, number), *sketch[at + 1 :]]
            used |= {operand} if operand < 0 else set()


def _without(sketch: Sequence[Sketch], gone: int, instead: int) -> list[Sketch]:
    """Return a sketch without the step ``gone``; its operand ``instead`` takes its place."""

    def moved(operand: int) -> int:
        operand = instead if operand == gone else operand
        return operand - 1 if operand > gone else operand

    return [
        (op, tuple(moved(o) for o in operands), number)
        for at, (op, operands, number) in enumerate(sketch)
        if at != gone
    ]

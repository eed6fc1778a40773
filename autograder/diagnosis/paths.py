"""Path-coded numbers: when every path to a leaf has a weight of its own, a wrong sum tells which path went wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from autograder.diagnosis.expressions import Program
from autograder.diagnosis.oracle import forward
from autograder.diagnosis.story import number
from autograder.text import listed

MOST_TIMES = 3
MOST_TRIES = 5_000
TIMES = ("", "once", "twice", "three times")


def decode(weights: Mapping[str, float], got: float, *, numbers: bool = True) -> str | None:
    """What a wrong sum over paths is made of, in half a sentence.

    Paths of equal weight cannot be told apart, and are spoken of together.

    Args:
        weights: for each path, by the name that a reader knows it by, what it adds to the right sum.
        got: the sum that came out.
        numbers: whether the sum itself is shown (``26.0 = 15.0 + 11.0``); without it nothing gives the right
            one away.

    Returns:
        Such as ``26.0 = 15.0 + 11.0, as if the path through n*d were missing``. None when the number is right, when
        no choice of counting each path 0 to 3 times gives it or more than one does, or when there is but one path.
    """
    groups: dict[float, list[str]] = {}
    for name, weight in weights.items():
        groups.setdefault(weight, []).append(name)
    found = _counts(groups, got)
    if len(weights) < 2 or found is None:
        return None
    if not any(found):
        what = "as if no path arrived" if numbers else "it is as if no path arrived"
    else:
        parts = [
            part for names, count in zip(groups.values(), found, strict=True) if (part := _told(names, count))
        ]  # fmt: skip
        if not parts or len(parts) > max(1, len(groups) // 2):
            return None  # right, or so much is different that the sum may be chance
        what = ("as if " if numbers else "it is as if ") + " and ".join(parts)
    return f"{number(got)} = {_sum(list(groups), found)}, {what}" if numbers else what


def paths_to(program: Program, node: int) -> dict[str, float]:
    """Every path from a program's result down to a node, such as ``d <- c <- a``, with its product of slopes."""
    _, slopes = forward(program)
    first, names = len(program.leaves), program.names
    weights: dict[str, float] = {}

    def walk(at: int, weight: float, path: str) -> None:
        if at == node:
            weights[path] = weight
        if at >= first and at > node:
            operands = program.steps[at - first].operands
            for side, (operand, slope) in enumerate(zip(operands, slopes[at], strict=True)):
                which = ("", "")[side] if operands.count(operand) == 1 else (" (left)", " (right)")[side]
                walk(operand, weight * slope, f"{path} <- {names[operand]}{which}")

    last = first + len(program.steps) - 1
    walk(last, 1.0, names[last])
    return weights


def _counts(groups: Mapping[float, Sequence[str]], got: float) -> tuple[int, ...] | None:
    """How often each group of paths was counted, if exactly one answer gives the number."""
    ranges = [range(MOST_TIMES * len(names) + 1) for names in groups.values()]
    if 0.0 in groups or math.prod(map(len, ranges)) > MOST_TRIES:
        return None
    fitting = [
        counts
        for counts in itertools.product(*ranges)
        if math.isclose(sum(c * w for c, w in zip(counts, groups, strict=True)), got, rel_tol=1e-9, abs_tol=1e-12)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _told(names: Sequence[str], count: int) -> str:
    """What is different about paths of equal weight that were counted so often together; empty if nothing is."""
    usual = len(names)
    if count == usual:
        return ""
    if usual == 1:
        return f"the path {names[0]} were " + ("missing" if count == 0 else f"counted {TIMES[count]}")
    these = f"the paths {listed(list(names))}"
    if count == 0:
        return f"{these} were missing"
    if count < usual:
        return f"{usual - count} of {these} were missing"
    return f"{these} were counted {count} times together"


def _sum(weights: Sequence[float], counts: Sequence[int]) -> str:
    terms = [
        (weight < 0, f"{count} * {number(abs(weight))}" if count > 1 else number(abs(weight)))
        for weight, count in zip(weights, counts, strict=True)
        if count
    ]
    text = "".join(f" {'-' if negative else '+'} {term}" for negative, term in terms)
    return text.removeprefix(" + ").removeprefix(" ") or "0"

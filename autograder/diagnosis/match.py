"""Which misconceptions fit what was observed. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

Observed = Mapping[str, str]

MOST_AT_ONCE = 3
MOST_PARTS = 24
"""Misconceptions that explain a part; beyond it, too much fits for anything to be said."""


def suspects(seen: Observed, tried: Collection[str], known: Mapping[str, Observed]) -> list[tuple[str, ...]]:
    """Sets of misconceptions that explain everything, the likeliest first.

    Args:
        seen: what the submission's failed tests saw.
        tried: all tests that could be tried on it; the others say nothing.
        known: the same of every misconception.

    Returns:
        One that saw exactly the same, each alone in a tuple. Where there is none, two or three that together fail the
        same tests and each show in some of them; those first that leave the fewest tests to their meeting.
    """
    shapes = {
        name: {test: what for test, what in observed.items() if test in tried} for name, observed in known.items()
    }
    alone: list[tuple[str, ...]] = [(name,) for name, shape in shapes.items() if shape == seen]
    return alone or _together(seen, shapes)


def _together(seen: Observed, shapes: Mapping[str, Observed]) -> list[tuple[str, ...]]:
    parts = [name for name, shape in shapes.items() if shape and shape.keys() <= seen.keys()]
    parts = [name for name in parts if any(seen[test] == what for test, what in shapes[name].items())]
    if len(parts) > MOST_PARTS:
        parts = sorted(parts, key=lambda name: -_agreeing(seen, shapes[name]))[:MOST_PARTS]
    for count in range(2, MOST_AT_ONCE + 1):
        found = sorted(_covers(seen, shapes, parts, count))
        if found:
            return [names for _, names in found]
    return []


def _covers(
    seen: Observed, shapes: Mapping[str, Observed], parts: list[str], count: int
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Covers of what was seen by this many parts, with how many tests show an observation of none of them."""
    for names in combinations(parts, count):
        explained: dict[str, set[str]] = {}
        for name in names:
            for test, what in shapes[name].items():
                explained.setdefault(test, set()).add(what)
        if explained.keys() != seen.keys():
            continue
        if any(not any(seen[test] == shapes[name].get(test) for test in seen) for name in names):
            continue
        yield sum(seen[test] not in whats for test, whats in explained.items()), names


def _agreeing(seen: Observed, shape: Observed) -> int:
    return sum(seen[test] == what for test, what in shape.items())

"""Measure how fast this machine runs Python now, so that limits on time do not depend on the machine.

The seconds in ``grading.yml`` are those of a reference machine: one on which CPython 3.11 takes 1.25 s of CPU time to
add 20 million numbers in a loop. A second here is worth more or less than that. It depends on the processor, on what
shares it (a hyper-thread, a cache), and it changes. So the same short piece of work is timed again and again.
"""

from __future__ import annotations

import time

REFERENCE_SECONDS = 0.00046
"""CPU seconds of ``_work`` on the reference machine."""
VALID_SECONDS = 0.25
"""Seconds after which a measurement is repeated before it is used."""
FASTEST, SLOWEST = 0.25, 100.0
"""Bounds of what is believed: a measurement may fall into a moment in which the machine stands still."""


class _Node:
    """A node of a small graph, as submissions make them."""

    def __init__(self, number: float, operands: tuple[_Node, ...] = ()) -> None:
        self.number, self.gradient, self.operands = number, 0.0, operands

    def add(self, other: _Node) -> _Node:
        """Return the sum as a new node."""
        return _Node(self.number + other.number, (self, other))


def _work() -> None:
    """Build a graph and walk it twice: objects, attributes, calls, tuples and sets, in the shares of an engine."""
    for _ in range(10):
        leaf = result = _Node(1.5)
        nodes = [leaf]
        for _ in range(120):
            result = result.add(leaf)
            nodes.append(result)
        seen: set[_Node] = set()
        for node in reversed(nodes):
            if node not in seen:
                seen.add(node)
                for operand in node.operands:
                    operand.gradient += node.number * 0.5


class _Measurement:
    """The last measurement, and when it was made."""

    slowness = 1.0
    made_at = float("-inf")


_last = _Measurement()


def get_slowness() -> float:
    """Return how many times as long as on the reference machine Python takes here, measured at most a moment ago.

    Two seconds of CPU time where this is 2 are one second of the reference machine.
    """
    if time.monotonic() - _last.made_at > VALID_SECONDS:
        _measure_slowness()
    return _last.slowness


def _measure_slowness() -> None:
    """Measure ``get_slowness`` now, which takes a millisecond of the reference machine."""
    started = time.thread_time()
    _work()
    _work()
    seconds = (time.thread_time() - started) / 2
    _last.slowness = min(SLOWEST, max(FASTEST, seconds / REFERENCE_SECONDS))
    _last.made_at = time.monotonic()

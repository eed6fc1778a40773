"""Measure how fast this machine is, and how long a thread ran and waited."""

from __future__ import annotations

import contextlib
import os
import threading
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


class ThreadSchedstatReader:
    """Reads how long one thread ran and waited; its file stays open between two readings.

    See ``/proc/pid/schedstat`` in https://docs.kernel.org/scheduler/sched-stats.html.
    """

    def __init__(self, schedstat_path: str) -> None:
        """Open nothing yet."""
        self._path = schedstat_path
        self._file = -1

    def read_run_and_wait_seconds(self) -> tuple[float, float]:
        """Return the seconds in which the thread ran, and waited; zeros where nothing is known or it is gone."""
        try:
            if self._file < 0:
                self._file = os.open(self._path, os.O_RDONLY)
            run_time, queue_time, _ = os.pread(self._file, 100, 0).split()
        except (OSError, ValueError):
            return 0.0, 0.0
        return int(run_time) / 1e9, int(queue_time) / 1e9

    def close(self) -> None:
        """Close the file, if it is open."""
        file, self._file = self._file, -1
        if file >= 0:
            with contextlib.suppress(OSError):
                os.close(file)

    def __del__(self) -> None:
        self.close()


class _OwnTimes(threading.local):
    def __init__(self) -> None:
        self.times = ThreadSchedstatReader("/proc/thread-self/schedstat")

    def forget(self) -> None:
        """Begin anew in a fork, whose thread is another one."""
        self.times.close()


_own_times = _OwnTimes()
os.register_at_fork(after_in_child=_own_times.forget)


def read_own_run_and_wait_seconds() -> tuple[float, float]:
    """Return the seconds in which the calling thread ran, and waited for a processor; zeros if nothing is known."""
    return _own_times.times.read_run_and_wait_seconds()

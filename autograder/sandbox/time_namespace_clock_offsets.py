"""Decide what the clocks of student processes show in place of how long the machine has been running.

A time namespace (see time_namespaces(7)) moves two clocks. They show how long this program has been running, and not
how long the process has: its start would say how long the submission before it took, had it been started ahead.
"""

from __future__ import annotations

import time

FIRST_SECONDS = 100_000
"""What the clocks show when this program starts: a number that no machine has by chance for long."""
CLOCKS = {"monotonic": "CLOCK_MONOTONIC", "boottime": "CLOCK_BOOTTIME"}
"""Each clock that a time namespace moves: its name there, and in ``time``."""


def _read_offsets() -> dict[str, int]:
    found = {name: getattr(time, constant, None) for name, constant in CLOCKS.items()}
    return {
        name: FIRST_SECONDS * 10**9 - time.clock_gettime_ns(clock)
        for name, clock in found.items()
        if clock is not None
    }


_offsets = _read_offsets()


def make_time_namespace_offset_lines() -> bytes:
    """Return what is to be written to ``timens_offsets`` of a process whose children get these clocks."""
    lines = ((name, *divmod(offset, 10**9)) for name, offset in _offsets.items())
    return "".join(f"{name} {seconds} {nanoseconds}\n" for name, seconds, nanoseconds in lines).encode()


def map_clocks_to_shown_seconds() -> dict[int, float]:
    """Return what each clock shows there now, by the number that it has in ``time.clock_gettime``."""
    numbers = {name: getattr(time, CLOCKS[name]) for name in _offsets}
    return {number: (time.clock_gettime_ns(number) + _offsets[name]) / 1e9 for name, number in numbers.items()}

"""Compute clock offsets for student processes, which hide the machine's uptime.

A time namespace (see time_namespaces(7)) shifts two clocks. They count from the start of this program, and not from
the start of the process: a process may be started ahead, and its age would tell how long the submission before it
took.
"""

from __future__ import annotations

import time

FIRST_SECONDS = 100_000
"""The value of the clocks when this program starts, which no machine's uptime is likely to have."""
CLOCKS = {"monotonic": "CLOCK_MONOTONIC", "boottime": "CLOCK_BOOTTIME"}
"""The clocks that a time namespace shifts: the name in ``timens_offsets``, and the constant in ``time``."""


def _read_offsets() -> dict[str, int]:
    clock_by_name = {name: getattr(time, constant, None) for name, constant in CLOCKS.items()}
    return {
        name: FIRST_SECONDS * 10**9 - time.clock_gettime_ns(clock)
        for name, clock in clock_by_name.items()
        if clock is not None
    }


_offsets = _read_offsets()


def format_timens_offsets() -> bytes:
    """Return the lines to write into ``timens_offsets`` of a process whose children get these clocks."""
    lines = ((name, *divmod(offset, 10**9)) for name, offset in _offsets.items())
    return "".join(f"{name} {seconds} {nanoseconds}\n" for name, seconds, nanoseconds in lines).encode()


def read_shifted_clock_times() -> dict[int, float]:
    """Return the present value of each shifted clock, by its number in ``time.clock_gettime``."""
    numbers = {name: getattr(time, CLOCKS[name]) for name in _offsets}
    return {number: (time.clock_gettime_ns(number) + _offsets[name]) / 1e9 for name, number in numbers.items()}

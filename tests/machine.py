"""What tests may say about time: how often a fixed loop costs the same here, now, and when to give up what hangs."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds after which something hangs, on the slowest machine."""
ADDITIONS = 200_000


def cost_of(call: Callable[[], object]) -> float:
    """Return how many loops of a million additions take as much CPU time on this machine as a call."""
    before, started = _loop_seconds(), time.process_time()
    call()
    spent = time.process_time() - started
    return spent / max(before, _loop_seconds())


def _loop_seconds() -> float:
    started, number = time.process_time(), 0
    while number < ADDITIONS:
        number += 1
    return (time.process_time() - started) * 1_000_000 / ADDITIONS


def comes_true(condition: Callable[[], object]) -> bool:
    """Whether a condition holds, sooner or later."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def until(condition: Callable[[], object], what: str = "what is waited for") -> None:
    """Wait until a condition holds."""
    assert comes_true(condition), f"not within {PATIENCE:g} s: {what}"

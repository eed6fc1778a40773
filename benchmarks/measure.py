"""What commands cost: time, CPU time and memory, all processes together."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.account import Account, open_account
from benchmarks.processes import resident

EVERY = 0.05
"""Seconds between two looks at the memory; a look takes about a hundredth of that."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something to run."""

    words: Sequence[str]
    folder: Path
    """Where."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Environment variables beside those that there are."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What running some commands took."""

    seconds: float
    cpu_seconds: float
    complete: bool
    """Whether ``cpu_seconds`` holds every process; else only those that somebody waited for."""
    largest_mb: float
    """The most memory of any one process."""
    together_mb: float
    """The most memory of all processes at one moment; what they share counts once for each."""


def measure(commands: Sequence[Command], at_once: int) -> Cost:
    """Run commands and say what it took.

    Args:
        commands: what to run.
        at_once: how many at a time.

    Raises:
        SystemExit: one of them failed; says what it said. The others are ended.
    """
    with open_account() as account, _memory(account) as most:
        started = time.perf_counter()
        with ThreadPoolExecutor(at_once) as pool:
            running = [pool.submit(_run, command, account) for command in commands]
            try:
                for done in as_completed(running):
                    done.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                while not all(one.done() for one in running):  # one may be on its way into the account still
                    account.end()
                    time.sleep(EVERY)
                raise
        seconds = time.perf_counter() - started
        return Cost(seconds, account.seconds(), account.complete, most.largest, most.together)


def _run(command: Command, account: Account) -> None:
    done = subprocess.run(
        account.inside(command.words),
        cwd=command.folder,
        env={**os.environ, **command.settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace")[-4000:]
        raise SystemExit(f"ended with {done.returncode}: {' '.join(command.words)}\n{said}")


@dataclass(slots=True)
class _Most:
    largest: float = 0.0
    together: float = 0.0


@contextmanager
def _memory(account: Account) -> Iterator[_Most]:
    """Watches the memory of what runs meanwhile."""
    most, over = _Most(), threading.Event()

    def watch() -> None:
        while not over.wait(EVERY):
            held = [resident(pid) for pid in account.processes()] or [0.0]
            most.largest = max(most.largest, *held)
            most.together = max(most.together, sum(held))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()

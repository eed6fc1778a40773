"""What commands cost: time, CPU time and memory, all processes together."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

from benchmarks.account import Account, open_account
from benchmarks.processes import proportional, resident

MEMORY_KB = 3 * 2**20
FILE_KB = 2**19
EVERY = 0.05
"""Seconds between two looks at the memory; a look takes about a hundredth of that."""
LOOKS = 8
"""Looks after which shares of common pages are counted too, which takes milliseconds."""


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
    proportional_mb: float
    """The same, where what several share counts once in all."""


How = Literal["ended", "killed"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended."""

    how: How
    """``killed`` when it was still running at its limit."""
    seconds: float
    cpu_seconds: float
    """0 where it cannot be told from that of others."""


def measure(commands: Sequence[Command], at_once: int) -> Cost:
    """Run commands and say what it took.

    Args:
        commands: what to run.
        at_once: how many at a time.

    Raises:
        SystemExit: one of them failed; says what it said. The others are ended.
    """
    cost, _ = _together(commands, at_once, _run)
    return cost


def measure_endings(commands: Sequence[Command], at_once: int, limit: float) -> tuple[Cost, list[Ending]]:
    """Run commands of which some may fail or hang, and say what it took and how each ended.

    Args:
        commands: what to run.
        at_once: how many at a time.
        limit: seconds after which a command is ended. It may have ``MEMORY_KB`` of address space and write files of
            ``FILE_KB``, for the machine's sake.
    """
    return _together(commands, at_once, lambda command, account: _run_until(command, account, limit))


def _together(
    commands: Sequence[Command], at_once: int, run: Callable[[Command, Account], T]
) -> tuple[Cost, list[T]]:
    with open_account() as account, _memory(account) as most:
        started = time.perf_counter()
        with ThreadPoolExecutor(at_once) as pool:
            running = [pool.submit(run, command, account) for command in commands]
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
        cost = Cost(seconds, account.seconds(), account.complete, most.largest, most.together, most.proportional)
        return cost, [one.result() for one in running]


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


def _run_until(command: Command, account: Account, limit: float) -> Ending:
    limits = f'ulimit -v {MEMORY_KB}; ulimit -f {FILE_KB * 2}; exec "$0" "$@"'  # dash counts files in halves of a KB
    words = ["/bin/sh", "-c", limits, *command.words]
    with account.part() as part:
        started = time.perf_counter()
        process = subprocess.Popen(
            part.inside(words),
            cwd=command.folder,
            env={**os.environ, **command.settings},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # it may be without an end
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        how: How = "ended"
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            how = "killed"
            part.end()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.perf_counter() - started
        return Ending(how, seconds, part.seconds() if part.complete else 0.0)


@dataclass(slots=True)
class _Most:
    largest: float = 0.0
    together: float = 0.0
    proportional: float = 0.0


@contextmanager
def _memory(account: Account) -> Iterator[_Most]:
    """Watches the memory of what runs meanwhile."""
    most, over = _Most(), threading.Event()

    def watch() -> None:
        for look in itertools.count():
            if over.wait(EVERY):
                break
            processes = account.processes()
            held = [resident(pid) for pid in processes] or [0.0]
            most.largest = max(most.largest, *held)
            most.together = max(most.together, sum(held))
            if look % LOOKS == 0:
                most.proportional = max(most.proportional, sum(map(proportional, processes)))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()

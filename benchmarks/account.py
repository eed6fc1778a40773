"""The CPU time of a command and of everything that it starts.

What a process waited for is counted by the system, but the first process of a namespace takes those beside it along
without waiting for them, and so bubblewrap's are lost. A control group loses none. Where it cannot be made, which
takes root, the count of those waited for is what there is.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from benchmarks.processes import below

_numbers = itertools.count()


class Account(Protocol):
    """Counts what is started through it.

    Attributes:
        complete: whether nothing is lost.
    """

    complete: bool

    def inside(self, command: Sequence[str]) -> list[str]:
        """Return the command that runs ``command`` where it is counted."""

    def processes(self) -> list[int]:
        """Those that run now."""

    def seconds(self) -> float:
        """CPU time up to now, the user's and the system's."""

    def end(self) -> None:
        """End what runs, if it can be told from what others started."""

    def part(self) -> AbstractContextManager[Account]:
        """Open an account within this one, for what can be ended by itself; its time counts here too."""


class Waited:
    """Counts the processes that were waited for."""

    complete = False

    def __init__(self) -> None:
        self._before = self._total()

    def inside(self, command: Sequence[str]) -> list[str]:
        """See ``Account``."""
        return [*command]

    def processes(self) -> list[int]:
        """See ``Account``."""
        return below(os.getpid())

    def seconds(self) -> float:
        """See ``Account``."""
        return self._total() - self._before

    def end(self) -> None:
        """Nothing: whoever is waited for ends by itself."""

    @contextmanager
    def part(self) -> Iterator[Account]:
        """See ``Account``; not counted by itself."""
        yield self

    @staticmethod
    def _total() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime


class Group:
    """Counts a control group of its own."""

    complete = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def inside(self, command: Sequence[str]) -> list[str]:
        """See ``Account``."""
        join = 'echo $$ > "$0" && exec "$@"'
        return ["/bin/sh", "-c", join, str(self._folder / "cgroup.procs"), *command]

    def processes(self) -> list[int]:
        """See ``Account``."""
        found = []
        for folder in (self._folder, *self._folder.glob("part-*")):
            with contextlib.suppress(OSError):  # a part may be over by now
                found += [int(line) for line in (folder / "cgroup.procs").read_text().split()]
        return found

    def seconds(self) -> float:
        """See ``Account``."""
        counts = dict(line.split() for line in (self._folder / "cpu.stat").read_text().splitlines())
        return int(counts["usage_usec"]) / 1e6

    def end(self) -> None:
        """See ``Account``."""
        with contextlib.suppress(OSError):  # before Linux 5.14 there is no such file
            (self._folder / "cgroup.kill").write_text("1")

    @contextmanager
    def part(self) -> Iterator[Account]:
        """See ``Account``."""
        folder = self._folder / f"part-{next(_numbers)}"
        folder.mkdir()
        with _ended(Group(folder)) as part:
            yield part

    def remove(self) -> None:
        """Remove the group; what ran in it may take a moment to end."""
        for _ in range(100):
            with contextlib.suppress(OSError):
                self._folder.rmdir()
                break
            time.sleep(0.05)


@contextmanager
def _ended(group: Group) -> Iterator[Group]:
    try:
        yield group
    finally:
        group.end()
        group.remove()


@contextmanager
def open_account() -> Iterator[Account]:
    """Choose the best count on this machine; end what still runs in it afterwards."""
    folder = _new_group()
    if folder is None:
        yield Waited()
        return
    with _ended(Group(folder)) as group:
        yield group


def _new_group() -> Path | None:
    """Make a control group below this process's own; None where there can be none."""
    try:
        mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
        own = [line for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")]
        root = next(mount[1] for mount in mounts if mount[2] == "cgroup2")
        folder = Path(root + own[0].removeprefix("0::")) / f"autograder-bench-{os.getpid()}-{next(_numbers)}"
        folder.mkdir()
    except (OSError, StopIteration, IndexError):
        return None
    if not os.access(folder / "cgroup.procs", os.W_OK) or not (folder / "cpu.stat").is_file():
        folder.rmdir()
        return None
    return folder

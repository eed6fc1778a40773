"""Put one student's process into a control group, to measure and limit its resources and to end it as a whole.

Files and their formats: the kernel's ``Documentation/admin-guide/cgroup-v2.rst``.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from dataclasses import dataclass
from pathlib import Path

_numbers = itertools.count(1)

PERIOD = 100_000
"""Microseconds in which ``cpu.max`` is counted."""


@dataclass(frozen=True, slots=True)
class ControlGroupLimits:
    """The resources that all processes of a group may use together.

    Attributes:
        memory_bytes: bytes of the processes, of files in memory, of pipes, and of the kernel's data for them.
        max_tasks: processes and threads.
        max_processors: how many they may keep busy.
    """

    memory_bytes: int
    max_tasks: int
    max_processors: int = 1


class ControlGroup:
    """The control group of one student's process and of all that this one may start."""

    def __init__(self, parent_folder: str, limits: ControlGroupLimits, controllers: tuple[str, ...]) -> None:
        """Make the group.

        Args:
            parent_folder: the group to make it in.
            limits: what its processes may use together.
            controllers: the controllers that are enabled there.

        Raises:
            OSError: the kernel makes no further group.
        """
        self.path = f"{parent_folder}/{next(_numbers)}"
        os.mkdir(self.path)
        try:
            if "memory" in controllers:
                self._write_file("memory.max", limits.memory_bytes)
                self._write_file("memory.oom.group", 1)
                with contextlib.suppress(FileNotFoundError):  # a kernel without swap
                    self._write_file("memory.swap.max", 0)
            if "pids" in controllers:
                self._write_file("pids.max", limits.max_tasks)
            if "cpu" in controllers:
                self._write_file("cpu.max", f"{limits.max_processors * PERIOD} {PERIOD}")
        except OSError:
            os.rmdir(self.path)
            raise

    def open_procs_descriptor(self) -> int:
        """Return a new descriptor; a process that writes "0" to it is in the group from then on."""
        return os.open(f"{self.path}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)

    def contains_process(self, pid: int) -> bool:
        """Return whether a process is in the group."""
        return str(pid).encode() in self._read_file("cgroup.procs").split()

    @property
    def exceeded_memory(self) -> bool:
        """Return whether its processes were killed because they needed more than the group's memory.

        Kills because the whole machine ran out of memory do not count, since the group is not the cause: then the
        group's ``oom`` counter does not rise.
        """
        words = self._read_file("memory.events").split()
        events = dict(zip(words[::2], words[1::2], strict=False))
        return events.get(b"oom", b"0") != b"0" and events.get(b"oom_kill", b"0") != b"0"

    def kill_all_processes(self) -> None:
        """Kill every process in it, at once."""
        with contextlib.suppress(FileNotFoundError):
            self._write_file("cgroup.kill", 1)

    def remove_if_empty(self) -> bool:
        """Remove the group; return False if a process in it still exists."""
        try:
            os.rmdir(self.path)
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    def _write_file(self, name: str, value: object) -> None:
        descriptor = os.open(f"{self.path}/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, str(value).encode())
        finally:
            os.close(descriptor)

    def _read_file(self, name: str) -> bytes:
        try:
            return Path(self.path, name).read_bytes()
        except OSError:
            return b""

"""Read how long a thread ran and how long it waited for a processor.

A reading is cheap, as there are some hundred of them for each submission.
"""

from __future__ import annotations

import contextlib
import os
import threading


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

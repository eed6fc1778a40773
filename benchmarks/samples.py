"""What a batch holds and has used, looked at again and again while it runs, and whether that stays the same."""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import below, computed, resident


@dataclass(frozen=True, slots=True)
class Sample:
    """One look."""

    submissions: int
    """Graded up to now."""
    seconds: float
    coordinator_mb: float
    worker_mb: float
    """Mean of the workers."""
    coordinator_cpu: float
    """CPU seconds up to now."""
    workers_cpu: float
    """CPU seconds up to now, of all workers, without the students' processes."""
    processes: int
    """All that there are, students' included."""
    files: int
    """Open files and pipes of the coordinator and its workers."""


def look(submissions: int) -> Sample:
    """Look at this process, which coordinates, and its workers.

    Args:
        submissions: how many are graded.
    """
    own = os.getpid()
    workers = [child.pid for child in multiprocessing.active_children() if child.pid]
    return Sample(
        submissions,
        time.monotonic(),
        resident(own),
        statistics.mean(map(resident, workers)) if workers else 0.0,
        computed(own),
        sum(map(computed, workers)),
        len(below(own)),
        sum(map(_open_files, (own, *workers))),
    )


class Watch:
    """Looks at the first submission that is done, at the last, and at a number in between.

    Attributes:
        samples: what was seen.
    """

    def __init__(self, total: int, looks: int) -> None:
        """``total`` submissions come, and there are ``looks`` looks at them, or one at each if there are fewer."""
        self.samples: list[Sample] = []
        self._at = {1, *(max(1, total * number // looks) for number in range(1, looks + 1))}
        self._done = 0

    def advance(self) -> None:
        """One more is done."""
        self._done += 1
        if self._done in self._at:
            self.samples.append(look(self._done))


@dataclass(frozen=True, slots=True)
class Drift:
    """Something in the first tenth of a batch and in its last."""

    name: str
    first: float
    last: float

    @property
    def ratio(self) -> float:
        """How often the first goes into the last."""
        return self.last / self.first if self.first else float("nan")


def drifts(samples: Sequence[Sample]) -> list[Drift]:
    """How memory, cost and what is open changed.

    Args:
        samples: twenty at least, evenly spread over the submissions.
    """
    tenth = max(2, len(samples) // 10)
    first, last = samples[: tenth + 1], samples[-tenth - 1 :]
    held: list[tuple[str, Callable[[Sample], float]]] = [
        ("coordinator, MB", lambda sample: sample.coordinator_mb),
        ("worker, MB", lambda sample: sample.worker_mb),
        ("processes", lambda sample: sample.processes),
        ("open files", lambda sample: sample.files),
    ]
    used: list[tuple[str, Callable[[Sample], float]]] = [
        ("ms for one more", lambda sample: 1e3 * sample.seconds),
        ("CPU ms for one more, coordinator", lambda sample: 1e3 * sample.coordinator_cpu),
        ("CPU ms for one more, workers", lambda sample: 1e3 * sample.workers_cpu),
    ]
    kept = [Drift(name, *(statistics.median(map(of, part)) for part in (first, last))) for name, of in held]
    spent = [Drift(name, *(for_one_more(part[0], part[-1], of) for part in (first, last))) for name, of in used]
    return [*kept, *spent]


def for_one_more(before: Sample, after: Sample, of: Callable[[Sample], float]) -> float:
    """Return what a submission took between two looks."""
    return (of(after) - of(before)) / (after.submissions - before.submissions)


def _open_files(pid: int) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return 0

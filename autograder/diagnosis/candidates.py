"""Run programs with known mistakes, to compare them with a submission; run each once on the same programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograder.bridge import Bridge
from autograder.diagnosis.confirm import Tried
from autograder.diagnosis.memo import Memo
from autograder.diagnosis.runner import Runner, trace_all
from autograder.diagnosis.trace import Trace, was_stopped

MOST_REMEMBERED = 1_000
"""Lists of traces; one has about 30."""


class Candidates:
    """Runs candidates, and remembers what they did.

    What they do depends on nothing of a submission: they are the course's own text, and a run is the same every time.
    A run in which a process was stopped is not remembered, since a busy machine may stop one.

    Attributes:
        stopped: runs so far in which a process was stopped.
    """

    def __init__(self, opened: Callable[[str], Bridge], most: int = MOST_REMEMBERED) -> None:
        """Run nothing yet.

        Args:
            opened: gives a process for a source text; this object discards it.
            most: how many lists of traces to remember.
        """
        self._opened = opened
        self._traces: Memo[tuple[str, Sequence[Any]], Sequence[Trace]] = Memo(most)
        self.stopped = 0

    def does_the_same(self, source: str, tried: Tried) -> bool:
        """Tell whether a candidate does what a submission did.

        Raises:
            KitFault: no process can be started.
        """
        first = self._traces.get((source, tried.programs[: tried.common]))
        if first is not None and not tried.agrees(first):
            return False
        traces = self._traces.get((source, tried.programs))
        if traces is None:
            traces = self._run(source, tried)
        return len(traces) == len(tried.traces) and tried.agrees(traces)

    def _run(self, source: str, tried: Tried) -> Sequence[Trace]:
        bridge = self._opened(source)
        try:
            careful = any(map(was_stopped, tried.traces))
            traces = trace_all(Runner(tried.subject, bridge, careful=careful), tried.programs)
        finally:
            bridge.discard()
        if any(map(was_stopped, traces)):
            self.stopped += 1
        else:
            self._traces.put((source, tried.programs[: tried.common]), traces[: tried.common])
            self._traces.put((source, tried.programs), traces)
        return traces

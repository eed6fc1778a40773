"""Run programs with known mistakes, to compare them with a submission; run each once on the same programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograder.bridge import Bridge
from autograder.diagnosis.fresh_program_runs import FreshProgramRuns
from autograder.diagnosis.lru_cache import BoundedLruCache
from autograder.diagnosis.program_runner import ProgramRunner, run_and_trace_programs
from autograder.diagnosis.program_trace import ProgramTrace, was_stopped

MOST_REMEMBERED = 1_000
"""Lists of traces; one has about 30."""


class MistakeCandidateRunner:
    """Runs candidates, and remembers what they did.

    What they do depends on nothing of a submission: they are the course's own text, and a run is the same every time.
    A run in which a process was stopped is not remembered, since a busy machine may stop one.

    Attributes:
        stopped: runs so far in which a process was stopped.
    """

    def __init__(self, open_process: Callable[[str], Bridge], max_results: int = MOST_REMEMBERED) -> None:
        """Run nothing yet.

        Args:
            open_process: gives a process for a source text; this object discards it.
            max_results: how many lists of traces to remember.
        """
        self._open_process = open_process
        self._traces: BoundedLruCache[tuple[str, Sequence[Any]], Sequence[ProgramTrace]] = BoundedLruCache(
            max_results
        )
        self.stopped = 0

    def behaves_like_submission(self, source: str, submission_runs: FreshProgramRuns) -> bool:
        """Tell whether a candidate does what a submission did.

        Raises:
            KitFault: no process can be started.
        """
        first = self._traces.get((source, submission_runs.programs[: submission_runs.common_program_count]))
        if first is not None and not submission_runs.is_consistent_with(first):
            return False
        traces = self._traces.get((source, submission_runs.programs))
        if traces is None:
            traces = self._run(source, submission_runs)
        return len(traces) == len(submission_runs.traces) and submission_runs.is_consistent_with(traces)

    def _run(self, source: str, tried: FreshProgramRuns) -> Sequence[ProgramTrace]:
        bridge = self._open_process(source)
        try:
            careful = any(map(was_stopped, tried.traces))
            traces = run_and_trace_programs(
                ProgramRunner(tried.program_family, bridge, fresh_process_per_program=careful), tried.programs
            )
        finally:
            bridge.end_process()
        if any(map(was_stopped, traces)):
            self.stopped += 1
        else:
            self._traces.store(
                (source, tried.programs[: tried.common_program_count]), traces[: tried.common_program_count]
            )
            self._traces.store((source, tried.programs), traces)
        return traces

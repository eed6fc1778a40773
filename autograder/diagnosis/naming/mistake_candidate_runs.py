"""Run candidates, which are solutions with known mistakes, to compare them with a submission.

A candidate runs only once on the same programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograder.bridge import Bridge
from autograder.diagnosis.caches import LruCache
from autograder.diagnosis.course_program_run_cache import CourseProgramRunCache, hash_run_inputs
from autograder.diagnosis.program_family import BatchableProgramFamily
from autograder.diagnosis.program_readings import ProgramReadings, was_stopped
from autograder.diagnosis.program_runner import ProgramRunner, trace_until_second_stop
from autograder.diagnosis.random_program_traces import RandomProgramTraces

MOST_REMEMBERED = 1_000
"""How many lists of traces are remembered; a list has about 30 traces."""


class MistakeCandidateRunner:
    """Runs candidates, and remembers their traces.

    The traces do not depend on a submission: candidates are the course's own code, and a run is the same every time.
    A run in which a process was stopped is not remembered, since a busy machine may have caused that.
    """

    def __init__(
        self,
        open_bridge: Callable[[str], Bridge],
        max_results: int = MOST_REMEMBERED,
        run_cache: CourseProgramRunCache | None = None,
    ) -> None:
        """Run nothing yet.

        Args:
            open_bridge: opens a process for a source text; this object ends it.
            max_results: how many lists of traces to remember.
            run_cache: keeps traces between runs of the kit; None to keep nothing.
        """
        self._open_process, self._kept = open_bridge, run_cache or CourseProgramRunCache(None)
        self._traces: LruCache[tuple[str, Sequence[Any]], Sequence[ProgramReadings]] = LruCache(max_results)

    def behaves_like_submission(self, candidate_source: str, submission_runs: RandomProgramTraces) -> bool:
        """Return whether a candidate does the same as a submission on the submission's programs.

        Raises:
            KitFault: no process can be started.
        """
        first = self._traces.get((candidate_source, submission_runs.programs[: submission_runs.common_program_count]))
        if first is not None and not submission_runs.agrees_with_traces(first):
            return False
        traces = self._traces.get((candidate_source, submission_runs.programs))
        if traces is None:
            traces = self._load_or_run(candidate_source, submission_runs)
        return submission_runs.agrees_with_traces(traces)

    def _load_or_run(self, source: str, tried: RandomProgramTraces) -> Sequence[ProgramReadings]:
        key = _hash_run(source, tried)
        traces: Sequence[ProgramReadings] | None = (
            self._kept.get_or_none(key, tuple[ProgramReadings, ...]) if key else None
        )
        if traces is None:
            traces = self._run(source, tried)
            if any(map(was_stopped, traces)):
                return traces
            if key:
                self._kept.store_if_absent(key, traces)
        self._traces.store(
            (source, tried.programs[: tried.common_program_count]), traces[: tried.common_program_count]
        )
        self._traces.store((source, tried.programs), traces)
        return traces

    def _run(self, source: str, tried: RandomProgramTraces) -> Sequence[ProgramReadings]:
        bridge = self._open_process(source)
        try:
            careful = any(map(was_stopped, tried.traces))
            return trace_until_second_stop(
                ProgramRunner(tried.program_family, bridge, fresh_process_per_program=careful), tried.programs
            )
        finally:
            bridge.end_process()


def _hash_run(source: str, tried: RandomProgramTraces) -> bytes | None:
    """Return the key of a run; None if it cannot be kept.

    It cannot be kept if the programs cannot be written as request sequences, or if one of the submission's runs was
    stopped.
    """
    family = tried.program_family
    if not isinstance(family, BatchableProgramFamily) or any(map(was_stopped, tried.traces)):
        return None
    asked = (family.make_request_sequence(program).packed_steps for program in tried.programs)
    return hash_run_inputs("traces", source, further_texts=asked)

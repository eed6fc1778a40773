"""Provide what a diagnosis needs of an assignment: its definition, the reference solution, and processes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from autograder.bridge import Bridge, StopByLocation, SubmissionProgram
from autograder.course import Limits
from autograder.diagnosis.caches import LruCache
from autograder.diagnosis.definition import (
    AssignmentDiagnosis,
    DiagnosisContext,
    DiagnosisProgramFamily,
    load_diagnosis_or_none,
)
from autograder.diagnosis.program_runner import ProgramRunner
from autograder.diagnosis.readings import ProgramReadings, was_stopped
from autograder.grading import Grader
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest

MOST_REMEMBERED = 20_000
"""How many traces are remembered: enough for all small programs of an assignment, and for programs near the
counterexamples of a class."""
MOST_TOGETHER = 500
"""How many programs share a process."""


class ReferenceSolutionRunner:
    """Runs programs on the reference solution, and remembers their traces. See ``ReferenceSolutionOracle``."""

    def __init__(self, open_bridge: Callable[[], Bridge]) -> None:
        """Run nothing yet.

        Args:
            open_bridge: opens a process for the reference solution; this object ends it.
        """
        self._open_process = open_bridge
        self._traces: LruCache[tuple[str, Any], ProgramReadings] = LruCache(MOST_REMEMBERED)
        self._bridge: Bridge | None = None
        self._ran = 0

    @cached_property
    def implemented_names(self) -> frozenset[str]:
        """See ``ReferenceSolutionOracle``."""
        bridge = self._open()
        return BridgedSubmissionUnderTest(bridge, bridge.load_without_fatal_code()).implemented_names

    def trace_program(self, program_family: DiagnosisProgramFamily, program: Any) -> ProgramReadings:
        """See ``ReferenceSolutionOracle``."""
        key = type(program_family).__qualname__, program
        known = self._traces.get(key)
        if known is not None:
            return known
        if self._ran == MOST_TOGETHER:
            self.end_process()
        self._ran += 1
        trace = ProgramRunner(program_family, self._open(), fresh_process_per_program=True)(program)
        if was_stopped(trace):
            self.end_process()
        else:
            self._traces.store(key, trace)
        return trace

    def end_process(self) -> None:
        """End the process, if there is one; the next program gets a fresh one."""
        if self._bridge is not None:
            self._bridge.end_process()
        self._bridge, self._ran = None, 0

    def _open(self) -> Bridge:
        if self._bridge is None:
            self._bridge = self._open_process()
        return self._bridge


CPU_SECONDS, MOST_SECONDS = 0.2, 2.0
"""Seconds of CPU time of one program, and of CPU time and time asleep of all programs together. These are emergency
brakes: normally, the number of programs is the limit."""


def make_experiment_limits(limits: Limits) -> Limits:
    """Return the time limits for experiments, which are tiny: one that exceeds them would probably never end.

    Args:
        limits: the assignment's limits.
    """
    return replace(
        limits,
        cpu_seconds=min(CPU_SECONDS, limits.cpu_seconds),
        submission_seconds=min(MOST_SECONDS, limits.submission_seconds) + limits.import_seconds,
    )


class AssignmentDiagnosisResources:
    """The parts of one grader's assignment that a diagnosis needs: its definition, reference runner and processes."""

    def __init__(self, grader: Grader) -> None:
        """Read nothing yet.

        Args:
            grader: opens the processes.
        """
        self.grader = grader
        self.assignment = grader.assignment

    @cached_property
    def definition_or_none(self) -> AssignmentDiagnosis | None:
        """Return what the assignment's diagnosis module defines; None if there is no such module.

        Raises:
            CourseFault: the module cannot be used.
        """
        return load_diagnosis_or_none(self.assignment)

    @cached_property
    def solution_source(self) -> str:
        """Return the source of the reference solution."""
        return self.assignment.solution_file.read_text(encoding="utf-8")

    @cached_property
    def reference_runner(self) -> ReferenceSolutionRunner:
        """Return the runner of the reference solution; its process starts when it is first needed."""
        return ReferenceSolutionRunner(lambda: self.acquire_experiment_bridge(self.solution_source))

    def make_diagnosis_context(self, implemented_names: Collection[str]) -> DiagnosisContext:
        """Return the context that the diagnosis module gets for one program.

        Args:
            implemented_names: which names of the contract the program defines.
        """
        return DiagnosisContext(self.assignment, frozenset(implemented_names), self.reference_runner)

    def acquire_experiment_bridge(
        self,
        submission_or_source_text: SubmissionProgram | str,
        earlier_stops: StopByLocation | None = None,
        *,
        needs_fresh_processes: bool = False,
    ) -> Bridge:
        """Open a process for experiments, or reuse the one that grading kept; the caller must end it.

        Args:
            submission_or_source_text: a submission, or the source of a program of the course's own.
            earlier_stops: where hidden tests were stopped in the submission; see ``Bridge``.
            needs_fresh_processes: see ``StateBetweenTests``.

        Raises:
            KitFault: no process can be started.
        """
        made = (
            self.grader.suite_runner.make_program_with_given_code(submission_or_source_text)
            if isinstance(submission_or_source_text, str)
            else submission_or_source_text
        )
        return self.grader.suite_runner.acquire_bridge(
            made,
            make_experiment_limits(self.assignment.limits),
            earlier_stops,
            needs_fresh_processes=needs_fresh_processes,
        )

    @contextmanager
    def open_course_program(self, source_text: str) -> Iterator[tuple[DiagnosisContext, Bridge]]:
        """Open a process for one of the course's own programs, and yield its context; end the process afterwards."""
        bridge = self.acquire_experiment_bridge(source_text)
        try:
            names = BridgedSubmissionUnderTest(bridge, bridge.load_without_fatal_code()).implemented_names
            yield self.make_diagnosis_context(names), bridge
        finally:
            bridge.end_process()

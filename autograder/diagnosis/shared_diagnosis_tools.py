"""Hold what the diagnoses of one assignment share: its known mistakes, and results of the course's own programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from autograder.diagnosis import course_program_run_cache
from autograder.diagnosis.course_program_run_cache import CourseProgramRunCache
from autograder.diagnosis.diagnosis_definition import DiagnosisContext
from autograder.diagnosis.diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.naming import mistake_candidate_runs
from autograder.diagnosis.naming.misconception_observations_file import (
    Observed,
    get_usable_observations_hash,
    hash_observation_inputs,
    read_observations_if_current,
)
from autograder.diagnosis.naming.mistake_candidate_runs import MistakeCandidateRunner
from autograder.diagnosis.naming.mistake_naming import MistakeNamer
from autograder.diagnosis.program_family import DiagnosisProgramFamily
from autograder.diagnosis.random_program_search import GeneratedProgramCache
from autograder.diagnosis.replay import counterexample_replay
from autograder.diagnosis.replay.counterexample_replay import SideBySideReplayer
from autograder.grading.prefetching.course_program_request_cache import get_suite_cache_path


class SharedDiagnosisTools:
    """Provides what all diagnoses of an assignment need; each thing is made at its first use, and remembered."""

    def __init__(
        self,
        resources: AssignmentDiagnosisResources,
        observed_misconceptions: Mapping[str, Observed] | None,
        *,
        caches_between_submissions: bool,
    ) -> None:
        """Read nothing yet.

        Args:
            resources: the assignment's resources.
            observed_misconceptions: what is lost with each misconception; read from the generated file when None.
            caches_between_submissions: whether runs of the course's programs are remembered.
        """
        self._resources, self._assignment = resources, resources.grader.assignment
        self._given, self._remembers = observed_misconceptions, caches_between_submissions

    @cached_property
    def observation_inputs_hash(self) -> str:
        """Return the hash of everything that the observations depend on; empty if there are no usable ones."""
        return (
            get_usable_observations_hash(self._assignment)
            if self._given is None
            else hash_observation_inputs(self._assignment)
        )

    @cached_property
    def mistake_namer(self) -> MistakeNamer | None:
        """Return the namer of mistakes; None if no observations are up to date."""
        known = read_observations_if_current(self._assignment) if self._given is None else self._given
        if known is None:
            return None
        runner = MistakeCandidateRunner(
            self._resources.acquire_experiment_bridge,
            mistake_candidate_runs.MOST_REMEMBERED if self._remembers else 0,
            self._run_cache_file,
        )
        return MistakeNamer(self._assignment, known, runner)

    @cached_property
    def replayer(self) -> SideBySideReplayer:
        """Return the replayer, which runs a counterexample step by step."""
        return SideBySideReplayer(
            lambda: self._resources.acquire_experiment_bridge(self._resources.solution_source),
            counterexample_replay.MOST_REMEMBERED if self._remembers else 0,
            self._run_cache_file,
        )

    def make_generated_program_getter(
        self, program_family: DiagnosisProgramFamily, context: DiagnosisContext
    ) -> Callable[[], Sequence[Any]] | None:
        """Return a function that returns the random programs of a search; None if each search generates its own."""
        if not self._remembers:
            return None
        return partial(self._generated_programs.get_or_generate, program_family, context.implemented_names)

    @cached_property
    def _generated_programs(self) -> GeneratedProgramCache:
        return GeneratedProgramCache(self._run_cache_file)

    @cached_property
    def _run_cache_file(self) -> CourseProgramRunCache:
        def find_file() -> Path:
            inputs = hash_observation_inputs(self._assignment)
            return get_suite_cache_path(self._resources.grader.suite_runner, course_program_run_cache.SUFFIX, inputs)

        return CourseProgramRunCache(find_file if self._remembers else None)

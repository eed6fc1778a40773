"""Learn the requests of each part's experiments to right programs in every style, so that they can be prefetched."""

from __future__ import annotations

from functools import cached_property

from autograder.course.solution_styles import load_solution_styles, try_apply_style_and_mistakes
from autograder.diagnosis.diagnosis_resources import AssignmentDiagnosisResources
from autograder.diagnosis.naming.misconception_observations_file import hash_observation_inputs
from autograder.diagnosis.part_examination import ExaminationTimeout, learn_request_paths_of_parts
from autograder.diagnosis.part_experiment_prefetcher import KnownPartExperiments
from autograder.grading.prefetching.course_program_request_cache import (
    PART_PATHS,
    try_add_cached_requests,
    try_save_known_requests,
)
from autograder.grading.prefetching.known_requests_and_verdicts import KnownRequestsAndVerdicts

LEARN_STYLES_AT = 10
"""Before this diagnosis, counted from 1, a worker learns the requests for all styles. This takes as long as some
diagnoses, and saves half of the messages of each later diagnosis in such a style."""


class ExperimentRequestLearner:
    """Gives the requests that experiments make to right programs: from an earlier run, or learnt when it pays."""

    def __init__(self, diagnosis_resources: AssignmentDiagnosisResources) -> None:
        """Learn nothing yet.

        Args:
            diagnosis_resources: opens right programs.
        """
        self._programs = diagnosis_resources
        self._diagnoses = 0

    def get_or_learn_requests(self) -> KnownPartExperiments | None:
        """Count one more diagnosis, and return the known requests.

        If nothing was kept from an earlier run, return None at the first diagnosis, learn the plain style at the
        second, and learn all styles at the tenth.

        Raises:
            KitFault: no process can be started.
        """
        self._diagnoses += 1
        if self._kept is not None:
            return self._kept
        if self._diagnoses == 1:
            return None
        if self._diagnoses == LEARN_STYLES_AT:
            for style in load_solution_styles(self._programs.assignment):
                self._learn(self._learnt, try_apply_style_and_mistakes(style, self._programs.solution_source, ()))
            known = KnownRequestsAndVerdicts(self._learnt.paths)
            try_save_known_requests(self._programs.grader.suite_runner, PART_PATHS, known, self._inputs_hash)
        return self._learnt

    @cached_property
    def _inputs_hash(self) -> str:
        return hash_observation_inputs(self._programs.assignment)

    @cached_property
    def _kept(self) -> KnownPartExperiments | None:
        """Return the requests for all styles that an earlier run learnt; None if nothing was kept."""
        kept = KnownPartExperiments()
        known = KnownRequestsAndVerdicts(kept.paths)
        runner = self._programs.grader.suite_runner
        return kept if try_add_cached_requests(runner, PART_PATHS, known, self._inputs_hash) else None

    @cached_property
    def _learnt(self) -> KnownPartExperiments:
        known = KnownPartExperiments()
        self._learn(known, self._programs.solution_source)
        return known

    def _learn(self, known_experiments: KnownPartExperiments, source: str | None) -> None:
        """Learn the requests to a right program, as far as time allows; nothing if there is no program or module."""
        definition = self._programs.definition_or_none
        if source is None or definition is None:
            return
        try:
            with self._programs.open_course_program(source) as (context, bridge):
                learn_request_paths_of_parts(definition.list_parts(context), bridge, known_experiments)
        except ExaminationTimeout:
            return

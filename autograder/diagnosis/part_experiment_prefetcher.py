"""Request the answers for parts of a submission together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from autograder.bridge import Bridge, StudentProxy, StudentStopped
from autograder.bridge.process_messages import MalformedMessage
from autograder.bridge.request_transcript import Exchange
from autograder.diagnosis.diagnosis_definition import DiagnosablePart
from autograder.diagnosis.part_experiment_log import PartExperimentResult
from autograder.grading.prefetching.answer_prefetcher import AnswerPrefetcher
from autograder.grading.prefetching.known_request_paths import KnownRequestPaths
from autograder.grading.prefetching.prefetch_resynchronizer import PrefetchResynchronizer

ExaminePart = Callable[[DiagnosablePart, Sequence[Exchange], PrefetchResynchronizer], PartExperimentResult]
"""Examines a part, given the prefetched answers, and the resynchronizer for when it makes other requests."""


@dataclass(slots=True)
class KnownPartExperiments:
    """What is known of the experiments beforehand, from the reference solution in its styles.

    Attributes:
        paths: the sequences of requests that each part's experiments make to right programs.
    """

    paths: KnownRequestPaths = field(default_factory=KnownRequestPaths)


class PartExperimentPrefetcher:
    """Examines the parts of a submission on prefetched answers; its tests must be independent of each other."""

    def __init__(
        self,
        known_experiments: KnownPartExperiments,
        bridge: Bridge,
        student: StudentProxy,
        parts: Sequence[DiagnosablePart],
    ) -> None:
        """Prepare the prefetching; send nothing yet."""
        self._known, self._bridge, self._remembered = known_experiments, bridge, student.remembered
        self._prefetcher = AnswerPrefetcher(
            known_experiments.paths,
            bridge,
            student.remembered,
            [(part.name, bridge.reverses_set_order) for part in parts],
        )

    def try_examine_on_prefetched_answers(
        self, part: DiagnosablePart, examine_with_answers: ExaminePart
    ) -> PartExperimentResult | None:
        """Return the result of a part; None if the part must be examined without prefetched answers.

        Args:
            part: the part.
            examine_with_answers: called with the answers to the requests that were sent ahead.
        """
        try:
            answered = self._prefetcher.take_answers((part.name, self._bridge.reverses_set_order))
        except StudentStopped:
            return None
        if answered is None:
            return None
        try:
            given = answered.parse_exchanges()
        except MalformedMessage:
            return None
        resynchronizer = PrefetchResynchronizer(
            self._known.paths, part.name, self._bridge, self._remembered, answered.path.requests
        )
        result = examine_with_answers(part, given, resynchronizer)
        if self._bridge.transcript.left_known_path or result.was_stopped:
            return None
        return result

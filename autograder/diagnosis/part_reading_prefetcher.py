"""Ask for the parts of a submission together; equal answers to equal requests give equal readings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.bridge import Bridge, StudentProxy, StudentStopped
from autograder.bridge.process_messages import MalformedMessage
from autograder.bridge.request_transcript import Exchange
from autograder.diagnosis.assignment_diagnosis import DiagnosedPart
from autograder.diagnosis.experiment_log import ENDLESS, PartExperimentResult
from autograder.diagnosis.in_memory_caches import BoundedLruCache
from autograder.grading.answer_prefetcher import AnswerPrefetcher
from autograder.grading.known_request_paths import KnownRequestPaths
from autograder.grading.prefetch_resynchronization import PrefetchResynchronizer

MOST_READINGS = 2_000

Read = Callable[[DiagnosedPart, Sequence[Exchange], PrefetchResynchronizer], PartExperimentResult]
"""Looks at a part, given all the answers, and what to call where it asks something else."""


@dataclass(slots=True)
class KnownPartRequestsAndReadings:
    """What is known of the experiments before a submission is looked at: from the reference solution and others.

    Attributes:
        paths: what each part of the reference is asked.
        readings: what came of answers that were given before, by anybody.
    """

    paths: KnownRequestPaths = field(default_factory=KnownRequestPaths)
    readings: BoundedLruCache[tuple[Any, ...], PartExperimentResult] = field(
        default_factory=lambda: BoundedLruCache(MOST_READINGS)
    )

    def add_requests_just_made(self, part: DiagnosedPart, bridge: Bridge) -> None:
        """Learn what a part of the reference solution was asked just now."""
        self.paths.add_path(part.name, bridge.transcript.exchanges, ends_test=bridge.transcript.is_repeatable)


class PartReadingPrefetcher:
    """Read the parts of a submission that keeps nothing between tests, from answers asked for together."""

    def __init__(
        self,
        known_requests_and_readings: KnownPartRequestsAndReadings,
        bridge: Bridge,
        student: StudentProxy,
        parts: Sequence[DiagnosedPart],
    ) -> None:
        """Prepare to ask; send nothing yet."""
        self._known, self._bridge, self._remembered = known_requests_and_readings, bridge, student.remembered
        self._prefetcher = AnswerPrefetcher(
            known_requests_and_readings.paths,
            bridge,
            student.remembered,
            [(part.name, bridge.reverses_set_order) for part in parts],
        )

    def try_get_reading_by_prefetched_answers(
        self, part: DiagnosedPart, examine_with_answers: Read
    ) -> PartExperimentResult | None:
        """Return the reading of a part; None where the part must be asked by itself.

        Args:
            part: the part.
            examine_with_answers: called where no reading of these answers is remembered.
        """
        try:
            answered = self._prefetcher.try_prefetch_and_take_answers((part.name, self._bridge.reverses_set_order))
        except StudentStopped:
            return None
        if answered is None:
            return None
        key = part.name, *answered.cache_key
        known = self._known.readings.get(key)
        if known is not None:
            return known
        try:
            given = answered.parse_exchanges()
        except MalformedMessage:
            return None
        resynchronizer = PrefetchResynchronizer(
            self._known.paths, part.name, self._bridge, self._remembered, answered.path.requests
        )
        reading = examine_with_answers(part, given, resynchronizer)
        if self._bridge.transcript.left_known_path or any(f.finding_id == ENDLESS for f in reading.findings):
            return None
        if not resynchronizer.resend_count:
            self._known.readings.store(key, reading)
        return reading

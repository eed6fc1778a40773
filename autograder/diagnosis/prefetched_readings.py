"""Ask for the parts of a submission together; equal answers to equal requests give equal readings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.bridge import Bridge, StudentProxy, StudentStopped
from autograder.bridge.transcript import Exchanged
from autograder.bridge.wire_format import MalformedMessage
from autograder.diagnosis.assignment_diagnosis import Part
from autograder.diagnosis.experiment_log import PartReading
from autograder.diagnosis.general_names import ENDLESS
from autograder.diagnosis.memoization import LruMemo
from autograder.grading.request_paths import RequestPaths
from autograder.grading.request_pipeline import RequestPipeline

MOST_READINGS = 2_000

Read = Callable[[Part, Sequence[Exchanged]], PartReading]
"""Looks at a part, given the answers to the first requests, or to all of them."""


@dataclass(slots=True)
class ReferenceReadings:
    """What is known of the experiments before a submission is looked at: from the reference solution and others.

    Attributes:
        paths: what each part of the reference is asked.
        readings: what came of answers that were given before, by anybody.
    """

    paths: RequestPaths = field(default_factory=RequestPaths)
    readings: LruMemo[tuple[Any, ...], PartReading] = field(default_factory=lambda: LruMemo(MOST_READINGS))

    def learn_part(self, part: Part, bridge: Bridge) -> None:
        """Learn what a part of the reference solution was asked just now."""
        self.paths.learn_path(part.name, bridge.transcript.asked, ended=bridge.transcript.repeatable)


class PrefetchedReadings:
    """The answers of one submission to what the reference is asked; for one that keeps nothing between tests."""

    def __init__(
        self, known: ReferenceReadings, bridge: Bridge, student: StudentProxy, parts: Sequence[Part]
    ) -> None:
        """Prepare to ask; send nothing yet."""
        self._known, self._bridge = known, bridge
        self._ahead = RequestPipeline(
            known.paths, bridge, student.remembered, [(part.name, bridge.reversed_sets) for part in parts]
        )

    def get_reading(self, part: Part, parse_reading: Read) -> PartReading | None:
        """Return the reading of a part; None where the part must be asked by itself.

        Args:
            part: the part.
            parse_reading: called where no reading of these answers is remembered.
        """
        try:
            answered = self._ahead.take_answers((part.name, self._bridge.reversed_sets))
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
        reading = parse_reading(part, given)
        if self._bridge.transcript.strayed or any(finding.name == ENDLESS for finding in reading.findings):
            return None
        self._known.readings.store(key, reading)
        return reading

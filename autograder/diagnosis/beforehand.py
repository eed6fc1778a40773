"""Ask for the parts of a submission together; equal answers to equal requests give equal readings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograder.bridge import Bridge, Student, StudentStopped
from autograder.bridge.replay import Exchanged
from autograder.bridge.wire import Malformed
from autograder.diagnosis.general import ENDLESS
from autograder.diagnosis.memo import Memo
from autograder.diagnosis.parts import Part
from autograder.diagnosis.probes.reading import Reading
from autograder.grading.ahead import Ahead
from autograder.grading.paths import Paths

MOST_READINGS = 2_000

Read = Callable[[Part, Sequence[Exchanged]], Reading]
"""Looks at a part, given the answers to the first requests, or to all of them."""


@dataclass(slots=True)
class KnownParts:
    """What is known of the experiments before a submission is looked at: from the reference solution and others.

    Attributes:
        paths: what each part of the reference is asked.
        readings: what came of answers that were given before, by anybody.
    """

    paths: Paths = field(default_factory=Paths)
    readings: Memo[tuple[Any, ...], Reading] = field(default_factory=lambda: Memo(MOST_READINGS))

    def learn(self, part: Part, bridge: Bridge) -> None:
        """Learn what a part of the reference solution was asked just now."""
        self.paths.learn(part.name, bridge.transcript.asked, ended=bridge.transcript.repeatable)


class Beforehand:
    """The answers of one submission to what the reference is asked; for one that keeps nothing between tests."""

    def __init__(self, known: KnownParts, bridge: Bridge, student: Student, parts: Sequence[Part]) -> None:
        """Prepare to ask; send nothing yet."""
        self._known, self._bridge = known, bridge
        self._ahead = Ahead(known.paths, bridge, student.remembered, [(part.name, bridge.falling) for part in parts])

    def reading(self, part: Part, read: Read) -> Reading | None:
        """Return the reading of a part; None where the part must be asked by itself.

        Args:
            part: the part.
            read: called where no reading of these answers is remembered.
        """
        try:
            answered = self._ahead.answered((part.name, self._bridge.falling))
        except StudentStopped:
            return None
        if answered is None:
            return None
        key = part.name, *answered.key
        known = self._known.readings.get(key)
        if known is not None:
            return known
        try:
            given = answered.exchanged()
        except Malformed:
            return None
        reading = read(part, given)
        if self._bridge.transcript.strayed or any(finding.name == ENDLESS for finding in reading.findings):
            return None
        self._known.readings.put(key, reading)
        return reading

"""What a grader takes for a generated class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.generated_class import Kind
from benchmarks.measure import Cost
from benchmarks.peers.peer import Peer

FULL = 1 - 1e-9
Fate = Literal["graded", "full marks", "no result", "killed"]


@dataclass(frozen=True, slots=True)
class Part:
    """What submissions of one kind took."""

    graded: int
    """How many were graded, or tried."""
    stand_for: int
    """How many the class has."""
    each: float
    """Seconds for one more that ended."""
    cpu_each: float
    """CPU seconds for one more that ended."""
    fates: Mapping[Fate, int]

    @property
    def lost_marks(self) -> int:
        """How many of them did not get full marks."""
        return self.graded - self.fates.get("full marks", 0)


@dataclass(frozen=True, slots=True)
class Hanging:
    """What became of one submission that hangs, crashes or floods."""

    what: str
    seconds: float
    fate: Fate
    share: float = 0.0
    """Of the full marks, where it got some."""


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A grader on the generated class."""

    peer: Peer
    at_once: int
    start_up: float
    parts: Mapping[Kind, Part]
    """Without those that hang. Some graders are measured on the right ones alone."""
    complete: bool
    """Whether the CPU seconds hold all processes."""
    hanging: Sequence[Hanging] = ()
    whole: Cost | None = None
    """The class in one run; None where it is computed from the parts."""

    @property
    def each_that_ends(self) -> float | None:
        """Seconds for one more program that ends, of the kinds as the class has them; None where one is missing."""
        if len(self.parts) < 3:
            return None
        count = sum(part.stand_for for part in self.parts.values())
        return sum(part.stand_for * part.each for part in self.parts.values()) / count

    @property
    def seconds(self) -> float | None:
        """How long the class takes; computed where it was not graded in one run, None where a part is missing."""
        if self.whole:
            return self.whole.seconds
        if self.each_that_ends is None or not self.hanging:
            return None
        ends = sum(part.stand_for * part.each for part in self.parts.values())
        return self.start_up + ends + sum(one.seconds for one in self.hanging) / self.at_once

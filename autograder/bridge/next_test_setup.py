"""Say how a student's process prepares for the next test."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from autograder.bridge.process_messages import encode_message
from autograder.sandbox.frame_channel import pack_frame
from autograder.sandbox.machine_speed import get_slowness


@dataclass(frozen=True, slots=True)
class UnitChange:
    """Another text in the place of a part of one unit, as the submission was handed in."""

    unit: int
    """Counts the program's units from 0."""
    start: int
    """The first character that is replaced; characters count from 0."""
    end: int
    """The first one after that which is not."""
    text: str
    cpu_seconds: float = 0.0
    """CPU seconds of the reference machine after which a test with the changed text gives up; 0 for no such limit."""

    def pack(self) -> list[Any]:
        """Return it as the process reads it, with seconds of this machine."""
        return [self.unit, self.start, self.end, self.text, self.cpu_seconds * get_slowness()]


def make_unit_change(unit: int, before: str, after: str, cpu_seconds: float = 0.0) -> UnitChange:
    """Return the shortest change of a unit's text, from one to another."""
    start = _count_common(before, after)
    end = _count_common(before[start:][::-1], after[start:][::-1])
    return UnitChange(unit, start, len(before) - end, after[start : len(after) - end], cpu_seconds)


def _count_common(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    return bisect_left(range(min(len(one), len(other))), True, key=lambda end: one[: end + 1] != other[: end + 1])


@dataclass(frozen=True, slots=True)
class NextTestSetup:
    """How the process prepares for a test, besides dropping what the last test held."""

    reverses_set_order: bool = False
    """Whether sets have the opposite order in the test."""
    reloads_code: bool = False
    """Whether the submission's code is run again before the test. Its names then stand for new objects."""
    address_space_limit_bytes: int = 0
    """The limit of the address space that the process sets itself; 0 for the assignment's limit."""
    change: UnitChange | None = None
    """What the text is changed to from this test on; None to change nothing."""

    def pack_message(self) -> bytes:
        """Return the message that begins the test, packed as a frame."""
        content = [
            self.reverses_set_order,
            self.reloads_code,
            self.address_space_limit_bytes,
            self.change.pack() if self.change else [],
        ]
        return pack_frame(encode_message([0, "forget", content]))

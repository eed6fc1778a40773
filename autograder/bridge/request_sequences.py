"""Write request sequences: several requests that travel in one message, each using results of the ones before.

Sequences are made here and carried out on the student's side (see ``inside.request_sequence_runner``). No expected
result travels with them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

ANY_LENGTH = -1
Kind = Literal["", "object", "objects", "read"]
"""What a step must give: anything, an object of the submission's, a list of such, or a list of readings."""
Reference = dict[str, Any]
"""Stands for results of earlier steps in a step's arguments."""
ReadingLengths = tuple[int, ...]
"""How many steps a sequence has, and how many readings each of its steps gives that reads."""


@dataclass(frozen=True, slots=True)
class RequestSequence:
    """Some requests, ready to be sent."""

    packed_steps: str
    reading_lengths: ReadingLengths
    step_labels: tuple[tuple[str, int], ...]
    """For each step, what whoever made the sequence calls it."""


@dataclass(slots=True)
class RequestSequenceBuilder:
    """Writes a sequence step by step.

    Attributes:
        step_label: what the steps to come are called.
    """

    step_label: tuple[str, int]
    _steps: list[Any] = field(default_factory=list)
    _places: list[tuple[str, int]] = field(default_factory=list)
    _lengths: list[int] = field(default_factory=list)
    _results: int = 0

    def add_request(self, request: str, *arguments: Any, kind: Kind = "") -> int:
        """Add a request that gives one result.

        Args:
            request: its name.
            arguments: plain data, and what ``make_result_reference`` and ``make_result_list_reference`` give.
            kind: what it must give; ``""`` or ``object``.

        Returns:
            The result's number.
        """
        return self._add_step(request, arguments, kind, 1)[0]

    def add_object_list_request(self, count: int, request: str, *arguments: Any) -> list[int]:
        """Add a request that gives a list of ``count`` objects; return their numbers."""
        return self._add_step(request, arguments, "objects", count)

    def add_readings_request(self, length: int, request: str, *arguments: Any) -> None:
        """Add a request that gives a list of readings, of this length or of ``ANY_LENGTH``."""
        self._add_step(request, arguments, "read", 0)
        self._lengths.append(length)

    def _add_step(self, request: str, arguments: Sequence[Any], kind: Kind, results: int) -> list[int]:
        self._steps.append([kind, request, arguments])
        self._places.append(self.step_label)
        self._results += results
        return [*range(self._results - results, self._results)]

    def build(self) -> RequestSequence:
        """Return the sequence with all steps so far."""
        text = json.dumps(self._steps, separators=(",", ":"), allow_nan=False)
        return RequestSequence(text, (len(self._steps), *self._lengths), tuple(self._places))


def make_result_reference(number: int) -> Reference:
    """Return a reference that stands for one result in arguments."""
    return {"r": number}


def make_result_list_reference(numbers: Sequence[int]) -> Reference:
    """Return a reference that stands for a list of results in arguments."""
    return {"r": [*numbers]}

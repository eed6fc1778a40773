"""Build request sequences, each request of which may use results of the earlier ones, and parse their results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from autograder.bridge.student_exceptions import TEXT_LENGTH, get_builtin_exception_name_or_default

ANY_LENGTH = -1
Kind = Literal["", "object", "objects", "read"]
"""What a step must return: anything, an object of the submission, a list of such objects, or a list of readings."""
Reference = dict[str, Any]
"""Stands for results of earlier steps in a step's arguments."""
ReadingLengths = tuple[int, ...]
"""The number of steps in a sequence, then the number of readings of each step that returns readings."""


@dataclass(frozen=True, slots=True)
class PackedRequests:
    """Some requests, ready to be sent."""

    packed_steps: str
    reading_lengths: ReadingLengths
    step_labels: tuple[tuple[str, int], ...]
    """For each step, the label that the creator of the sequence gave it."""


@dataclass(slots=True)
class RequestSequenceBuilder:
    """Writes a sequence step by step.

    Attributes:
        step_label: the label of the steps that are added next.
    """

    step_label: tuple[str, int]
    _steps: list[Any] = field(default_factory=list)
    _places: list[tuple[str, int]] = field(default_factory=list)
    _lengths: list[int] = field(default_factory=list)
    _results: int = 0

    def add_request(self, request_name: str, *arguments: Any, required_kind: Kind = "") -> int:
        """Add a request that gives one result.

        Args:
            request_name: its name.
            arguments: plain data, and what ``make_result_reference`` and ``make_result_list_reference`` give.
            required_kind: what it must give; ``""`` or ``object``.

        Returns:
            The result's number.
        """
        return self._add_step(request_name, arguments, required_kind, 1)[0]

    def add_request_and_get_object_numbers(self, object_count: int, request_name: str, *arguments: Any) -> list[int]:
        """Add a request that gives a list of ``object_count`` objects; return their numbers."""
        return self._add_step(request_name, arguments, "objects", object_count)

    def add_readings_request(self, expected_reading_count: int, request_name: str, *arguments: Any) -> None:
        """Add a request that gives a list of readings, of this length or of ``ANY_LENGTH``."""
        self._add_step(request_name, arguments, "read", 0)
        self._lengths.append(expected_reading_count)

    def _add_step(self, request: str, arguments: Sequence[Any], kind: Kind, results: int) -> list[int]:
        self._steps.append([kind, request, arguments])
        self._places.append(self.step_label)
        self._results += results
        return [*range(self._results - results, self._results)]

    def build(self) -> PackedRequests:
        """Return the sequence with all steps so far."""
        text = json.dumps(self._steps, separators=(",", ":"), allow_nan=False)
        return PackedRequests(text, (len(self._steps), *self._lengths), tuple(self._places))


def make_result_reference(result_number: int) -> Reference:
    """Return a reference that stands for one result in arguments."""
    return {"r": result_number}


def make_result_list_reference(result_numbers: Sequence[int]) -> Reference:
    """Return a reference that stands for a list of results in arguments."""
    return {"r": [*result_numbers]}


@dataclass(frozen=True, slots=True)
class RequestSequenceResult:
    """How a sequence ended."""

    readings: tuple[tuple[Any, ...], ...] = ()
    failed_step: int | None = None
    """The step at which the sequence failed; None if it was completed."""
    exception_name: str = ""
    """The built-in exception that the step raised; empty if the step's result was of the wrong kind."""
    message: str = ""
    """The exception's message."""


def are_leading_results_well_formed(
    answer: Sequence[Any], expected_step_and_reading_counts: Sequence[ReadingLengths]
) -> bool:
    """Return whether an answer holds a well-formed result for each of the first sequences, at least for one."""
    return 0 < len(answer) <= len(expected_step_and_reading_counts) and all(
        map(_is_ending, answer, expected_step_and_reading_counts)
    )


def parse_sequence_result(checked_result_data: Sequence[Any]) -> RequestSequenceResult:
    """Return how a sequence ended, given one item of an answer that was checked to be well formed."""
    match checked_result_data:
        case ["read", readings]:
            return RequestSequenceResult(tuple(map(tuple, readings)))
        case ["odd", step]:
            return RequestSequenceResult(failed_step=step)
        case [_, step, raised, message]:
            return RequestSequenceResult(
                (), step, get_builtin_exception_name_or_default(raised), message[:TEXT_LENGTH]
            )
    raise AssertionError("the answer was not checked")


def _is_ending(ending: Any, shape: ReadingLengths) -> bool:
    steps, *lengths = shape
    match ending:
        case ["read", [*readings]]:
            return len(readings) == len(lengths) and all(
                type(reading) is list and length in (ANY_LENGTH, len(reading))
                for reading, length in zip(readings, lengths, strict=True)
            )
        case ["odd", int(step)] | ["raised", int(step), str(_), str(_)]:
            return 0 <= step < steps
    return False

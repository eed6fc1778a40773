"""Parse the results of request sequences that the student's side reports; see ``request_sequences``.

Only well-formed answers are accepted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge.request_sequences import ANY_LENGTH, ReadingLengths
from autograder.bridge.student_exceptions import TEXT_LENGTH, get_builtin_exception_name_or_default


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

"""Read how scripts ended from the student's side; see ``script_writer``. Only well-formed answers are believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge.errors import TEXT_LENGTH, builtin_exception_name
from autograder.bridge.script_writer import ANY_LENGTH, Shape


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """How a script ended."""

    readings: tuple[tuple[Any, ...], ...] = ()
    step: int | None = None
    """The step that it could not go beyond; None where it went to its end."""
    raised: str = ""
    """The built-in exception that the step raised; empty where it gave another kind of thing than it must."""
    message: str = ""
    """What was said with it."""


def are_valid_script_results(answer: Sequence[Any], shapes: Sequence[Shape]) -> bool:
    """Return whether an answer holds a well-formed ending for each of the first scripts, at least for one."""
    return 0 < len(answer) <= len(shapes) and all(map(_is_ending, answer, shapes))


def parse_script_result(told: Sequence[Any]) -> ScriptResult:
    """Return how a script ended, from one item of an answer that ``are_valid_script_results`` accepted."""
    match told:
        case ["read", readings]:
            return ScriptResult(tuple(map(tuple, readings)))
        case ["odd", step]:
            return ScriptResult(step=step)
        case [_, step, raised, message]:
            return ScriptResult((), step, builtin_exception_name(raised), message[:TEXT_LENGTH])
    raise AssertionError("an answer that was not checked")


def _is_ending(told: Any, shape: Shape) -> bool:
    steps, *lengths = shape
    match told:
        case ["read", [*readings]]:
            return len(readings) == len(lengths) and all(
                type(one) is list and length in (ANY_LENGTH, len(one))
                for one, length in zip(readings, lengths, strict=True)
            )
        case ["odd", int(step)] | ["raised", int(step), str(_), str(_)]:
            return 0 <= step < steps
    return False

"""Run request sequences: several requests in one message, each using results of the ones before.

A sequence is a list of steps ``[kind, request, [argument, ...]]``. An argument ``{"r": 3}`` stands for result 3 and
``{"r": [3, 4]}`` for a list of results; everything else is plain. The kind says what a step must give:

    ""         anything; it is the next result
    "object"   an object of the submission's, and no plain data
    "objects"  a list of such objects; each is a result
    "read"     a list of readings, which go into the answer

A sequence ends with ``["read", [readings, ...]]``, ``["odd", step]`` where a step gave another kind of thing, or
``["raised", step, exception, message]``.
"""

from collections.abc import Callable
from time import monotonic
from typing import Any

from autograder.bridge.inside.fault_tolerant_source_runner import get_truncated_exception_message
from autograder.bridge.inside.message_channel import loads
from autograder.bridge.inside.value_codec import CONTAINERS, UnwindEndedTest, decode_value, encode_value

SECONDS = 0.02  # after which no further sequence is begun: all of one message share the time of one test


class _ReadingObjectPlaceholder:
    """Stands in a reading for an object, which cannot travel as plain data."""


THING = _ReadingObjectPlaceholder()


def run_request_sequences_until_timeout(
    packed_sequences: Any,
    request_handlers: Any,
    reset_between_sequences: Callable[[], None],
    before_step: Any = None,
    round_trip: Any = None,
) -> Any:
    """Carry out sequences one after the other; each begins where the submission was before any of them.

    Args:
        packed_sequences: the sequences as JSON.
        request_handlers: the function of each request.
        reset_between_sequences: drops what a sequence left.
        before_step: called with the number of each step before it is carried out; None for nothing.
        round_trip: used in place of ``_round_trip_value_and_tell_if_object`` where no values are sent.

    Returns:
        How each sequence ended; only of the first ones if they took long.
    """
    answers: list[Any] = []
    round_trip = round_trip or _round_trip_value_and_tell_if_object
    start = monotonic()
    for text in packed_sequences:
        if answers:
            if monotonic() - start > SECONDS:
                break
            reset_between_sequences()
        answers.append(_run_steps(loads(text), request_handlers, before_step, round_trip))
    return answers


def _round_trip_value_and_tell_if_object(value: Any) -> tuple[Any, bool]:
    """Return a value as it comes back from tests that got it, and whether it is an object."""
    data = encode_value(value)
    if type(data) is not dict:
        return data, False
    return (value, True) if "h" in data else (decode_value(data), False)


def _run_steps(steps: Any, requests: Any, before_step: Any, round_trip: Any) -> list[Any]:
    results: list[Any] = []
    readings: list[list[Any]] = []
    number = 0
    try:
        for number, (kind, request, arguments) in enumerate(steps):
            if before_step is not None:
                before_step(number)
            result = requests[request](*[_insert_results(argument, results) for argument in arguments])
            if kind == "read":
                readings.append([_freeze_reading(item, round_trip) for item in result])
                continue
            encoded_items = [round_trip(item) for item in (result if kind == "objects" else [result])]
            if kind and not all(is_object for _, is_object in encoded_items):
                return ["odd", number]
            results += [value for value, _ in encoded_items]
    except (MemoryError, UnwindEndedTest):
        raise
    except BaseException as error:
        builtin = next((base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins"), "Exception")
        return ["raised", number, builtin, get_truncated_exception_message(error)]
    return ["read", readings]


def _insert_results(argument: Any, results: list[Any]) -> Any:
    """Return an argument with results in the place of their numbers."""
    if type(argument) is not dict or "r" not in argument:
        return argument
    numbers = argument["r"]
    return results[numbers] if type(numbers) is int else [results[number] for number in numbers]


def _freeze_reading(value: Any, round_trip: Any) -> Any:
    """Return a reading as plain data that no later sequence changes: containers are empty, objects are ``THING``."""
    encoded, is_object = round_trip(value)
    if is_object:
        return THING
    kind = type(encoded)
    return kind() if kind in CONTAINERS or kind is dict else encoded

"""Pack messages to a student's process, and take apart those from one: frames of JSON that nobody believes."""

from __future__ import annotations

import json
from typing import Any

import msgspec

MOST_BRACES = 300_000
"""Values with a tag in one message: more than the largest honest answer has."""


class MalformedMessage(Exception):
    """A message that does not keep to the format."""


class UnparsedAnswer:
    """What a process answered to one request: parts of its message, neither read nor believed yet.

    Attributes:
        kind: ``ok``, ``raised`` or ``void``.
        key: everything that a test can see of it; equal for equal answers.
    """

    __slots__ = ("_parts", "key", "kind")

    def __init__(self, parts: list[msgspec.Raw]) -> None:
        """Take the parts of an answer.

        Raises:
            MalformedMessage: they are not the parts of an answer.
        """
        kind = _SHAPES.get((len(parts), bytes(parts[0]) if parts else b""))
        if kind is None:
            raise MalformedMessage("an unknown kind of answer")
        self.kind, self._parts = kind, parts
        self.key = b"".join(parts[:3])

    @property
    def parsed_content(self) -> Any:
        """Return the value or the exception, as JSON data. Raises as ``parse_frame`` does."""
        return _read(bytes(self._parts[1]))

    @property
    def parsed_notes(self) -> Any:
        """Return the notes that were called meanwhile, by number."""
        return _read(bytes(self._parts[2])) if self._parts[2] != NO_NOTES else []

    @property
    def parsed_place(self) -> Any:
        """Return where an exception was raised."""
        return _read(bytes(self._parts[3]))


NO_NOTES = b"[]"
_SHAPES = {(3, b'"ok"'): "ok", (4, b'"raised"'): "raised", (1, b'"void"'): "void"}


def split_answers_until_one_fails(frame: bytes, request_count: int) -> list[UnparsedAnswer]:
    """Return the answers in a message of the kind ``answers``.

    Args:
        frame: the message.
        request_count: how many requests were sent; the first that did not end well is the last that was carried out.

    Raises:
        MalformedMessage: it is no such message.
    """
    if frame.count(b"{") > MOST_BRACES:
        raise MalformedMessage("more values than an answer has")
    try:
        told = _answers_decoder.decode(frame)[2]
    except (ValueError, RecursionError):
        told = _split_answers_slowly(frame)
    answers = [UnparsedAnswer(parts) for parts in told]
    if len(answers) != request_count and not (0 < len(answers) < request_count and answers[-1].kind != "ok"):
        raise MalformedMessage("another number of answers than of requests")
    return answers


def _split_answers_slowly(frame: bytes) -> list[list[msgspec.Raw]]:
    """Return the parts of answers that hold something legal that only the slow parser takes; see ``_read``."""
    message = _parse_slowly(frame)
    try:
        number, kind, answers = message
        shaped = type(number) is int and type(kind) is str and type(answers) is list
        if not shaped or not all(type(answer) is list for answer in answers):
            raise MalformedMessage("no answers")
        return [[msgspec.Raw(_pack_part_slowly(part)) for part in answer] for answer in answers]
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedMessage(type(error).__name__) from None


def _pack_part_slowly(part: Any) -> bytes:
    return json.dumps(part, allow_nan=False, separators=(",", ":")).encode()


def _read(data: bytes) -> Any:
    try:
        return _decoder.decode(data)
    except (ValueError, RecursionError):
        # Half of a surrogate pair is legal in JSON and in a student's string; only the slow parser takes it.
        return _parse_slowly(data)


def parse_frame(frame: bytes) -> list[Any]:
    """Return a frame as a message: a list whose first item is its id.

    Raises:
        MalformedMessage: it is not JSON, not a message, or would take too long to read.
    """
    if frame.count(b"{") > MOST_BRACES:
        raise MalformedMessage("more values than an answer has")
    message = _read(frame)
    if type(message) is not list or len(message) < 2 or type(message[0]) is not int or type(message[1]) is not str:
        raise MalformedMessage("not a message")
    return message


def pack_json_message(message: list[Any]) -> bytes:
    """Return a message as the content of a frame."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return json.dumps(message, allow_nan=False).encode()


def _parse_slowly(frame: bytes) -> Any:
    try:
        return _slow_decoder.decode(frame.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise MalformedMessage(type(error).__name__) from None


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()
_answers_decoder = msgspec.json.Decoder(tuple[int, str, list[list[msgspec.Raw]]])
_slow_decoder = json.JSONDecoder(parse_constant=_no_constant)

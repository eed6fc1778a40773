"""Pack messages to a student's process, and parse the untrusted JSON messages from it."""

from __future__ import annotations

import json
import marshal
from functools import lru_cache
from typing import Any

import msgspec

from autograder.bridge.inside.value_codec import DECODERS

MOST_BRACES = 100_000
"""Maximum number of tagged values in one message: a hundred times what the largest answer of a solution has."""
MOST_SLOW_BYTES = 1 << 18
"""Maximum bytes of a message for the slow parser, which takes several times as long."""


MARSHALLED = b"\0"
"""The first byte of a frame with requests in ``marshal``'s format; no JSON begins with it."""
MOST_MARSHALLED = 5_000
"""Maximum number of cached results in that format. A test can have several, since its requests may depend on what
tests found out about a submission."""


class MalformedMessage(Exception):
    """A message that does not keep to the format."""


class UnparsedAnswer:
    """A process's answer to one request: parts of its message, neither parsed nor checked yet.

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
            raise MalformedMessage("the kind of answer is unknown")
        self.kind, self._parts = kind, parts
        self.key = b"".join(parts[:3])

    @property
    def unchecked_value_or_exception(self) -> Any:
        """Return the value or the exception, as JSON data. Raises as ``parse_json_message`` does."""
        return _decode_json(bytes(self._parts[1]))

    @property
    def unchecked_called_callback_numbers(self) -> Any:
        """Return the numbers of the recording callbacks that were called during the request, as JSON data."""
        return _decode_json(bytes(self._parts[2])) if len(self._parts) > 2 else []

    @property
    def unchecked_exception_location(self) -> Any:
        """Return where the exception was raised, as JSON data; only an answer of the kind ``raised`` has it.

        Raises as ``parse_json_message`` does.
        """
        return _decode_json(bytes(self._parts[3]))


_SHAPES = {(2, b'"ok"'): "ok", (3, b'"ok"'): "ok", (4, b'"raised"'): "raised", (1, b'"void"'): "void"}


def split_answers_message(packed_message: bytes, request_count: int) -> list[UnparsedAnswer]:
    """Return the answers in a message of the kind ``answers``.

    Args:
        packed_message: the message.
        request_count: how many requests were sent. The process stops after the first one that did not succeed.

    Raises:
        MalformedMessage: this is not such a message.
    """
    if packed_message.count(b"{") > MOST_BRACES:
        raise MalformedMessage("the answer has too many values")
    try:
        packed_answers = _answers_decoder.decode(packed_message)[2]
    except (ValueError, RecursionError):
        packed_answers = _split_answers_slowly(packed_message)
    answers = [UnparsedAnswer(parts) for parts in packed_answers]
    if len(answers) != request_count and not (0 < len(answers) < request_count and answers[-1].kind != "ok"):
        raise MalformedMessage("the number of answers differs from that of requests")
    return answers


def _split_answers_slowly(frame: bytes) -> list[list[msgspec.Raw]]:
    """Return the parts of answers in a legal message that only the slow parser accepts; see ``_decode_json``."""
    message = _parse_slowly(frame)
    try:
        number, kind, answers = message
        shaped = type(number) is int and type(kind) is str and type(answers) is list
        if not shaped or not all(type(answer) is list for answer in answers):
            raise MalformedMessage("the message holds no answers")
        return [[msgspec.Raw(_pack_part_slowly(part)) for part in answer] for answer in answers]
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedMessage(type(error).__name__) from None


def _pack_part_slowly(part: Any) -> bytes:
    return json.dumps(part, allow_nan=False, separators=(",", ":")).encode()


def _decode_json(data: bytes) -> Any:
    try:
        return _decoder.decode(data)
    except (ValueError, RecursionError):
        # Half of a surrogate pair is legal in JSON and in a student's string; only the slow parser takes it.
        return _parse_slowly(data)


def parse_json_message(packed_message: bytes) -> list[Any]:
    """Return a frame as a message: a list whose first item is its id.

    Raises:
        MalformedMessage: the frame is not JSON, not a message, or would take too long to read.
    """
    if packed_message.count(b"{") > MOST_BRACES:
        raise MalformedMessage("the answer has too many values")
    message = _decode_json(packed_message)
    if type(message) is not list or len(message) < 2 or type(message[0]) is not int or type(message[1]) is not str:
        raise MalformedMessage("the frame is not a message")
    return message


def encode_message(message: list[Any]) -> bytes:
    """Return a message as the content of a frame."""
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:
        return json.dumps(message, allow_nan=False).encode()


def make_marshalled_request_message(message_number: int, comma_joined_json_requests: bytes) -> bytes:
    """Return a message with requests in ``marshal``'s format, as the content of a frame.

    It is read in a fifth of the time that JSON takes. It is only sent to a student's process, which runs the same
    Python. Nothing is ever unmarshalled here.

    Args:
        message_number: the message's number.
        comma_joined_json_requests: the requests as JSON, joined by commas. The result is cached, since many
            submissions get the same requests.
    """
    return MARSHALLED + message_number.to_bytes(8, "big") + _marshal_requests(comma_joined_json_requests)


@lru_cache(MOST_MARSHALLED)
def _marshal_requests(packed_requests: bytes) -> bytes:
    return marshal.dumps(_decode_where_plain(json.loads(b"[%b]" % packed_requests), {}))


def _decode_where_plain(data: Any, texts: dict[str, str]) -> Any:
    """Return JSON data with lists and tuples of plain data decoded, and equal texts as one object.

    ``marshal`` writes such an object once, and what has no tag needs no decoding (see ``request_value_encoding``).
    """
    if type(data) is str:
        return texts.setdefault(data, data)
    if type(data) is list:
        return [_decode_where_plain(item, texts) for item in data]
    if type(data) is not dict:
        return data
    ((tag, content),) = ((tag, _decode_where_plain(content, texts)) for tag, content in data.items())
    if tag in PLAIN_CONTAINERS and not any(type(item) is dict for item in content):
        return PLAIN_CONTAINERS[tag](content)
    if tag == "d" and not content:
        return {}
    return {texts.setdefault(tag, tag): content}


PLAIN_CONTAINERS = {tag: DECODERS[tag] for tag in ("l", "t", "ll", "lt", "tl", "tt", "rl", "rt")}


def _parse_slowly(frame: bytes) -> Any:
    if len(frame) > MOST_SLOW_BYTES:
        raise MalformedMessage("the message is too large to be read slowly")
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

"""Encode and parse the messages to and from a student's process; trust nothing that comes back."""

from __future__ import annotations

import json
import marshal
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from autograder.bridge.inside.value_codec import DECODERS
from autograder.sandbox.frame_channel import pack_frame
from autograder.sandbox.processor_time import get_slowness

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
        pack = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
        return [[msgspec.Raw(pack(part).encode()) for part in answer] for answer in answers]
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedMessage(type(error).__name__) from None


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


LOOKUP_START = b'["remembered",'
MAX_KEPT_BYTES = 2_000_000
"""Maximum bytes of one test's requests and answers that are kept; a usual test has some thousands."""


@dataclass(frozen=True, slots=True)
class FindingLookupAnswer:
    """The ``repr`` of the finding that a test looked up; empty bytes if no test had found it out.

    Two look-ups with equal keys gave their tests the same result.
    """

    key: bytes


Exchange = tuple[bytes, UnparsedAnswer | FindingLookupAnswer]
"""A request, packed, and its answer."""


def make_finding_lookup_request(finding_name: str) -> bytes:
    """Return the request that represents a look-up in a transcript; it is never sent to a process."""
    return encode_message(["remembered", finding_name])


def is_remembered_lookup_request(packed_request: bytes) -> bool:
    """Return whether a request looks up a finding of an earlier test; such a request is never sent to a process."""
    return packed_request.startswith(LOOKUP_START)


def parse_looked_up_finding_name(packed_request: bytes) -> str:
    """Return the name that a request asks for; the request has to satisfy ``is_remembered_lookup_request``."""
    _, name = msgspec.json.decode(packed_request)
    return str(name)


def is_exception_answer(answer: UnparsedAnswer | FindingLookupAnswer) -> bool:
    """Return whether a request raised. Requests after it in the same message are not carried out."""
    return isinstance(answer, UnparsedAnswer) and answer.kind == "raised"


class TranscriptMismatch(Exception):
    """A test left what was fetched for it. Its outcome does not count."""


@dataclass(slots=True)
class RequestTranscript:
    """The requests of one test and their answers; the first answers may be there before the test asks.

    Attributes:
        prefetched: what the test may ask, with the answers that its program gave before; None if it asks the process.
        may_go_on: whether the test may ask for something else, too. Then the process is asked from there on.
        past: the requests that were answered before the test went on like this, until they are sent again.
        exchanges: the test's requests so far and their answers, recorded while ``is_repeatable`` is true.
        is_repeatable: whether the answers to these requests tell all that the test saw. It becomes false when the
            test lends the process a function, which may be called in between, when callbacks are reported outside an
            answer, when the process is stopped, or when requests and answers take more than ``MAX_KEPT_BYTES``.
        left_known_path: whether the test asked for something else than what was fetched, or was given other answers
            to it once more, and so does not count.
    """

    prefetched: Sequence[Exchange] | None = None
    may_go_on: bool = False
    past: Sequence[tuple[bytes, UnparsedAnswer]] = ()
    exchanges: list[Exchange] = field(default_factory=list)
    is_repeatable: bool = True
    left_known_path: bool = False
    _used_count: int = 0
    _kept_bytes: int = 0

    def take_prefetched_answer_or_none(self, packed_request: bytes) -> UnparsedAnswer | FindingLookupAnswer | None:
        """Return the answer to a request; None if it must be sent.

        Raises:
            TranscriptMismatch: other requests than this one were sent.
        """
        if self.left_known_path:
            raise TranscriptMismatch
        if self.prefetched is None:
            return None
        if self._used_count < len(self.prefetched) and self.prefetched[self._used_count][0] == packed_request:
            self._used_count += 1
            return self.prefetched[self._used_count - 1][1]
        if not self.may_go_on:
            self.left_known_path = True
            raise TranscriptMismatch
        used, self.prefetched = self.prefetched[: self._used_count], None
        self.past = [(request, answer) for request, answer in used if isinstance(answer, UnparsedAnswer)]
        return None

    def record_exchange(self, packed_request: bytes, answer: UnparsedAnswer | FindingLookupAnswer) -> None:
        """Record a request and its answer while the test is repeatable."""
        self._kept_bytes += len(packed_request) + len(answer.key)
        if self._kept_bytes > MAX_KEPT_BYTES:
            self.is_repeatable = False
        if self.is_repeatable:
            self.exchanges.append((packed_request, answer))

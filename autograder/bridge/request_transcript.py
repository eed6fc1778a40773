"""Record one test's requests and their answers, and supply answers that were fetched before the test asked.

A test's requests follow from the answers it gets. So if they are known, they can be sent together, and the test is
then given the answers one by one, as if it had asked. It must ask exactly what was sent. If it asks anything else,
the process did something that the test did not ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from autograder.bridge.process_messages import UnparsedAnswer, encode_message

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
    """A test made another request than the one that was sent for it. The outcome of the test does not count."""


@dataclass(slots=True)
class RequestTranscript:
    """The requests of one test and their answers; the first answers may be there before the test asks.

    Attributes:
        prefetched: what the test may ask, with the answers that its program gave before; None if it asks the process.
        exchanges: the test's requests so far and their answers, recorded while ``is_repeatable`` is true.
        is_repeatable: whether the answers to these requests tell all that the test saw. It becomes false when the
            test lends the process a function, which may be called in between, when callbacks are reported outside an
            answer, when the process is stopped, or when requests and answers take more than ``MAX_KEPT_BYTES``.
        left_known_path: whether the test asked for something else than what was fetched, and so does not count.
    """

    prefetched: Sequence[Exchange] | None = None
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
        if self.prefetched is None:
            return None
        if self._used_count == len(self.prefetched) or self.prefetched[self._used_count][0] != packed_request:
            self.left_known_path = True
        if self.left_known_path:
            raise TranscriptMismatch
        self._used_count += 1
        return self.prefetched[self._used_count - 1][1]

    def record_exchange(self, packed_request: bytes, answer: UnparsedAnswer | FindingLookupAnswer) -> None:
        """Record a request and its answer while the test is repeatable."""
        self._kept_bytes += len(packed_request) + len(answer.key)
        if self._kept_bytes > MAX_KEPT_BYTES:
            self.is_repeatable = False
        if self.is_repeatable:
            self.exchanges.append((packed_request, answer))

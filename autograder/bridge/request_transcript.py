"""Record one test's requests and their answers, and supply answers that were fetched before the test asked.

A test's requests follow from the answers it gets. So if they are known, they can be sent together, and the test is
then given the answers one by one, as if it had asked. It must ask exactly what was sent. If it asks anything else,
the process did something that the test did not ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from autograder.bridge.process_messages import UnparsedAnswer, encode_message
from autograder.bridge.remembered_findings import RememberedFindings
from autograder.bridge.student_exceptions import StudentStopped

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


AskMore = Callable[[Sequence[Exchange], bytes], Sequence[Exchange]]
"""Takes a test's exchanges so far, and its next request. Has the process carry out that request, and perhaps those
that are expected to follow. Returns these exchanges, the next request first; an empty sequence if this is
impossible."""


class TranscriptMismatch(Exception):
    """A test made another request than the one that was sent for it. The outcome of the test does not count."""


@dataclass(slots=True)
class RequestTranscript:
    """The requests of one test and their answers; the first answers may be there before the test asks.

    Attributes:
        prefetched: requests that were sent before the test asked, and their answers.
        exchanges: the test's requests so far and their answers, recorded while ``is_repeatable`` is true.
        is_repeatable: whether all requests so far can be sent again unchanged. It becomes false when the test lends
            the process a function, which may be called in between, when callbacks are reported outside an answer,
            when the process is stopped, or when the requests and answers take more than ``MAX_KEPT_BYTES``.
        left_known_path: whether the test cannot go on. Either it made another request than the prefetched one, which
            could not be sent, or the process was stopped while ``ask_again`` or ``ask_ahead`` sent requests.
        is_closed: whether only prefetched answers can be given, because the process has moved on to other tests.
        ask_again: called when the test makes another request than the prefetched one, or one more while ``is_closed``
            is true; None to raise ``TranscriptMismatch`` instead.
        ask_ahead: called when all prefetched answers are used and ``is_closed`` is false; None to send requests one
            by one.
    """

    prefetched: Sequence[Exchange] = ()
    exchanges: list[Exchange] = field(default_factory=list)
    is_repeatable: bool = True
    left_known_path: bool = False
    is_closed: bool = False
    ask_again: AskMore | None = None
    ask_ahead: AskMore | None = None
    _next_place: int = 0
    _kept_bytes: int = 0

    @property
    def has_used_all_prefetched(self) -> bool:
        """Return whether the test has used all prefetched answers."""
        return self._next_place == len(self.prefetched)

    def take_prefetched_answer_or_none(self, packed_request: bytes) -> UnparsedAnswer | FindingLookupAnswer | None:
        """Return the answer to a request; None if all prefetched answers are used, so that it must be sent.

        Raises:
            TranscriptMismatch: another request was prefetched, or none, and this one cannot be sent now.
        """
        if self.left_known_path:
            raise TranscriptMismatch
        if self.has_used_all_prefetched and not self.is_closed:
            if not self._have_more_prefetched(self.ask_ahead, packed_request):
                return None
        elif self.has_used_all_prefetched or self.prefetched[self._next_place][0] != packed_request:
            if not self._have_more_prefetched(self.ask_again, packed_request):
                self.left_known_path = True
                raise TranscriptMismatch
            self.is_closed = False
        self._next_place += 1
        return self.prefetched[self._next_place - 1][1]

    def _have_more_prefetched(self, ask: AskMore | None, request: bytes) -> bool:
        """Send a request through ``ask``, and replace the prefetched exchanges; return whether it could be sent."""
        # a function of the test must only be called for requests that the test itself makes
        try:
            exchanges = ask(self.exchanges, request) if ask is not None and self.is_repeatable else ()
        except StudentStopped:
            # the stop may be due to a request that the test would not make: it must start over without prefetching
            self.left_known_path = True
            raise TranscriptMismatch from None
        if exchanges:
            self.prefetched, self._next_place = exchanges, 0
        return bool(exchanges)

    def record_exchange(self, packed_request: bytes, answer: UnparsedAnswer | FindingLookupAnswer) -> None:
        """Record a request and its answer while the test is repeatable."""
        self._kept_bytes += len(packed_request) + len(answer.key)
        if self._kept_bytes > MAX_KEPT_BYTES:
            self.is_repeatable = False
        if self.is_repeatable:
            self.exchanges.append((packed_request, answer))


def get_finding_lookup_result(findings: RememberedFindings, lookup_request: bytes) -> FindingLookupAnswer:
    """Return the result of a look-up request, without recording the look-up.

    It is empty if nothing is found under the name.
    """
    return FindingLookupAnswer(findings.peek_repr(parse_looked_up_finding_name(lookup_request)).encode())

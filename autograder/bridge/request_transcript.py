"""Record what one test asked and was answered, and give it answers that were fetched before it asked.

What a test asks follows from the answers it gets. So if its requests are known, they can be sent together, and the
test is then given the answers one by one, as if it had asked. It must ask exactly what was sent. If it asks anything
else, the process did something that the test did not ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from autograder.bridge.process_messages import UnparsedAnswer, encode_message_as_json_bytes
from autograder.bridge.student_errors_and_stops import StudentError, StudentStopped
from autograder.bridge.student_proxy import RememberedFindings

RECALLS = b'["remembered",'


@dataclass(frozen=True, slots=True)
class LookedUpFindingRepr:
    """The ``repr`` of the finding that a test looked up; empty bytes where no test had found it out.

    Two look-ups with equal keys gave their tests the same.
    """

    key: bytes


Exchange = tuple[bytes, UnparsedAnswer | LookedUpFindingRepr]
"""A request, packed, and its answer."""


def make_finding_lookup_request(finding_name: str) -> bytes:
    """Return the request that stands for a look-up: no process is asked."""
    return encode_message_as_json_bytes(["remembered", finding_name])


def is_finding_lookup_request(packed_request: bytes) -> bool:
    """Return whether a request looks up what an earlier test found out, so that no process is asked."""
    return packed_request.startswith(RECALLS)


def parse_looked_up_finding_name(packed_request: bytes) -> str:
    """Return the name that a look-up request asks for; the request has to satisfy ``is_finding_lookup_request``."""
    _, name = msgspec.json.decode(packed_request)
    return str(name)


def is_exception_answer(answer: UnparsedAnswer | LookedUpFindingRepr) -> bool:
    """Return whether a request raised: nothing is carried out that comes after it in one message."""
    return isinstance(answer, UnparsedAnswer) and answer.kind == "raised"


AskMore = Callable[[Sequence[Exchange], bytes], Sequence[Exchange]]
"""Takes what a test asked so far, with the answers, and what it asks next. Has the process carry out just that, and
perhaps what is taken to come next; returns these requests, the one that is asked first. Empty if it cannot."""


class TranscriptMismatch(Exception):
    """A test asks something else than what was sent for it. Nothing that it says counts."""


@dataclass(slots=True)
class RequestTranscript:
    """What one test asked, and what it was answered; the first answers may be there before it asks.

    Attributes:
        prefetched: requests that were sent before the test asked, and their answers.
        exchanges: what it asked so far, and the answers, while all of it can be asked again in the same words.
        is_repeatable: whether that is so: a test that lends a function of its own may be called in between.
        errors: the exceptions of the student's, and the places in ``exchanges`` of what raised them.
        left_known_path: whether something else was asked for than what is given, and could not be asked again.
        is_closed: whether no more can be asked than is given: the process has moved on to other tests.
        ask_again: called where something else is asked for than what is given; None where that is the end.
        ask_ahead: called where all that is given was asked for.
    """

    prefetched: Sequence[Exchange] = ()
    exchanges: list[Exchange] = field(default_factory=list)
    is_repeatable: bool = True
    errors: list[tuple[StudentError, int]] = field(default_factory=list)
    left_known_path: bool = False
    is_closed: bool = False
    ask_again: AskMore | None = None
    ask_ahead: AskMore | None = None
    _next: int = 0

    @property
    def used_all_prefetched(self) -> bool:
        """Return whether the test asked for everything that is given."""
        return self._next == len(self.prefetched)

    def take_or_prefetch_next_answer_or_none(
        self, packed_request: bytes
    ) -> UnparsedAnswer | LookedUpFindingRepr | None:
        """Return the answer to a request; None when it must be sent, since all that are given were asked for.

        Raises:
            TranscriptMismatch: another request was sent, or none, and this one cannot be asked now.
        """
        if self.left_known_path:
            raise TranscriptMismatch
        if self.used_all_prefetched and not self.is_closed:
            if not self._have_more_prefetched(self.ask_ahead, packed_request):
                return None
        elif self.used_all_prefetched or self.prefetched[self._next][0] != packed_request:
            if not self._have_more_prefetched(self.ask_again, packed_request):
                self.left_known_path = True
                raise TranscriptMismatch
            self.is_closed = False
        self._next += 1
        return self.prefetched[self._next - 1][1]

    def _have_more_prefetched(self, ask: AskMore | None, request: bytes) -> bool:
        """Put what is asked now in the place of what was given; return whether it could be asked."""
        # a function of the test's must not be called for anything but what the test itself asks
        try:
            more = ask(self.exchanges, request) if ask is not None and self.is_repeatable else ()
        except StudentStopped:
            # perhaps in what the test would not have asked: it is to ask for itself, from the start
            self.left_known_path = True
            raise TranscriptMismatch from None
        if more:
            self.prefetched, self._next = more, 0
        return bool(more)

    def record_exchange_if_repeatable(
        self, packed_request: bytes, answer: UnparsedAnswer | LookedUpFindingRepr
    ) -> None:
        """Write down a request and its answer, while the test is repeatable."""
        if self.is_repeatable:
            self.exchanges.append((packed_request, answer))

    def record_error_of_last_exchange(self, error: StudentError) -> None:
        """Write down the exception that the last answer reported."""
        self.errors.append((error, len(self.exchanges) - 1))


def get_finding_lookup_result_or_empty(findings: RememberedFindings, lookup_request: bytes) -> LookedUpFindingRepr:
    """Return the result of a look-up request, without recording the look-up.

    It is empty if nothing is found under the name.
    """
    return LookedUpFindingRepr(
        findings.get_repr_or_empty_without_lookup(parse_looked_up_finding_name(lookup_request)).encode()
    )

"""Hold requests that are known before a test asks them, and the answers that they got.

What a test asks follows from the answers it gets. So if its requests are known, they can be sent together, and the
test is then given the answers one by one, as if it had asked. It must ask exactly what was sent. If it asks anything
else, the process did something that the test did not ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from autograder.bridge.errors import StudentError
from autograder.bridge.wire_format import UnreadAnswer, pack_message

RECALLS = b'["remembered",'


@dataclass(frozen=True, slots=True)
class LookupResult:
    """What a test finds that looks something up."""

    key: bytes


Exchanged = tuple[bytes, UnreadAnswer | LookupResult]
"""A request, packed, and its answer."""


def make_lookup_request(name: str) -> bytes:
    """Return the request that stands for a look-up: no process is asked."""
    return pack_message(["remembered", name])


def is_lookup_request(request: bytes) -> bool:
    """Return whether a request looks up what an earlier test found out, so that no process is asked."""
    return request.startswith(RECALLS)


def parse_lookup_name(request: bytes) -> str:
    """Return the name that is looked up."""
    _, name = msgspec.json.decode(request)
    return str(name)


def is_raised(answer: UnreadAnswer | LookupResult) -> bool:
    """Return whether a request raised: nothing is carried out that comes after it in one message."""
    return isinstance(answer, UnreadAnswer) and answer.kind == "raised"


class TranscriptMismatch(Exception):
    """A test asks something else than what was sent for it. Nothing that it says counts."""


@dataclass(slots=True)
class Transcript:
    """What one test asked, and what it was answered; the first answers may be there before it asks.

    Attributes:
        given: the requests that were sent before the test asked, and their answers.
        asked: what it asked so far, and the answers, while all of it can be asked again in the same words.
        repeatable: whether that is so: a test that lends a function of its own may be called in between.
        errors: the exceptions of the student's, and the places in ``asked`` of what raised them.
        strayed: whether something else was asked for than what is given.
        strayed_to: what that was first.
        closed: whether no more can be asked than is given: the process has moved on to other tests.
    """

    given: Sequence[Exchanged] = ()
    asked: list[Exchanged] = field(default_factory=list)
    repeatable: bool = True
    errors: list[tuple[StudentError, int]] = field(default_factory=list)
    strayed: bool = False
    strayed_to: bytes = b""
    closed: bool = False
    _next: int = 0

    @property
    def is_fully_asked(self) -> bool:
        """Return whether the test asked for everything that is given."""
        return self._next == len(self.given)

    @property
    def taken(self) -> Sequence[Exchanged]:
        """Return those of the given requests that the test has asked for, and their answers."""
        return self.given[: self._next]

    def take_known_answer(self, request: bytes) -> UnreadAnswer | LookupResult | None:
        """Return the answer to a request; None when it must be sent, since all that are given were asked for.

        Raises:
            Strayed: another request was sent, or none.
        """
        if not self.strayed and self.is_fully_asked and not self.closed:
            return None
        if self.strayed or self.is_fully_asked or self.given[self._next][0] != request:
            self.strayed, self.strayed_to = True, self.strayed_to or request
            raise TranscriptMismatch
        self._next += 1
        return self.given[self._next - 1][1]

    def record(self, request: bytes, answer: UnreadAnswer | LookupResult) -> None:
        """Write down a request and its answer, while the test is repeatable."""
        if self.repeatable:
            self.asked.append((request, answer))

    def record_error(self, error: StudentError) -> None:
        """Write down the exception that the last answer reported."""
        self.errors.append((error, len(self.asked) - 1))

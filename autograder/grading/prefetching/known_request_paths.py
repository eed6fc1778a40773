"""Know what each test asked the reference solution, and with which answers it passed.

A test's next request depends only on the answers so far. So a test that gets the reference's answers to the
reference's requests passes, whatever program gave them, and all these requests can be sent before the test asks.
Nothing is ever learnt from students' programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from autograder.bridge.process_messages import split_answers_message
from autograder.bridge.remembered_findings import get_finding_repr
from autograder.bridge.request_transcript import (
    Exchange,
    FindingLookupAnswer,
    is_remembered_lookup_request,
    parse_looked_up_finding_name,
)


class ReferenceRun(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """One test's passed run on the reference solution."""

    exchanges: tuple[tuple[bytes, bytes], ...]
    """Its requests and the keys of their answers; empty where these do not tell all that the test saw."""
    findings: dict[str, bool | int | float | str | None] = {}
    """What the test found out for other tests; see ``StudentProxy.remembered``."""

    @cached_property
    def _sent_requests(self) -> tuple[bytes, ...]:
        return tuple(request for request, _ in self.exchanges if not is_remembered_lookup_request(request))

    @cached_property
    def packed_requests(self) -> bytes:
        """Return the requests that are sent to a process, joined by commas as in a message."""
        return b",".join(self._sent_requests)

    @cached_property
    def _looked_up_findings(self) -> tuple[tuple[str, bytes], ...]:
        return tuple(
            (parse_looked_up_finding_name(request), key)
            for request, key in self.exchanges
            if is_remembered_lookup_request(request)
        )

    def has_findings(self, findings: Mapping[str, Any]) -> bool:
        """Return whether what the test looks up is as it was for the reference."""
        return all(get_finding_repr(findings, name).encode() == key for name, key in self._looked_up_findings)

    def parse_answers(self, packed_answers: bytes) -> list[Exchange]:
        """Return the requests that a program answered, up to the first that it did not, with its answers.

        Raises:
            MalformedMessage: the message does not hold well-formed answers.
        """
        answers = iter(split_answers_message(packed_answers, len(self._sent_requests)))
        exchanges: list[Exchange] = []
        for request, key in self.exchanges:
            is_lookup = is_remembered_lookup_request(request)
            answer = FindingLookupAnswer(key) if is_lookup else next(answers, None)
            if answer is None:
                break
            exchanges.append((request, answer))
        return exchanges

    def is_answered_alike(self, exchanges: Sequence[Exchange]) -> bool:
        """Return whether a program gave all of the reference's answers, so that the test passes."""
        return self.exchanges == tuple((request, answer.key) for request, answer in exchanges)

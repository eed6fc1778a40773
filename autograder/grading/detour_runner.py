"""Run again what left the known path, with as few messages as may be."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.bridge import Bridge, StudentStopped
from autograder.bridge.request_transcript import (
    Exchange,
    LookupResult,
    is_exception,
    is_lookup_request,
    parse_lookup_name,
)
from autograder.bridge.student_proxy import RememberedFindings
from autograder.grading.known_request_paths import KnownRequestPaths
from autograder.grading.skipped_requests import predict_rest_after_skip

Ran = TypeVar("Ran")
MAX_DETOURS = 4
"""How often a test may leave what was asked for it before it asks for itself."""


@dataclass(frozen=True, slots=True)
class DetourRunner:
    """Asks what a test asked before it left the known path, and what it is taken to ask then, before it runs again.

    For submissions that keep nothing between tests.

    Attributes:
        paths: the known paths through all tests.
        test: pytest's name for the test.
        bridge: the connection to the submission; its transcript tells where the path was left.
        findings: what the submission's tests found out.
        begin_test: begins the test without running it.
        end_test: ends it.
    """

    paths: KnownRequestPaths
    test: str
    bridge: Bridge
    findings: RememberedFindings
    begin_test: Callable[[], None]
    end_test: Callable[[], None]

    def run_with_detours(self, known_path: Sequence[bytes], run_test: Callable[[], Ran]) -> Ran:
        """Run a test until it asks nothing but what was asked for it, or asks for itself.

        Args:
            known_path: all that it was taken to ask.
            run_test: runs it, and begins it unless that was done.
        """
        for detours_left in reversed(range(MAX_DETOURS + 1)):
            left = self.bridge.transcript
            rest = self.paths.find_rest(self.test, left.used_prefetched, left.first_other_request)
            rest = rest or predict_rest_after_skip(known_path, len(left.used_prefetched), left.first_other_request)
            known_path = [*known_path[: len(left.used_prefetched)], *rest]
            self.findings.begin_test()
            if detours_left:
                self._prefetch_path(known_path, left.used_prefetched)
            ran = run_test()
            if not self.bridge.transcript.left_known_path:
                break
        return ran

    def _prefetch_path(self, path: Sequence[bytes], taken: Sequence[Exchange]) -> None:
        """Begin the test, and ask all of a path: in one message up to each request that raised before."""
        given: list[Exchange] = []
        raising = [place for place, (_, answer) in enumerate(taken, 1) if is_exception(answer)]
        try:
            self.begin_test()
            for first, end in itertools.pairwise([0, *raising, len(path)]):
                given += self._iterate_exchanges(path[first:end])
        except StudentStopped:
            self.end_test()
        else:
            self.bridge.transcript.prefetched = given

    def _iterate_exchanges(self, requests: Sequence[bytes]) -> Iterator[Exchange]:
        """Yield requests with their answers, up to the first that is not answered."""
        asked = [request for request in requests if not is_lookup_request(request)]
        answers = iter(self.bridge.fetch_answers_ahead(asked) if asked else ())
        for request in requests:
            answer = look_up_finding(self.findings, request) if is_lookup_request(request) else next(answers, None)
            if answer is None:
                return
            yield request, answer


def look_up_finding(findings: RememberedFindings, lookup_request: bytes) -> LookupResult:
    """Return what a request finds that looks something up."""
    return LookupResult(findings.get_repr(parse_lookup_name(lookup_request)).encode())

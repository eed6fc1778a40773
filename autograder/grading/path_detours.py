"""Run again what left the known path, with as few messages as may be."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.bridge import Bridge, StudentStopped
from autograder.bridge.student import RememberedFindings
from autograder.bridge.transcript import Exchanged, LookupResult, is_lookup_request, is_raised, parse_lookup_name
from autograder.grading.request_paths import RequestPaths
from autograder.grading.skipped_requests import find_rest_of_path

Ran = TypeVar("Ran")
MOST_DETOURS = 4
"""How often a test may leave what was asked for it before it asks for itself."""


@dataclass(frozen=True, slots=True)
class PathDetours:
    """Asks what a test asked before it left the known path, and what it is taken to ask then, before it runs again.

    For submissions that keep nothing between tests.

    Attributes:
        paths: the known paths through all tests.
        test: pytest's name for the test.
        bridge: the connection to the submission; its transcript tells where the path was left.
        remembered: what the submission's tests found out.
        begin: begins the test without running it.
        end: ends it.
    """

    paths: RequestPaths
    test: str
    bridge: Bridge
    remembered: RememberedFindings
    begin: Callable[[], None]
    end: Callable[[], None]

    def run(self, path: Sequence[bytes], run: Callable[[], Ran]) -> Ran:
        """Run a test until it asks nothing but what was asked for it, or asks for itself.

        Args:
            path: all that it was taken to ask.
            run: runs it, and begins it unless that was done.
        """
        for detours_left in reversed(range(MOST_DETOURS + 1)):
            left = self.bridge.transcript
            rest = self.paths.find_rest(self.test, left.taken, left.strayed_to)
            rest = rest or find_rest_of_path(path, len(left.taken), left.strayed_to)
            path = [*path[: len(left.taken)], *rest]
            self.remembered.begin_test()
            if detours_left:
                self._give(path, left.taken)
            ran = run()
            if not self.bridge.transcript.strayed:
                break
        return ran

    def _give(self, path: Sequence[bytes], taken: Sequence[Exchanged]) -> None:
        """Begin the test, and ask all of a path: in one message up to each request that raised before."""
        given: list[Exchanged] = []
        raising = [place for place, (_, answer) in enumerate(taken, 1) if is_raised(answer)]
        try:
            self.begin()
            for first, end in itertools.pairwise([0, *raising, len(path)]):
                given += self._ask(path[first:end])
        except StudentStopped:
            self.end()
        else:
            self.bridge.transcript.given = given

    def _ask(self, requests: Sequence[bytes]) -> Iterator[Exchanged]:
        """Yield requests with their answers, up to the first that is not answered."""
        asked = [request for request in requests if not is_lookup_request(request)]
        answers = iter(self.bridge.prefetch_answers(asked) if asked else ())
        for request in requests:
            answer = recall(self.remembered, request) if is_lookup_request(request) else next(answers, None)
            if answer is None:
                return
            yield request, answer


def recall(remembered: RememberedFindings, request: bytes) -> LookupResult:
    """Return what a request finds that looks something up."""
    return LookupResult(remembered.get_text(parse_lookup_name(request)).encode())

"""Send a test's requests again, with its expected next ones, when it departs from the requests sent for it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograder.bridge import Bridge
from autograder.bridge.remembered_findings import RememberedFindings
from autograder.bridge.request_transcript import (
    Exchange,
    RequestTranscript,
    get_finding_lookup_result,
    is_exception_answer,
    is_remembered_lookup_request,
)
from autograder.grading.prefetching.known_request_paths import KnownRequestPaths
from autograder.grading.prefetching.request_prediction import predict_off_path_requests

MAX_PREDICTIONS = 4
"""How often predicted requests of a test are sent together with its own; after that, it sends only its own."""
MAX_ADDED_REQUESTS = 4
"""How many requests a test may add before it is no longer expected to come back to a known path."""


@dataclass(slots=True)
class PrefetchResynchronizer:
    """Brings the process to the state in which a test expects it, and sends a few more requests in advance.

    This is for submissions that keep nothing between tests. The effects of requests that the test did not make are
    dropped, and the test continues without noticing.

    Attributes:
        paths: the known paths through all tests.
        test: pytest's name for the test.
        bridge: the connection to the submission.
        findings: what the submission's tests found out.
        known_path: all expected requests of the test, if more of them are known than were sent.
        resend_count: how often the test departed from the requests that were sent.
    """

    paths: KnownRequestPaths
    test: str
    bridge: Bridge
    findings: RememberedFindings
    known_path: Sequence[bytes] = ()
    resend_count: int = 0
    _left_at: int = -1
    _predictions_left: int = MAX_PREDICTIONS

    def attach_to_transcript(self, transcript: RequestTranscript) -> None:
        """Have a transcript call this object whenever the test makes a request that was not sent for it."""
        transcript.ask_again, transcript.ask_ahead = (
            self._replay_past_and_prefetch_next,
            self._prefetch_next_and_following,
        )

    def _replay_past_and_prefetch_next(
        self, past_exchanges: Sequence[Exchange], next_request: bytes
    ) -> Sequence[Exchange]:
        """Send all past requests of a test again, then its next request and the requests expected to follow.

        Args:
            past_exchanges: the test's requests so far, and the answers.
            next_request: the test's next request.

        Returns:
            The next request and the expected ones, with their answers; empty if the submission now answers the past
            requests differently.

        Raises:
            StudentStopped: the submission was stopped, perhaps in a request that the test would not have made.
        """
        self.resend_count += 1
        next_requests = [next_request]
        if self._predictions_left > 0:
            self._predictions_left -= 1
            next_requests = self.paths.predict_requests(self.test, past_exchanges, next_request)
            next_requests = next_requests or predict_off_path_requests(
                self.known_path, len(past_exchanges), next_request
            )
        self._expect_requests(past_exchanges, next_requests)
        raising_places = [place for place, (_, answer) in enumerate(past_exchanges, 1) if is_exception_answer(answer)]
        requests = [*(request for request, _ in past_exchanges), *next_requests]
        exchanges: list[Exchange] = []
        self.bridge.restart_current_test()
        for start, end in itertools.pairwise([0, *raising_places, len(requests)]):
            exchanges += self._iterate_exchanges(requests[start:end])
        is_repeated = all(
            past_answer.key == answer.key
            for (_, past_answer), (_, answer) in zip(past_exchanges, exchanges, strict=False)
        )
        return exchanges[len(past_exchanges) :] if is_repeated else ()

    def _prefetch_next_and_following(
        self, past_exchanges: Sequence[Exchange], next_request: bytes
    ) -> Sequence[Exchange]:
        """Send a test's next request and the requests expected to follow, if it comes back to a known path.

        Args:
            past_exchanges: the test's requests so far, and the answers.
            next_request: the test's next request.

        Returns:
            The next request and the expected ones, with their answers; empty if no requests are expected to follow.

        Raises:
            StudentStopped: see ``_replay_past_and_prefetch_next``.
        """
        added_count = len(past_exchanges) - self._left_at
        if self._left_at < 0 or added_count > MAX_ADDED_REQUESTS or self._predictions_left <= 0:
            return ()
        next_requests = predict_off_path_requests(
            self.known_path, self._left_at, next_request, added_request_count=added_count
        )
        if len(next_requests) == 1:
            return ()
        self._predictions_left -= 1
        self._expect_requests(past_exchanges, next_requests)
        return [*self._iterate_exchanges(next_requests)]

    def _expect_requests(self, past_exchanges: Sequence[Exchange], next_requests: Sequence[bytes]) -> None:
        """Expect a test to make these requests; after a single one, it may still come back to the old path."""
        if len(next_requests) > 1:
            self.known_path, self._left_at = [*(request for request, _ in past_exchanges), *next_requests], -1
        elif self._left_at < 0:
            self._left_at = len(past_exchanges)

    def _iterate_exchanges(self, requests: Sequence[bytes]) -> Iterator[Exchange]:
        """Yield requests with their answers, up to the first that is not answered."""
        sent_requests = [request for request in requests if not is_remembered_lookup_request(request)]
        answers = iter(self.bridge.prefetch_current_test(sent_requests) if sent_requests else ())
        for request in requests:
            answer = (
                get_finding_lookup_result(self.findings, request)
                if is_remembered_lookup_request(request)
                else next(answers, None)
            )
            if answer is None:
                return
            yield request, answer

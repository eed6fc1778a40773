"""Send the requests of many tests in one message, where a submission keeps nothing between tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import Bridge
from autograder.bridge.process_messages import split_answers_message
from autograder.bridge.remembered_findings import RememberedFindings
from autograder.bridge.request_transcript import Exchange, FindingLookupAnswer, is_remembered_lookup_request
from autograder.grading.prefetching.known_request_paths import KnownRequestPaths, RequestPath

PytestIdAndSetOrder = tuple[str, bool]
"""pytest's name for a test, and whether sets have the opposite order in it."""
MAX_BYTES_TOGETHER = 40_000
"""Maximum bytes of the requests that are sent together: less than a socket buffers without a reader."""
MAX_TESTS_TOGETHER = 40
"""Maximum number of tests in one message. What is known of the submission after it decides what is sent next."""


@dataclass(frozen=True, slots=True)
class PrefetchedTestAnswers:
    """The requests that a test is expected to make, and the unparsed message with their answers."""

    path: RequestPath
    packed_answers: bytes

    def parse_exchanges(self) -> list[Exchange]:
        """Parse the answers, and return every request that was answered, with its answer.

        Raises:
            MalformedMessage: the message does not hold well-formed answers.
        """
        answers = iter(split_answers_message(self.packed_answers, self.path.sent_request_count))
        findings = iter(self.path.looked_up_findings)
        exchanges: list[Exchange] = []
        for request in self.path.requests:
            answer = (
                FindingLookupAnswer(next(findings)[1])
                if is_remembered_lookup_request(request)
                else next(answers, None)
            )
            if answer is None:
                break
            exchanges.append((request, answer))
        return exchanges


class AnswerPrefetcher:
    """Fetches the answers to the requests that tests are expected to make, mostly before the tests begin.

    The expected requests are those that the tests make to the reference solution. The caller must check from the
    answers whether the test would make them to this program, too.
    """

    def __init__(
        self,
        paths: KnownRequestPaths,
        bridge: Bridge,
        findings: RememberedFindings,
        turns: Sequence[PytestIdAndSetOrder],
    ) -> None:
        """Prepare without sending anything.

        Args:
            paths: the known request paths of the tests.
            bridge: the connection to the submission.
            findings: what the submission's tests found out.
            turns: the runs of the tests in their order.
        """
        self._paths, self._bridge, self._findings = paths, bridge, findings
        self._turns = turns
        self._not_asked = {turn: place for place, turn in enumerate(turns)}
        self._answers_by_turn: dict[PytestIdAndSetOrder, PrefetchedTestAnswers] = {}
        self._stopped_in: PytestIdAndSetOrder | None = None

    def was_stopped_in_prefetch(self, turn: PytestIdAndSetOrder) -> bool:
        """Return whether the process was stopped in the requests that were prefetched for this test."""
        return turn == self._stopped_in

    def take_answers(self, turn: PytestIdAndSetOrder) -> PrefetchedTestAnswers | None:
        """Return a test's expected requests and their answers; None if not all of its requests are known.

        Raises:
            StudentStopped: the submission cannot be loaded any more, or its time is used up.
        """
        if turn in self._not_asked:
            self._prefetch_tests(self._turns[self._not_asked.pop(turn) :])
        return self._answers_by_turn.pop(turn, None)

    def _prefetch_tests(self, turns: Sequence[PytestIdAndSetOrder]) -> None:
        """Send the requests of a test, and of those after it, in one message."""
        path_by_turn: dict[PytestIdAndSetOrder, RequestPath] = {}
        size = 0
        findings: Mapping[str, Any] = self._findings.content
        for turn in turns:
            path = self._paths.find_likely_path(turn[0], findings)
            # until this test has run, assume that it finds out what it found out about the reference
            findings = {**self._paths.findings_by_test.get(turn[0], {}), **findings}
            if path_by_turn and (turn not in self._not_asked or path is None):
                continue
            if path is None:
                return
            size += len(path.packed_requests)
            if path_by_turn and (size > MAX_BYTES_TOGETHER or len(path_by_turn) == MAX_TESTS_TOGETHER):
                break
            path_by_turn[turn] = path
            self._not_asked.pop(turn, None)
        requests_and_orders = [
            (path.packed_requests, reverses_set_order) for (_, reverses_set_order), path in path_by_turn.items()
        ]
        messages = self._bridge.prefetch_answers_of_tests(requests_and_orders)
        for place, (turn, path) in enumerate(path_by_turn.items()):
            if place == len(messages):
                self._stopped_in = turn
                break
            self._answers_by_turn[turn] = PrefetchedTestAnswers(path, messages[place])

"""Send the requests of many tests in one message, where a submission keeps nothing between tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.bridge import Bridge
from autograder.bridge.student import RememberedFindings
from autograder.bridge.transcript import Exchanged, LookupResult, is_lookup_request
from autograder.bridge.wire_format import split_answers
from autograder.grading.request_paths import RequestPath, RequestPaths

Turn = tuple[str, bool]
"""pytest's name for a test, and whether sets have the opposite order in it."""
MOST_BYTES = 40_000
"""Of the requests in one message: less than what a socket holds while nobody reads."""
MOST_TESTS = 40
"""In one message: what is known of the submission by then decides what is sent for the others."""


@dataclass(frozen=True, slots=True)
class PrefetchedAnswers:
    """What a test is taken to ask, and the message with the answers, which nobody has read yet."""

    way: RequestPath
    message: bytes

    @property
    def cache_key(self) -> tuple[Any, ...]:
        """Return all that a test sees."""
        return self.way.body, self.way.recalled, self.message

    def parse_exchanges(self) -> list[Exchanged]:
        """Read the answers, and return every request that was answered.

        Raises:
            Malformed: the message does not hold well-formed answers.
        """
        answers = iter(split_answers(self.message, self.way.asked))
        recalled = iter(self.way.recalled)
        given: list[Exchanged] = []
        for request in self.way.requests:
            answer = LookupResult(next(recalled)[1]) if is_lookup_request(request) else next(answers, None)
            if answer is None:
                break
            given.append((request, answer))
        return given


class RequestPipeline:
    """The answers to what tests are taken to ask, most of them before they are begun.

    They ask that of the reference solution. Whoever takes the answers sees whether they would ask it of this program.
    """

    def __init__(
        self, paths: RequestPaths, bridge: Bridge, remembered: RememberedFindings, turns: Sequence[Turn]
    ) -> None:
        """Prepare to ask; send nothing yet.

        Args:
            paths: the known ways through the tests.
            bridge: the connection to the submission.
            remembered: what the submission's tests found out.
            turns: the tests in their order.
        """
        self._paths, self._bridge, self._remembered = paths, bridge, remembered
        self._turns = turns
        self._not_asked = {turn: place for place, turn in enumerate(turns)}
        self._answered: dict[Turn, PrefetchedAnswers] = {}
        self._stopped_in: Turn | None = None

    def stopped(self, turn: Turn) -> bool:
        """Return whether the process was stopped in what this test was taken to ask."""
        return turn == self._stopped_in

    def take_answers(self, test: Turn) -> PrefetchedAnswers | None:
        """Give what a test is taken to ask, and the answers; None where not all that it asks is known.

        Raises:
            StudentStopped: the submission cannot be loaded any more, or its time is used up.
        """
        if test in self._not_asked:
            self._ask(self._turns[self._not_asked.pop(test) :])
        return self._answered.pop(test, None)

    def _ask(self, turns: Sequence[Turn]) -> None:
        """Send the requests of a test, and of those after it, in one message."""
        ways: dict[Turn, RequestPath] = {}
        size = 0
        remembered: Mapping[str, Any] = self._remembered.content
        for turn in turns:
            way = self._paths.likely_path(turn[0], remembered)
            remembered = {
                **self._paths.finds.get(turn[0], {}),
                **remembered,
            }  # what this test will find out, if need be
            if ways and (turn not in self._not_asked or way is None):
                continue
            if way is None:
                return
            size += len(way.body)
            if ways and (size > MOST_BYTES or len(ways) == MOST_TESTS):
                break
            ways[turn] = way
            self._not_asked.pop(turn, None)
        sent = [(way.body, falling) for (_, falling), way in ways.items()]
        messages = self._bridge.prefetch_tests(sent)
        for place, (turn, way) in enumerate(ways.items()):
            if place == len(messages):
                self._stopped_in = turn
                break
            self._answered[turn] = PrefetchedAnswers(way, messages[place])

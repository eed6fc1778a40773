"""Record which requests a test makes after which answers, as learnt from programs of the course's authors.

A test asks, the engine answers, and the next question depends on nothing but the answers. So the ways through a test
form a tree. Requests along a way can be sent together, up to one that depends on an answer. Ways come only from the
reference solution and the course's own variants of it: what a class taught never enters a student's process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse
from operator import itemgetter
from typing import Any

from autograder.bridge.student import text_or_empty
from autograder.bridge.transcript import Exchanged, is_lookup_request, parse_lookup_name

MOST_TOGETHER = 2_000
"""Requests in one message."""
MOST_WAYS = 5_000
"""That are remembered, of all tests together: some for what tests may find out about each submission."""


@dataclass(slots=True, eq=False)
class RequestStep:
    """A request, and what follows each answer to it."""

    request: bytes
    after: dict[bytes, RequestStep | None] = field(default_factory=dict)
    """The next step by the answer's key; None where the test ends."""


Here = tuple[RequestStep, ...]
"""The steps at which a test may be: one, or several where an answer was not known."""


def steps_after_answer(here: Here, answer: bytes) -> Here:
    """Return where a test may be after an answer; after an unknown one of the engine, wherever known ones lead."""
    known = [step.after[answer] for step in here if answer in step.after]
    if not known and here and is_lookup_request(here[0].request):
        return ()
    steps = known or [after for step in here for after in step.after.values()]
    return tuple(step for step in steps if step is not None)


def requests_until_branch(here: Here) -> tuple[bytes, ...]:
    """Return the requests from here on, up to the first that depends on an answer."""
    requests: list[bytes] = []
    while here and len(requests) < MOST_TOGETHER:
        request = here[0].request
        if any(step.request != request for step in here) or (requests and is_lookup_request(request)):
            break
        requests.append(request)
        if is_lookup_request(request) or any(None in step.after.values() for step in here):
            break  # no process is asked, or the test may end here
        here = tuple(after for step in here for after in step.after.values() if after is not None)
    return tuple(requests)


@dataclass(frozen=True, slots=True)
class RequestPath:
    """A way through a test, from its first request to its last."""

    requests: tuple[bytes, ...]
    body: bytes
    """Those that a process is asked, as they stand in a message."""
    asked: int
    """How many those are."""
    recalled: tuple[tuple[str, bytes], ...]
    """The names that are looked up, and what is found there."""


@dataclass(slots=True)
class RequestPaths:
    """The known ways through the tests of a suite.

    Attributes:
        first: the first step of each test, by pytest's name for it.
        finds: what each test found out about the program that was learnt from first.
    """

    first: dict[str, RequestStep] = field(default_factory=dict)
    finds: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _segments: dict[Here, tuple[bytes, ...]] = field(default_factory=dict)
    _likely: dict[tuple[str, str], RequestPath | None] = field(default_factory=dict)

    def first_steps(self, test: str) -> Here:
        """Return where a test begins; empty if no way through it is known."""
        return (self.first[test],) if test in self.first else ()

    def cached_requests_until_branch(self, here: Here) -> tuple[bytes, ...]:
        """Return what the function ``cached_requests_until_branch`` does; look it up if it was asked for before."""
        if here not in self._segments:
            self._segments[here] = requests_until_branch(here)
        return self._segments[here]

    def likely_path(self, test: str, remembered: Mapping[str, Any]) -> RequestPath | None:
        """Give the way through a test on which it gets the answers of the program that was learnt from first.

        Args:
            test: pytest's name for the test.
            remembered: what other tests found out about the program.

        Returns:
            The way; None where no way to the end is known.
        """
        known = test, repr(sorted(remembered.items(), key=itemgetter(0)))
        if known not in self._likely:
            if len(self._likely) == MOST_WAYS:
                self._likely.clear()
            self._likely[known] = self._way(test, remembered)
        return self._likely[known]

    def _way(self, test: str, remembered: Mapping[str, Any]) -> RequestPath | None:
        requests: list[bytes] = []
        recalled: list[tuple[str, bytes]] = []
        step = self.first.get(test)
        if step is None:
            return None
        while step is not None:
            requests.append(step.request)
            if not step.after:
                return None
            if is_lookup_request(step.request):
                name = parse_lookup_name(step.request)
                told = text_or_empty(remembered, name).encode()
                if told not in step.after:
                    return None  # what it would ask then is not known
                recalled.append((name, told))
                step = step.after[told]
            else:
                step = next(iter(step.after.values()))
        asked = [*filterfalse(is_lookup_request, requests)]
        return RequestPath(tuple(requests), b",".join(asked), len(asked), tuple(recalled))

    def find_rest(self, test: str, taken: Sequence[Exchanged], asked: bytes) -> list[bytes]:
        """Return what a test is taken to ask after these answers.

        Args:
            test: pytest's name for the test.
            taken: what it asked so far, and the answers.
            asked: what it asks next.

        Returns:
            The requests from ``asked`` on, as on the path that was learnt first of those which go there; none where
            no path does.
        """
        here = self.first_steps(test)
        for request, answer in taken:
            here = steps_after_answer(tuple(step for step in here if step.request == request), answer.key)
        rest: list[bytes] = []
        step = next((step for step in here if step.request == asked), None)
        while step is not None:
            rest.append(step.request)
            step = next(iter(step.after.values()), None)
        return rest

    def learn_path(self, test: str, asked: Sequence[Exchanged], *, ended: bool) -> None:
        """Add a way.

        Args:
            test: pytest's name for the test.
            asked: the test's requests, and the answers.
            ended: whether the test ended with them; otherwise what came next cannot be sent beforehand.
        """
        if not asked:
            return
        self._segments.clear()
        self._likely.clear()
        step = self.first.setdefault(test, RequestStep(asked[0][0]))
        for place, (request, answer) in enumerate(asked):
            if step.request != request:
                return  # the test does not always ask the same
            if place + 1 < len(asked):
                after = step.after.get(answer.key)
                if after is None:
                    after = step.after[answer.key] = RequestStep(asked[place + 1][0])
                step = after
            elif ended:
                step.after.setdefault(answer.key, None)

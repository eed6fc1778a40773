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

from autograder.bridge.request_transcript import Exchange, is_finding_lookup_request, parse_looked_up_finding_name
from autograder.bridge.student_proxy import get_finding_repr_or_empty

MAX_REQUESTS_TOGETHER = 2_000
"""Requests in one message."""
MAX_NODES = 5_000
"""That are remembered, of all tests together: some for what tests may find out about each submission."""


@dataclass(slots=True, eq=False)
class RequestTreeNode:
    """A request, and what follows each answer to it."""

    request: bytes
    next_by_answer: dict[bytes, RequestTreeNode | None] = field(default_factory=dict)
    """The next node by the answer's key; None where the test ends."""


PossibleNodes = tuple[RequestTreeNode, ...]
"""The nodes at which a test may be: one, or several where an answer was not known."""


def list_possible_nodes_after_answer(nodes: PossibleNodes, answer_key: bytes) -> PossibleNodes:
    """Return where a test may be after an answer; after an unknown one of the engine, wherever known ones lead."""
    known = [node.next_by_answer[answer_key] for node in nodes if answer_key in node.next_by_answer]
    if not known and nodes and is_finding_lookup_request(nodes[0].request):
        return ()
    following = known or [after for node in nodes for after in node.next_by_answer.values()]
    return tuple(node for node in following if node is not None)


def list_requests_until_branch(nodes: PossibleNodes) -> tuple[bytes, ...]:
    """Return the requests from here on, up to the first that depends on an answer."""
    requests: list[bytes] = []
    while nodes and len(requests) < MAX_REQUESTS_TOGETHER:
        request = nodes[0].request
        if any(node.request != request for node in nodes) or (requests and is_finding_lookup_request(request)):
            break
        requests.append(request)
        if is_finding_lookup_request(request) or any(None in node.next_by_answer.values() for node in nodes):
            break  # no process is asked, or the test may end here
        nodes = tuple(after for node in nodes for after in node.next_by_answer.values() if after is not None)
    return tuple(requests)


@dataclass(frozen=True, slots=True)
class RequestPath:
    """A way through a test, from its first request to its last."""

    requests: tuple[bytes, ...]
    packed_requests: bytes
    """Those that a process is asked, as they stand in a message."""
    sent_request_count: int
    """How many those are."""
    looked_up_findings: tuple[tuple[str, bytes], ...]
    """The names that are looked up, and what is found there."""


@dataclass(slots=True)
class KnownRequestPaths:
    """The known ways through the tests of a suite.

    Attributes:
        root_by_test: the first node of each test, by pytest's name for it.
        findings_by_test: what each test found out about the program that was learnt from first.
    """

    root_by_test: dict[str, RequestTreeNode] = field(default_factory=dict)
    findings_by_test: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _segments: dict[PossibleNodes, tuple[bytes, ...]] = field(default_factory=dict)
    _likely: dict[tuple[str, str], RequestPath | None] = field(default_factory=dict)

    def get_root_nodes_or_empty(self, test_or_part_name: str) -> PossibleNodes:
        """Return where a test begins; empty if no way through it is known."""
        return (self.root_by_test[test_or_part_name],) if test_or_part_name in self.root_by_test else ()

    def list_requests_until_branch_with_cache(self, nodes: PossibleNodes) -> tuple[bytes, ...]:
        """Return what the function ``list_requests_until_branch`` does; look it up if it was asked for before."""
        if nodes not in self._segments:
            self._segments[nodes] = list_requests_until_branch(nodes)
        return self._segments[nodes]

    def find_likely_path(self, test_or_part_name: str, findings: Mapping[str, Any]) -> RequestPath | None:
        """Give the way through a test on which it gets the answers of the program that was learnt from first.

        Args:
            test_or_part_name: pytest's name for the test.
            findings: what other tests found out about the program.

        Returns:
            The way; None where no way to the end is known.
        """
        known = test_or_part_name, repr(sorted(findings.items(), key=itemgetter(0)))
        if known not in self._likely:
            if len(self._likely) == MAX_NODES:
                self._likely.clear()
            self._likely[known] = self._follow_findings(test_or_part_name, findings)
        return self._likely[known]

    def _follow_findings(self, test: str, remembered: Mapping[str, Any]) -> RequestPath | None:
        requests: list[bytes] = []
        recalled: list[tuple[str, bytes]] = []
        node = self.root_by_test.get(test)
        if node is None:
            return None
        while node is not None:
            requests.append(node.request)
            if not node.next_by_answer:
                return None
            if is_finding_lookup_request(node.request):
                name = parse_looked_up_finding_name(node.request)
                told = get_finding_repr_or_empty(remembered, name).encode()
                if told not in node.next_by_answer:
                    return None  # what it would ask then is not known
                recalled.append((name, told))
                node = node.next_by_answer[told]
            else:
                node = next(iter(node.next_by_answer.values()))
        asked = [*filterfalse(is_finding_lookup_request, requests)]
        return RequestPath(tuple(requests), b",".join(asked), len(asked), tuple(recalled))

    def list_known_requests_from_next(
        self, test_or_part_name: str, past_exchanges: Sequence[Exchange], next_request: bytes
    ) -> list[bytes]:
        """Return what a test is taken to ask after these answers.

        Args:
            test_or_part_name: pytest's name for the test.
            past_exchanges: what it asked so far, and the answers.
            next_request: what it asks next.

        Returns:
            The requests from ``next_request`` on, as on the path that was learnt first of those which go there; none
            where no path does.
        """
        here = self.get_root_nodes_or_empty(test_or_part_name)
        for request, answer in past_exchanges:
            here = list_possible_nodes_after_answer(
                tuple(node for node in here if node.request == request), answer.key
            )
        rest: list[bytes] = []
        node = next((node for node in here if node.request == next_request), None)
        while node is not None:
            rest.append(node.request)
            node = next(iter(node.next_by_answer.values()), None)
        return rest

    def add_path(self, test_or_part_name: str, exchanges: Sequence[Exchange], *, ends_test: bool) -> None:
        """Add a way.

        Args:
            test_or_part_name: pytest's name for the test.
            exchanges: the test's requests, and the answers.
            ends_test: whether the test ended with them; otherwise what came next cannot be sent beforehand.
        """
        if not exchanges:
            return
        self._segments.clear()
        self._likely.clear()
        node = self.root_by_test.setdefault(test_or_part_name, RequestTreeNode(exchanges[0][0]))
        for place, (request, answer) in enumerate(exchanges):
            if node.request != request:
                return  # the test does not always ask the same
            if place + 1 < len(exchanges):
                after = node.next_by_answer.get(answer.key)
                if after is None:
                    after = node.next_by_answer[answer.key] = RequestTreeNode(exchanges[place + 1][0])
                node = after
            elif ends_test:
                node.next_by_answer.setdefault(answer.key, None)

"""Record which requests a test makes after which answers, as learnt from programs of the course's authors.

A test's next request depends only on the answers so far. So the request paths of a test form a tree. Requests along a
path can be sent together, up to one that depends on an answer. Paths come only from the reference solution and the
course's own variants of it: nothing that was learnt from students' programs enters another student's process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse
from operator import itemgetter
from typing import Any

from autograder.bridge.remembered_findings import get_finding_repr
from autograder.bridge.request_transcript import Exchange, is_remembered_lookup_request, parse_looked_up_finding_name

MAX_REQUESTS_TOGETHER = 2_000
"""Maximum number of requests in one message."""
MAX_NODES = 5_000
"""Maximum number of cached likely paths, of all tests together. A test has several if its requests depend on findings
about the submission."""


@dataclass(slots=True, eq=False)
class RequestTreeNode:
    """A request, and the next request after each answer to it."""

    request: bytes
    next_by_answer: dict[bytes, RequestTreeNode | None] = field(default_factory=dict)
    """The next node by the answer's key; None where the test ends."""


PossibleNodes = tuple[RequestTreeNode, ...]
"""The nodes at which a test may be: one, or several where an answer was not known."""


def list_possible_nodes_after_answer(nodes: PossibleNodes, answer_key: bytes) -> PossibleNodes:
    """Return the nodes at which a test may be after an answer; if it is unknown, all nodes after known answers.

    If the answer is an unknown result of a finding look-up, return no nodes.
    """
    known_nodes = [node.next_by_answer[answer_key] for node in nodes if answer_key in node.next_by_answer]
    if not known_nodes and nodes and is_remembered_lookup_request(nodes[0].request):
        return ()
    next_nodes = known_nodes or [next_node for node in nodes for next_node in node.next_by_answer.values()]
    return tuple(node for node in next_nodes if node is not None)


def _list_requests_until_branch(nodes: PossibleNodes) -> tuple[bytes, ...]:
    """Return the requests from here on, up to the first that depends on an answer."""
    requests: list[bytes] = []
    while nodes and len(requests) < MAX_REQUESTS_TOGETHER:
        request = nodes[0].request
        if any(node.request != request for node in nodes) or (requests and is_remembered_lookup_request(request)):
            break
        requests.append(request)
        if is_remembered_lookup_request(request) or any(None in node.next_by_answer.values() for node in nodes):
            break  # a look-up is not sent to a process, or the test may end here
        nodes = tuple(
            next_node for node in nodes for next_node in node.next_by_answer.values() if next_node is not None
        )
    return tuple(requests)


@dataclass(frozen=True, slots=True)
class RequestPath:
    """A request path of a test, from its first request to its last."""

    requests: tuple[bytes, ...]
    packed_requests: bytes
    """The requests that are sent to a process, joined by commas as in a message."""
    sent_request_count: int
    """The number of requests that are sent to a process."""
    looked_up_findings: tuple[tuple[str, bytes], ...]
    """The names that are looked up, each with the ``repr`` of its finding, which is empty if there is none."""


@dataclass(slots=True)
class KnownRequestPaths:
    """The known request paths of the tests of a suite.

    Attributes:
        root_by_test: the first node of each test, by pytest's name for it.
        findings_by_test: what each test found out about the first program that paths were learnt from.
    """

    root_by_test: dict[str, RequestTreeNode] = field(default_factory=dict)
    findings_by_test: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    _segments: dict[PossibleNodes, tuple[bytes, ...]] = field(default_factory=dict)
    _likely: dict[tuple[str, str], RequestPath | None] = field(default_factory=dict)

    def get_root_nodes(self, test_or_part_name: str) -> PossibleNodes:
        """Return the first node of a test; empty if no path of it is known."""
        return (self.root_by_test[test_or_part_name],) if test_or_part_name in self.root_by_test else ()

    def list_requests_until_branch(self, nodes: PossibleNodes) -> tuple[bytes, ...]:
        """Return the result of the function ``_list_requests_until_branch``, from a cache if possible."""
        if nodes not in self._segments:
            self._segments[nodes] = _list_requests_until_branch(nodes)
        return self._segments[nodes]

    def find_likely_path(self, test_or_part_name: str, findings: Mapping[str, Any]) -> RequestPath | None:
        """Return the path on which a test gets the answers of the first program that paths were learnt from.

        Args:
            test_or_part_name: pytest's name for the test.
            findings: what other tests found out about the program.

        Returns:
            The path; None if no path to the end of the test is known.
        """
        key = test_or_part_name, repr(sorted(findings.items(), key=itemgetter(0)))
        if key not in self._likely:
            if len(self._likely) == MAX_NODES:
                self._likely.clear()
            self._likely[key] = self._follow_findings(test_or_part_name, findings)
        return self._likely[key]

    def _follow_findings(self, test: str, findings: Mapping[str, Any]) -> RequestPath | None:
        requests: list[bytes] = []
        looked_up_findings: list[tuple[str, bytes]] = []
        node = self.root_by_test.get(test)
        if node is None:
            return None
        while node is not None:
            requests.append(node.request)
            if not node.next_by_answer:
                return None
            if is_remembered_lookup_request(node.request):
                name = parse_looked_up_finding_name(node.request)
                answer_key = get_finding_repr(findings, name).encode()
                if answer_key not in node.next_by_answer:
                    return None  # the requests after this finding are not known
                looked_up_findings.append((name, answer_key))
                node = node.next_by_answer[answer_key]
            else:
                node = next(iter(node.next_by_answer.values()))
        sent_requests = [*filterfalse(is_remembered_lookup_request, requests)]
        return RequestPath(tuple(requests), b",".join(sent_requests), len(sent_requests), tuple(looked_up_findings))

    def predict_requests(
        self, test_or_part_name: str, past_exchanges: Sequence[Exchange], next_request: bytes
    ) -> list[bytes]:
        """Return the requests that a test is expected to make after these answers.

        Args:
            test_or_part_name: pytest's name for the test.
            past_exchanges: the test's requests so far, and the answers.
            next_request: the test's next request.

        Returns:
            The requests from ``next_request`` on, taken from the first-learnt path that leads there; empty if no path
            does.
        """
        nodes = self.get_root_nodes(test_or_part_name)
        for request, answer in past_exchanges:
            nodes = list_possible_nodes_after_answer(
                tuple(node for node in nodes if node.request == request), answer.key
            )
        requests: list[bytes] = []
        node = next((node for node in nodes if node.request == next_request), None)
        while node is not None:
            requests.append(node.request)
            node = next(iter(node.next_by_answer.values()), None)
        return requests

    def add_path(self, test_or_part_name: str, exchanges: Sequence[Exchange], *, ends_test: bool) -> None:
        """Add a request path.

        Args:
            test_or_part_name: pytest's name for the test.
            exchanges: the test's requests, and the answers.
            ends_test: whether the test ended with them. Otherwise its later requests cannot be prefetched.
        """
        if not exchanges:
            return
        self._segments.clear()
        self._likely.clear()
        node = self.root_by_test.setdefault(test_or_part_name, RequestTreeNode(exchanges[0][0]))
        for place, (request, answer) in enumerate(exchanges):
            if node.request != request:
                return  # the test does not always make the same requests
            if place + 1 < len(exchanges):
                next_node = node.next_by_answer.get(answer.key)
                if next_node is None:
                    next_node = node.next_by_answer[answer.key] = RequestTreeNode(exchanges[place + 1][0])
                node = next_node
            elif ends_test:
                node.next_by_answer.setdefault(answer.key, None)

"""Keep with which answers of the course's own programs each test passed: with equal answers it passes again.

A test that does not pass is never judged from here: it is run, so that its message has the submission's own lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from autograder.bridge.request_transcript import Exchange
from autograder.grading.suite.runnable_test import RawTestRun

MAX_CACHE_BYTES = 30_000_000
"""Maximum bytes in the cache, of all tests together."""
MAX_VERDICT_BYTES = 400_000
"""Maximum bytes of one transcript; a usual test has some thousands."""
BYTES_OF_A_NODE = 350
"""Bytes that an answer takes in addition to its own: a dict, and its share of the parent dict."""
PASSED = RawTestRun(None, (0.0, 0.0, 0.0))

VerdictTreeNode = dict[tuple[bytes, bytes], Union["VerdictTreeNode", "CachedPass"]]
"""The next node or the verdict, by a request and its answer. The request is part of the key because the test may not
have made the request that was sent."""


@dataclass(frozen=True, slots=True)
class CachedPass:
    """A test passed."""

    findings: dict[str, Any]
    """What the test found out about the submission; see ``StudentProxy.remembered``."""


@dataclass(slots=True)
class VerdictByAnswersCache:
    """Verdicts by a test and the answers that it got, one after the other; a verdict never changes."""

    root_by_test: dict[str, VerdictTreeNode] = field(default_factory=dict)
    _stored_bytes: int = 0

    def get_or_make_root_node(self, pytest_id: str) -> VerdictTreeNode:
        """Return the node where the answers of a test begin; make it if it is missing."""
        return self.root_by_test.setdefault(pytest_id, {})

    def find_by_requests_and_answers(
        self, pytest_id: str, requests_with_answer_keys: Sequence[tuple[bytes, bytes]]
    ) -> CachedPass | None:
        """Return the verdict on requests and the keys of their answers; None if there is none."""
        node: VerdictTreeNode | CachedPass | None = self.root_by_test.get(pytest_id)
        for request in requests_with_answer_keys:
            node = node.get(request) if isinstance(node, dict) else None
        return node if isinstance(node, CachedPass) else None

    def store_pass_if_small(self, pytest_id: str, exchanges: Sequence[Exchange], findings: dict[str, Any]) -> None:
        """Remember that a test passed, unless that takes too much space.

        Args:
            pytest_id: pytest's name for the test.
            exchanges: everything that the test asked, and the answers.
            findings: what the test found out about the submission.
        """
        size = sum(len(answer.key) + BYTES_OF_A_NODE for _, answer in exchanges) + len(str(findings))
        if not exchanges or size > MAX_VERDICT_BYTES or self._stored_bytes + size > MAX_CACHE_BYTES:
            return
        node = self.get_or_make_root_node(pytest_id)
        for request, answer in exchanges[:-1]:
            next_node = node.setdefault((request, answer.key), {})
            if isinstance(next_node, CachedPass):
                return
            node = next_node
        request, answer = exchanges[-1]
        node.setdefault((request, answer.key), CachedPass(findings))
        self._stored_bytes += size

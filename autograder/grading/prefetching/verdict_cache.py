"""Keep verdicts of tests on the answers of the course's own programs: equal answers get equal verdicts."""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import pytest

from autograder.bridge.handle_table import HARMLESS
from autograder.bridge.process_messages import UnparsedAnswer, encode_message
from autograder.bridge.request_transcript import Exchange, RequestTranscript
from autograder.bridge.rpc_client import parse_student_error
from autograder.bridge.student_exceptions import StudentError
from autograder.grading.failure_messages.required_name_not_usable import RequiredNameNotUsable
from autograder.grading.suite.runnable_test import RawTestRun

MAX_CACHE_BYTES = 30_000_000
"""Maximum bytes in the cache, of all tests together."""
MAX_VERDICT_BYTES = 400_000
"""Maximum bytes of one transcript; a usual test has some thousands."""
BYTES_OF_A_NODE = 350
"""Bytes that an answer takes in addition to its own: a dict, and its share of the parent dict."""

CLASS_NAME = re.compile(rb'"k":"([^"]*)"')
TELL_NAMES = (b'["type name"', b'["called"')

VerdictTreeNode = dict[tuple[bytes, bytes], Union["VerdictTreeNode", "CachedVerdict"]]
"""The next node or the verdict, by a request and its answer. The request is part of the key because the test may not
have made the request that was sent."""
SAME_FOR_ALL = (AssertionError, pytest.fail.Exception, pytest.skip.Exception, RequiredNameNotUsable)
"""Exceptions with which a test ends itself. Any other exception may hold objects of one submission."""


@dataclass(frozen=True, slots=True)
class CachedVerdict:
    """How a test ended."""

    outcome: RawTestRun
    raising_answer_index: int
    """The index of the answer that reported the exception with which the test ended; -1 if it ended otherwise."""
    findings: dict[str, Any]
    """What the test found out about the submission; see ``StudentProxy.remembered``."""

    def make_raw_run(self, exchanges: Sequence[Exchange]) -> RawTestRun:
        """Return the run for equal answers; an exception that ended it gets the lines of these answers."""
        if self.raising_answer_index < 0:
            return self.outcome
        answer = exchanges[self.raising_answer_index][1]
        if isinstance(answer, UnparsedAnswer):
            return self.outcome.with_exception(parse_student_error(answer))
        return self.outcome


@dataclass(slots=True)
class VerdictByAnswersCache:
    """Verdicts by a test and the answers that it got, one after the other."""

    names_in_every_submission: Collection[str] = ()
    """Names from the handout and of given code, which every submission has."""
    root_by_test: dict[str, VerdictTreeNode] = field(default_factory=dict)
    _stored_bytes: int = 0

    def get_or_make_root_node(self, pytest_id: str) -> VerdictTreeNode:
        """Return the node where the answers of a test begin; make it if it is missing."""
        return self.root_by_test.setdefault(pytest_id, {})

    def find_by_requests_and_answers(
        self, pytest_id: str, requests_with_answer_keys: Sequence[tuple[bytes, bytes]]
    ) -> CachedVerdict | None:
        """Return the verdict on requests and the keys of their answers; None if there is none."""
        node: VerdictTreeNode | CachedVerdict | None = self.root_by_test.get(pytest_id)
        for request in requests_with_answer_keys:
            node = node.get(request) if isinstance(node, dict) else None
        return node if isinstance(node, CachedVerdict) else None

    def store_if_cacheable(
        self, pytest_id: str, transcript: RequestTranscript, raw_run: RawTestRun, findings: dict[str, Any]
    ) -> None:
        """Remember how a test ended, unless that depends on more than the answers or takes too much space.

        What is remembered is ``raw_run`` itself: its exception loses its traceback and causes.

        Args:
            pytest_id: pytest's name for the test.
            transcript: everything that the test asked, and the answers.
            raw_run: how the test ended.
            findings: what the test found out about the submission.
        """
        exchanges = transcript.exchanges
        match raw_run.exception, transcript.errors:
            case None, _:
                raised_by = -1
            case StudentError() as raised, [(error, place)] if error is raised:
                raised_by = place
            case raised, [] if isinstance(raised, SAME_FOR_ALL):
                raised_by = -1
            case _:
                return
        size = (
            sum(len(answer.key) + BYTES_OF_A_NODE for _, answer in exchanges)
            + len(str(raw_run.exception))
            + len(str(findings))
        )
        if (
            not exchanges
            or size > MAX_VERDICT_BYTES
            or self._stored_bytes + size > MAX_CACHE_BYTES
            or self._holds_submission_names(exchanges)
        ):
            return
        node = self.get_or_make_root_node(pytest_id)
        for request, answer in exchanges[:-1]:
            next_node = node.setdefault((request, answer.key), {})
            if isinstance(next_node, CachedVerdict):
                return
            node = next_node
        request, answer = exchanges[-1]
        node[request, answer.key] = CachedVerdict(raw_run.clear_exception_frames(), raised_by, findings)
        self._stored_bytes += size

    def _holds_submission_names(self, exchanges: Sequence[Exchange]) -> bool:
        """Return whether an answer holds a name of one submission's own, which no other student may read."""
        answer_names = {name.decode() for _, answer in exchanges for name in CLASS_NAME.findall(answer.key)}
        answer_names |= {
            str(answer.unchecked_value_or_exception)
            for request, answer in exchanges
            if isinstance(answer, UnparsedAnswer)
            and request.startswith(TELL_NAMES)
            and request
            != encode_message(["called", answer.unchecked_value_or_exception])  # it has the handout's own name
        }
        return not all(
            name in self.names_in_every_submission or name in HARMLESS or hasattr(builtins, name)
            for name in answer_names
        )

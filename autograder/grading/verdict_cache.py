"""Remember what tests said of answers that they got: equal answers to equal requests get equal verdicts."""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import pytest

from autograder.bridge.errors import StudentError
from autograder.bridge.handle_table import HARMLESS
from autograder.bridge.rpc_client import parse_student_error
from autograder.bridge.transcript import Exchanged, Transcript
from autograder.bridge.wire_format import UnreadAnswer, pack_message
from autograder.grading.pytest_phases import RunOutcome
from autograder.grading.request_pipeline import PrefetchedAnswers
from autograder.grading.suite_state import MissingName

MOST_KEPT = 30_000_000
"""Bytes that are remembered, of all tests together."""
LARGEST = 300_000
"""Bytes of one transcript; a test gets some thousands."""
BYTES_OF_A_NODE = 350
"""What an answer takes beside its own bytes: a dict, and its share of the one above."""

CLASS_NAME = re.compile(rb'"k":"([^"]*)"')
TELL_NAMES = (b'["type name"', b'["called"')

Node = dict[tuple[bytes, bytes], Union["Node", "CachedVerdict"]]
"""What came after a request and its answer. By both: what was sent may not be what the test would have asked."""
SAME_FOR_ALL = (AssertionError, pytest.fail.Exception, pytest.skip.Exception, MissingName)
"""What a test ends with of its own accord. Whatever else it trips over may hold objects of one submission."""


@dataclass(frozen=True, slots=True)
class CachedVerdict:
    """How a test ended."""

    ran: RunOutcome
    raised_by: int
    """The place of the answer that told of the exception with which it ended; -1 when it ended otherwise."""
    found: dict[str, Any]
    """What it had the tests of one submission remember; see ``StudentProxy.remembered``."""

    def restore_run(self, exchanges: Sequence[Exchanged]) -> RunOutcome:
        """Return the run for equal answers; an exception that ended it gets the lines of these answers."""
        if self.raised_by < 0:
            return self.ran
        answer = exchanges[self.raised_by][1]
        return self.ran.replace_error(parse_student_error(answer)) if isinstance(answer, UnreadAnswer) else self.ran


@dataclass(slots=True)
class VerdictCache:
    """Verdicts by a test and the answers that it got, one after the other."""

    names: Collection[str] = ()
    """What the handout calls things: every submission has these names."""
    first: dict[str, Node] = field(default_factory=dict)
    _messages: dict[tuple[Any, ...], CachedVerdict] = field(default_factory=dict)
    _kept: int = 0

    def get_root_node(self, test: str) -> Node:
        """Return the node where the answers of a test begin; make it if it is missing."""
        return self.first.setdefault(test, {})

    def find_by_message(self, test: str, answered: PrefetchedAnswers) -> CachedVerdict | None:
        """Give the verdict on a message that came before, without reading the message; None where there is none."""
        return self._messages.get((test, *answered.cache_key))

    def find_by_path(self, test: str, way: Sequence[tuple[bytes, bytes]]) -> CachedVerdict | None:
        """Give the verdict on requests and the keys of their answers; None where there is none."""
        here: Node | CachedVerdict | None = self.first.get(test)
        for asked in way:
            here = here.get(asked) if isinstance(here, dict) else None
        return here if isinstance(here, CachedVerdict) else None

    def store_by_message(self, test: str, answered: PrefetchedAnswers, verdict: CachedVerdict) -> None:
        """Remember the verdict on a message, unless it depends on a line of the source or takes too much space."""
        size = len(answered.message) + BYTES_OF_A_NODE
        if verdict.raised_by < 0 and size < LARGEST and self._kept + size < MOST_KEPT:
            self._messages[test, *answered.cache_key] = verdict
            self._kept += size

    def store(
        self,
        test: str,
        transcript: Transcript,
        ran: RunOutcome,
        found: dict[str, Any],
    ) -> None:
        """Remember how a test ended, unless that depends on more than the answers or takes too much space.

        Args:
            test: pytest's name for the test.
            transcript: everything that the test asked, and the answers.
            ran: how the test ended.
            found: what the test had the tests of this submission remember.
        """
        given = transcript.asked
        match ran.raised, transcript.errors:
            case None, _:
                raised_by = -1
            case StudentError() as raised, [(error, place)] if error is raised:
                raised_by = place
            case raised, [] if isinstance(raised, SAME_FOR_ALL):
                raised_by = -1
            case _:
                return
        size = sum(len(answer.key) + BYTES_OF_A_NODE for _, answer in given) + len(str(ran.raised)) + len(str(found))
        if not given or size > LARGEST or self._kept + size > MOST_KEPT or self._tells_names(given):
            return
        node = self.get_root_node(test)
        for request, answer in given[:-1]:
            following = node.setdefault((request, answer.key), {})
            if isinstance(following, CachedVerdict):
                return
            node = following
        request, answer = given[-1]
        node[request, answer.key] = CachedVerdict(ran.release_test_objects(), raised_by, found)
        self._kept += size

    def _tells_names(self, given: Sequence[Exchanged]) -> bool:
        """Return whether an answer holds a name of one submission's own, which no other student may read."""
        told = {name.decode() for _, answer in given for name in CLASS_NAME.findall(answer.key)}
        told |= {
            str(answer.parsed_content)
            for request, answer in given
            if isinstance(answer, UnreadAnswer)
            and request.startswith(TELL_NAMES)
            and request != pack_message(["called", answer.parsed_content])  # it has the handout's own name
        }
        return not all(name in self.names or name in HARMLESS or hasattr(builtins, name) for name in told)

"""Judge tests by the reference's answers, and run the others on answers that were fetched together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from autograder.bridge import StudentStopped
from autograder.bridge.messages import (
    Exchange,
    FindingLookupAnswer,
    MalformedMessage,
    RequestTranscript,
    is_remembered_lookup_request,
    parse_looked_up_finding_name,
    split_answers_message,
)
from autograder.bridge.student import get_finding_repr
from autograder.grading.runnable_test import PASSED, RawTestRun
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest


class ReferenceRun(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """One test's passed run on the reference solution."""

    exchanges: tuple[tuple[bytes, bytes], ...]
    """Its requests and the keys of their answers; empty where these do not tell all that the test saw."""
    findings: dict[str, bool | int | float | str | None] = {}
    """What the test found out for other tests; see ``StudentProxy.remembered``."""

    @cached_property
    def _sent_requests(self) -> tuple[bytes, ...]:
        return tuple(request for request, _ in self.exchanges if not is_remembered_lookup_request(request))

    @cached_property
    def packed_requests(self) -> bytes:
        """Return the requests that are sent to a process, joined by commas as in a message."""
        return b",".join(self._sent_requests)

    @cached_property
    def _looked_up_findings(self) -> tuple[tuple[str, bytes], ...]:
        return tuple(
            (parse_looked_up_finding_name(request), key)
            for request, key in self.exchanges
            if is_remembered_lookup_request(request)
        )

    @property
    def looked_up_names(self) -> frozenset[str]:
        """Return the names of the findings of other tests that it looks up."""
        return frozenset(name for name, _ in self._looked_up_findings)

    def has_findings(self, findings: Mapping[str, Any]) -> bool:
        """Return whether what the test looks up is as it was for the reference."""
        return all(get_finding_repr(findings, name).encode() == key for name, key in self._looked_up_findings)

    def parse_answers(self, packed_answers: bytes) -> list[Exchange]:
        """Return the requests that a program answered, up to the first that it did not, with its answers.

        Raises:
            MalformedMessage: the message does not hold well-formed answers.
        """
        answers = iter(split_answers_message(packed_answers, len(self._sent_requests)))
        exchanges: list[Exchange] = []
        for request, key in self.exchanges:
            is_lookup = is_remembered_lookup_request(request)
            answer = FindingLookupAnswer(key) if is_lookup else next(answers, None)
            if answer is None:
                break
            exchanges.append((request, answer))
        return exchanges

    def is_answered_alike(self, exchanges: Sequence[Exchange]) -> bool:
        """Return whether a program gave all of the reference's answers, so that the test passes."""
        return self.exchanges == tuple((request, answer.key) for request, answer in exchanges)


PytestIdAndSetOrder = tuple[str, bool]
"""pytest's name for a test, and whether sets have the opposite order in it."""
MAX_BYTES_TOGETHER = 40_000
"""Maximum bytes of the requests that are sent together: less than a socket buffers without a reader."""
MAX_TESTS_TOGETHER = 40
"""Maximum number of tests in one message. What is known of the submission after it decides what is sent next."""


class PrefetchingTestRunner:
    """Runs the tests of a submission whose code is run anew for each test; see ``StateBetweenTests``.

    A test that gets the reference's answers passes, and is not run. One that gets others runs on these. If it asks
    anything else, it goes on in the process, which is first sent what the test has asked so far.
    """

    def __init__(
        self,
        reference_runs: Mapping[str, ReferenceRun],
        target: BridgedSubmissionUnderTest,
        turns: Sequence[PytestIdAndSetOrder],
    ) -> None:
        """Send nothing yet.

        Args:
            reference_runs: the tests' runs on the reference solution.
            target: the submission.
            turns: the runs to come, in their order.
        """
        self._reference_runs, self._target = reference_runs, target
        self._unsent = [turn for turn in turns if turn[0] in reference_runs]
        self._answers: dict[PytestIdAndSetOrder, bytes] = {}

    def run_or_reuse_verdict(self, pytest_id: str, run_test: Callable[[], RawTestRun]) -> RawTestRun:
        """Run a test, or say that it passed where the answers to its requests are the reference's."""
        findings = self._target.student.remembered.content
        turn = pytest_id, self._target.bridge.reverses_set_order
        if turn in self._unsent:
            self._send_requests_from(turn)
        packed_answers = self._answers.pop(turn, None)
        if packed_answers is None or not self._reference_runs[pytest_id].has_findings(findings):
            return run_test()
        try:
            exchanges = self._reference_runs[pytest_id].parse_answers(packed_answers)
        except MalformedMessage:
            return run_test()  # it sends its requests one by one, and reports the malformed message
        if self._reference_runs[pytest_id].is_answered_alike(exchanges):
            findings.update(self._reference_runs[pytest_id].findings)
            return PASSED
        return try_run_on_answers(self._target, exchanges, run_test, may_go_on=True) or run_test()

    def _send_requests_from(self, first: PytestIdAndSetOrder) -> None:
        """Send the requests of a test, and of those after it, in one message."""
        waiting = self._unsent[self._unsent.index(first) :]
        findings = dict(self._target.student.remembered.content)
        chosen: list[PytestIdAndSetOrder] = []
        size = looked_at = 0
        for turn in waiting:
            run = self._reference_runs[turn[0]]
            size += len(run.packed_requests)
            if chosen and (size > MAX_BYTES_TOGETHER or len(chosen) == MAX_TESTS_TOGETHER):
                break
            if run.exchanges and run.has_findings(findings):
                chosen.append(turn)
            # until this test has run, assume that it finds out what it found out about the reference
            findings = {**run.findings, **findings}
            looked_at += 1
        self._unsent = waiting[looked_at:]
        if not chosen:
            return
        packed_tests = [(self._reference_runs[name].packed_requests, is_reversed) for name, is_reversed in chosen]
        try:
            answers = self._target.bridge.prefetch_answers_of_tests(packed_tests)
        except StudentStopped:
            answers = []
        if len(answers) < len(chosen):
            self._unsent.clear()  # a test stops the process, and more may: from here on each asks for itself
        self._answers.update(zip(chosen, answers, strict=False))


def try_run_on_answers(
    target: BridgedSubmissionUnderTest,
    exchanges: Sequence[Exchange],
    run_test: Callable[[], RawTestRun],
    *,
    may_go_on: bool = False,
) -> RawTestRun | None:
    """Run a test on answers that its program gave before; return None if that says nothing.

    Args:
        target: the program.
        exchanges: what the test may ask, with the answers.
        run_test: runs it.
        may_go_on: whether it asks the process if it asks for something else. Its run then says nothing only if the
            process gives other answers than before.
    """
    findings = target.student.remembered
    findings_before = dict(findings.content)
    target.transcript_of_next_test = RequestTranscript(exchanges, may_go_on)
    raw_run = run_test()
    target.transcript_of_next_test = None
    if not target.bridge.transcript.left_known_path:
        return raw_run
    findings.content = findings_before
    findings.mark_all_as_from_earlier_tests()
    raw_run.clear_exception_frames()
    return None

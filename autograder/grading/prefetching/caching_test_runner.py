"""Run the tests of one submission: send expected requests together, and reuse verdicts on known answers.

Requests and verdicts are known from the course's own programs alone. Nothing that a submission answers is remembered
for another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from autograder.bridge import StudentStopped
from autograder.bridge.process_messages import MalformedMessage, UnparsedAnswer
from autograder.bridge.request_transcript import (
    Exchange,
    FindingLookupAnswer,
    get_finding_lookup_result,
    is_remembered_lookup_request,
)
from autograder.grading.prefetching.answer_prefetcher import AnswerPrefetcher, PytestIdAndSetOrder
from autograder.grading.prefetching.known_request_paths import list_possible_nodes_after_answer
from autograder.grading.prefetching.known_requests_and_verdicts import KnownRequestsAndVerdicts
from autograder.grading.prefetching.prefetch_resynchronizer import PrefetchResynchronizer
from autograder.grading.prefetching.verdict_cache import PASSED, CachedPass, VerdictTreeNode
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest
from autograder.grading.suite.runnable_test import RawTestRun


class UnsoundPrefetching(Exception):
    """A submission may remember requests that no test has made, so this run does not count.

    Run the tests again without prefetching.
    """


class CachingTestRunner:
    """Runs the tests of one submission, and prefetches known requests until the process is stopped in one."""

    def __init__(
        self,
        known_requests_and_verdicts: KnownRequestsAndVerdicts,
        target: BridgedSubmissionUnderTest,
        *,
        learns_request_paths: bool = False,
    ) -> None:
        """Prepare to run tests; send nothing yet.

        Args:
            known_requests_and_verdicts: what is known of the tests.
            target: the submission.
            learns_request_paths: whether the request paths of the tests are learnt from this submission, which is the
                course's own.
        """
        self._known_requests, self._target = known_requests_and_verdicts, target
        self._learns = learns_request_paths
        self._sends = True
        self._prefetcher: AnswerPrefetcher | None = None

    def prepare_run(self, turns_with_required_names: Sequence[tuple[PytestIdAndSetOrder, Collection[str]]]) -> None:
        """Get ready for a run.

        Args:
            turns_with_required_names: the tests of the run in their order, each with the names without which it is
                not begun.
        """
        target = self._target
        if not self._learns and target.bridge.state.runs_code_anew:
            turns = [turn for turn, names in turns_with_required_names if not target.list_unimplemented_names(names)]
            self._prefetcher = AnswerPrefetcher(
                self._known_requests.request_paths, target.bridge, target.student.remembered, turns
            )

    def run_or_reuse_verdict(
        self, pytest_id: str, names_needed_to_begin: Collection[str], run_test: Callable[[], RawTestRun]
    ) -> RawTestRun:
        """Run a test, or reuse the verdict that follows from the answers to its requests.

        Args:
            pytest_id: pytest's name for the test.
            names_needed_to_begin: the names without which the test is not begun.
            run_test: runs the test.

        Raises:
            UnsoundPrefetching: a request was sent that the test would not have made, and the submission may remember
                it.
        """
        findings = self._target.student.remembered
        findings.mark_all_as_from_earlier_tests()
        if self._target.list_unimplemented_names(names_needed_to_begin):
            return run_test()
        if not self._sends:
            return run_test()
        try:
            raw_run = self._run_on_prefetched_answers(pytest_id, run_test)
            if raw_run is not None:
                return raw_run
            if self._prefetcher and self._prefetcher.was_stopped_in_prefetch(
                (pytest_id, self._target.reverses_set_order)
            ):
                self._sends = False
                return run_test()
            self._target.begin_test_speculatively(pytest_id)
            exchanges, verdict, read_count = self._prefetch_answers(pytest_id)
        except StudentStopped:
            self._target.end_test()
            self._sends = False
            self._require_sound(sound=False)
            return run_test()
        if verdict is None or self._learns:  # a path is learnt even if its verdict is already known
            return self._run_with_transcript(pytest_id, exchanges, run_test)
        self._target.end_test()
        findings.content.update(verdict.findings)
        self._require_sound(sound=read_count == len(exchanges))
        return PASSED

    def _run_on_prefetched_answers(self, test: str, run: Callable[[], RawTestRun]) -> RawTestRun | None:
        """Run a test on prefetched answers, or reuse its verdict; return None if they are missing or unusable.

        The answers are to the requests that the test makes to the reference.
        """
        answers = self._prefetcher.take_answers((test, self._target.reverses_set_order)) if self._prefetcher else None
        findings = self._target.student.remembered
        if answers is None or any(
            findings.peek_repr(name).encode() != answer_key for name, answer_key in answers.path.looked_up_findings
        ):
            return None
        try:
            exchanges = answers.parse_exchanges()
        except MalformedMessage:
            return None  # sending the requests in the usual way reports the malformed message
        verdict, departs = self._find_verdict(test, exchanges)
        if verdict is None and not self._learns and self._known_requests.load_more_once():
            verdict, departs = self._find_verdict(test, exchanges)
        if verdict is not None:
            findings.content.update(verdict.findings)
            return PASSED
        if departs:
            return None
        self._target.begin_test_speculatively(test)
        return self._run_with_transcript(test, exchanges, run, path=answers.path.requests, closed=True)

    def _find_verdict(self, test: str, exchanges: Sequence[Exchange]) -> tuple[CachedPass | None, bool]:
        """Return the verdict on answers, or None; and whether the test departs from these requests on the way."""
        nodes = self._known_requests.request_paths.get_root_nodes(test)
        verdict_node = self._known_requests.verdict_cache.get_or_make_root_node(test)
        for request, answer in exchanges:
            if nodes and all(node.request != request for node in nodes):
                return None, True
            nodes = list_possible_nodes_after_answer(nodes, answer.key)
            next_node = verdict_node.get((request, answer.key), {})
            if isinstance(next_node, CachedPass):
                return next_node, False
            verdict_node = next_node
        return None, False

    def _prefetch_answers(self, test: str) -> tuple[list[Exchange], CachedPass | None, int]:
        """Send a test's requests in advance, as far as they are known.

        Returns:
            The requests and their answers; the verdict on these answers, or None if it is unknown; and the number of
            answers that the verdict depends on.
        """
        exchanges: list[Exchange] = []
        verdict_node: VerdictTreeNode | None = self._known_requests.verdict_cache.get_or_make_root_node(test)
        paths = self._known_requests.request_paths
        nodes = paths.get_root_nodes(test)
        while segment := paths.list_requests_until_branch(nodes):
            start = len(exchanges)
            exchanges += zip(segment, self._fetch_segment(segment), strict=False)
            for read_count, (request, answer) in enumerate(exchanges[start:], start + 1):
                nodes = list_possible_nodes_after_answer(nodes, answer.key)
                next_node = verdict_node.get((request, answer.key)) if verdict_node else None
                if isinstance(next_node, CachedPass):
                    return exchanges, next_node, read_count
                verdict_node = next_node
        return exchanges, None, len(exchanges)

    def _fetch_segment(self, segment: Sequence[bytes]) -> Sequence[UnparsedAnswer | FindingLookupAnswer]:
        if is_remembered_lookup_request(segment[0]):
            return [get_finding_lookup_result(self._target.student.remembered, segment[0])]
        return self._target.bridge.prefetch_current_test(segment)

    def _run_with_transcript(
        self,
        test: str,
        exchanges: list[Exchange],
        run: Callable[[], RawTestRun],
        *,
        path: Sequence[bytes] = (),
        closed: bool = False,
    ) -> RawTestRun:
        """Run a test on answers that were prefetched.

        Args:
            test: pytest's name for the test.
            exchanges: the requests that were sent for it, and their answers.
            run: runs the test.
            path: all expected requests of the test.
            closed: see ``RequestTranscript``.
        """
        bridge, findings = self._target.bridge, self._target.student.remembered
        findings_before = dict(findings.content)
        bridge.transcript.prefetched, bridge.transcript.is_closed = exchanges, closed
        if bridge.state.runs_code_anew:
            PrefetchResynchronizer(
                self._known_requests.request_paths, test, bridge, findings, path
            ).attach_to_transcript(bridge.transcript)
        self._known_requests.unknown_test_count += 1
        raw_run = run()
        if bridge.transcript.left_known_path:
            self._require_sound(sound=False)
            findings.content = dict(findings_before)
            findings.mark_all_as_from_earlier_tests()
            raw_run.clear_exception_frames()
            raw_run = run()
        else:
            self._require_sound(sound=bridge.transcript.has_used_all_prefetched)
        if self._learns:
            self._learn_from_run(test, raw_run, findings_before)
        return raw_run

    def _learn_from_run(self, test: str, raw_run: RawTestRun, findings_before: Mapping[str, Any]) -> None:
        """Remember a test's requests to a program of the course's own, and the verdict on its answers."""
        new_findings = {
            name: value
            for name, value in self._target.student.remembered.content.items()
            if name not in findings_before or findings_before[name] != value
        }
        transcript = self._target.bridge.transcript
        self._known_requests.request_paths.add_path(test, transcript.exchanges, ends_test=transcript.is_repeatable)
        self._known_requests.request_paths.findings_by_test.setdefault(test, new_findings)
        if transcript.is_repeatable and raw_run.exception is None:
            self._known_requests.verdict_cache.store_pass_if_small(test, transcript.exchanges, new_findings)

    def _require_sound(self, *, sound: bool) -> None:
        if not sound and not self._target.bridge.state.runs_code_anew:
            raise UnsoundPrefetching

"""Run changed texts of one submission against hidden tests, hundreds of texts in one process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from msgspec.structs import replace as replace_struct

from autograder.bridge import Bridge, StudentStopped, SubmissionProgram
from autograder.bridge.process_messages import MalformedMessage
from autograder.course import Limits
from autograder.grading import Grader, HiddenTestResult, HiddenTestSpec
from autograder.grading.prefetching.answer_prefetcher import PrefetchedTestAnswers
from autograder.grading.prefetching.known_request_paths import RequestPath
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest
from autograder.grading.suite.hidden_suite import SuiteTestRunner
from autograder.grading.suite.runnable_test import RawTestRun
from autograder.submissions import SourceUnit, Submission
from autograder.submissions.given_code_restoration import NAME as GIVEN

CANDIDATE_SECONDS = 0.1
"""CPU seconds of the reference machine that one test of a candidate may take; usual ones take a hundredth."""
PLENTY = 1e6
"""Seconds for all candidates together: what is limited is their number."""
MOST_TOGETHER, MOST_BYTES_TOGETHER = 40, 40_000
"""How many tests, and bytes of their requests, are sent in one message: less than a socket holds without a reader."""


class CandidateRunner:
    """Tries changed texts of a program on its hidden tests.

    Texts share a process where the program is run anew for each test, and one may spoil another there. So what passes
    here is likely to be right, and proven by nothing yet.
    """

    def __init__(
        self, grader: Grader, program: SubmissionProgram, bridge: Bridge, target: BridgedSubmissionUnderTest
    ) -> None:
        """Take over a loaded process; see ``open_candidate_runner``."""
        self._grader, self._program, self._bridge, self._target = grader, program, bridge, target
        self._limits = _allow_many_candidates(grader.assignment.limits)
        self._known_outcomes: dict[tuple[str, bytes], bool] = {}
        known = grader.suite_runner.known_requests_and_verdicts
        self._path_by_test: dict[str, RequestPath] = {}
        for test_id, pytest_id in grader.pytest_id_by_test_id.items():
            path = known and known.request_paths.find_likely_path(pytest_id, {})
            if path:
                self._path_by_test[test_id] = path

    @property
    def shares_process(self) -> bool:
        """Return whether candidates run in one process, one after the other."""
        return self._bridge.state.runs_code_anew

    def measure_requests(self, test_id: str) -> int:
        """Return how many bytes the requests of a test to the reference solution have; 0 where these are unknown."""
        return len(self._path_by_test[test_id].packed_requests) if test_id in self._path_by_test else 0

    def list_passed_tests(self, unit: int, text: str, test_ids: Sequence[str]) -> set[str]:
        """Return those of some tests that pass with another text in the place of a unit.

        Args:
            unit: counts the program's units from 0.
            text: the whole text.
            test_ids: ids of tests; where one hangs, those after it count as failed.
        """
        if not self.shares_process:
            return self._list_passed_in_own_process(unit, text, test_ids)
        self._bridge.reset_for_next_run(self._limits)
        self._bridge.replace_unit(unit, text)
        passed: set[str] = set()
        for chunk in self._iterate_chunks([test_id for test_id in test_ids if test_id in self._path_by_test]):
            try:
                answers = self._bridge.prefetch_answers_of_tests(
                    [(self._path_by_test[test_id].packed_requests, False) for test_id in chunk]
                )
            except StudentStopped:
                break
            for test_id, answer in zip(chunk, answers, strict=False):
                if self._passes_with_answers(test_id, answer):
                    passed.add(test_id)
            if len(answers) < len(chunk):
                break
        return passed.union(
            *(self._run_tests(self._target, [one]) for one in test_ids if one not in self._path_by_test)
        )

    def _passes_with_answers(self, test_id: str, answers: bytes) -> bool:
        """Return whether a test passes; where it asks for nothing else, these answers are not met with it again."""
        key = (test_id, answers)
        if key in self._known_outcomes:
            return self._known_outcomes[key]
        runner = _AnsweredTestRunner(self._target, self._path_by_test[test_id], answers)
        passed = test_id in self._run_tests(self._target, [test_id], runner)
        if not runner.asked_for_more:
            self._known_outcomes[key] = passed
        return passed

    def _run_tests(
        self, target: BridgedSubmissionUnderTest, test_ids: Sequence[str], runner: SuiteTestRunner | None = None
    ) -> set[str]:
        target.student.remembered.content.clear()
        results = self._grader.suite_runner.suite.iterate_results(
            target, _pass_or_fail, lambda _: False, test_ids, None, runner
        )
        return {result.spec.id for result in results if result.outcome == "passed"}

    def _list_passed_in_own_process(self, unit: int, text: str, test_ids: Sequence[str]) -> set[str]:
        submission = make_changed_submission(self._program, unit, text)
        with self._grader.suite_runner.open_run_session(submission, self._grader.faulty_test_ids) as run:
            return set() if run.ungradable_reason else self._run_tests(run.target, test_ids)

    def _iterate_chunks(self, test_ids: Sequence[str]) -> Iterator[list[str]]:
        chunk: list[str] = []
        size = 0
        for test_id in test_ids:
            size += len(self._path_by_test[test_id].packed_requests)
            if chunk and (size > MOST_BYTES_TOGETHER or len(chunk) == MOST_TOGETHER):
                yield chunk
                chunk, size = [], len(self._path_by_test[test_id].packed_requests)
            chunk.append(test_id)
        if chunk:
            yield chunk


@dataclass(slots=True)
class _AnsweredTestRunner:
    """Runs one test on answers that are there already, and once more in the process where it asks for others."""

    target: BridgedSubmissionUnderTest
    path: RequestPath
    packed_answers: bytes
    asked_for_more: bool = False

    def prepare_run(self, turns_with_required_names: object) -> None:
        """Do nothing: all is there."""

    def run_or_reuse_verdict(
        self, pytest_id: str, names_needed_to_begin: Collection[str], run_test: Callable[[], RawTestRun]
    ) -> RawTestRun:
        """Run the test."""
        try:
            exchanges = PrefetchedTestAnswers(self.path, self.packed_answers).parse_exchanges()
        except MalformedMessage:
            exchanges = None
        if exchanges is None or self.target.list_unimplemented_names(names_needed_to_begin):
            self.asked_for_more = True
            return run_test()
        self.target.begin_test_speculatively(pytest_id)
        transcript = self.target.bridge.transcript
        transcript.prefetched, transcript.is_closed = exchanges, True
        ran = run_test()
        if transcript.left_known_path:
            self.asked_for_more = True
            ran.clear_exception_frames()
            ran = run_test()
        return ran


@contextmanager
def open_candidate_runner(grader: Grader, program: SubmissionProgram) -> Iterator[CandidateRunner]:
    """Load a program as it was handed in, and end its process with the block.

    Raises:
        KitFault: no process can be started.
    """
    bridge = grader.suite_runner.acquire_bridge(program, _allow_many_candidates(grader.assignment.limits))
    try:
        target = BridgedSubmissionUnderTest(bridge, bridge.load_without_fatal_code())
        yield CandidateRunner(grader, program, bridge, target)
    finally:
        bridge.end_process()


def make_changed_submission(program: SubmissionProgram, unit: int, text: str) -> Submission:
    """Return the submission of a program in which a unit has another text."""
    program = replace_unit(program, unit, text)
    units = tuple(SourceUnit(name, source) for name, source in program.units if name != GIVEN)
    return Submission("repair", "", tuple(unit.name for unit in units), units, dict(program.modules))


def replace_unit(program: SubmissionProgram, unit: int, text: str) -> SubmissionProgram:
    """Return a program in which a unit has another text."""
    units = [(name, text if number == unit else source) for number, (name, source) in enumerate(program.units)]
    return replace(program, units=tuple(units), skipped_statements=frozenset(), makes_instances=True)


def _allow_many_candidates(limits: Limits) -> Limits:
    seconds = min(CANDIDATE_SECONDS, limits.cpu_seconds)
    return replace_struct(limits, cpu_seconds=seconds, submission_seconds=PLENTY, messages=1_000_000_000)


def _pass_or_fail(spec: HiddenTestSpec, raised: BaseException | None, _: float) -> HiddenTestResult:
    return HiddenTestResult(spec, "passed" if raised is None else "failed")

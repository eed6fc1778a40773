"""Run changed texts of one submission against hidden tests, hundreds of texts in one process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat
from typing import Any

from msgspec.structs import replace as replace_struct

from autograder.bridge import Bridge, StudentStopped, SubmissionProgram
from autograder.bridge.bridge import UNCHANGED
from autograder.bridge.messages import (
    MalformedMessage,
    UnitChange,
    is_exception_answer,
    make_unit_change,
)
from autograder.course import Limits
from autograder.grading import Grader
from autograder.grading.hidden_suite import HiddenSuiteSession
from autograder.grading.prefetching import ReferenceRun, try_run_on_answers
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest
from autograder.submissions import SourceUnit, Submission
from autograder.submissions.source_definitions import NAME as GIVEN

CANDIDATE_SECONDS = 0.1
"""CPU seconds of the reference machine that one test of a candidate may take; usual ones take a hundredth."""
USUAL_SECONDS = 0.03
"""The same on average, of all tests that are sent together."""
FIRST_LOOK_SECONDS = 0.05
"""The same for the test that candidates meet first: most of them fail it, and some hang."""
PLENTY = 1e6
"""Seconds for all candidates together: what is limited is their number."""
MOST_STOPS = 20
"""How many processes candidates may use up; after that, what is not tried counts as failed."""
MOST_GOING_ON = 40
"""How many candidates run a test on that goes on after something raised, before it is known that all answers fit."""
FEW_TOGETHER, MOST_TOGETHER, MOST_BYTES_TOGETHER = 7, 40, 40_000
"""How many tests, and bytes of their requests, are sent in one message: less than a socket holds without a reader.
Of several, the first is sent alone, since what hangs does so at once, and then few: most that is wrong fails one."""


@dataclass(frozen=True, slots=True)
class ChangedText:
    """The text of one unit of a program, changed."""

    unit: int
    """Counts the program's units from 0."""
    text: str


class CandidateRunner:
    """Tries changed texts of a program on its hidden tests.

    Texts share a process where the program is run anew for each test, and one may spoil another there. So what passes
    here is likely to be right, and proven by nothing yet.

    Attributes:
        stops: how many processes the candidates used up.
        went_on_count: how many candidates ran a test on, at first look, that goes on after something raised.
    """

    def __init__(
        self, grader: Grader, program: SubmissionProgram, bridge: Bridge, target: BridgedSubmissionUnderTest
    ) -> None:
        """Take over a loaded process; see ``open_candidate_runner``."""
        self._grader, self._program, self._bridge, self._target = grader, program, bridge, target
        self._limits = _allow_many_candidates(grader.assignment.limits)
        self._known_outcomes: dict[tuple[str, bytes], bool] = {}
        self.stops = self.went_on_count = 0
        runs = grader.suite_runner.reference_runs
        ids = {test_id: node for test_id, node in grader.pytest_id_by_test_id.items() if node in runs}
        self._run_by_test = {test_id: runs[node] for test_id, node in ids.items()}
        self._own_requests: set[str] = set()
        self._findings: dict[str, Any] = {}
        self._find_out()
        self._run_by_test = {
            test_id: run
            for test_id, run in self._run_by_test.items()
            if run.exchanges and run.has_findings(self._list_findings_before(test_id))
        }

    def _find_out(self) -> None:
        """Let tests find out about the unchanged program what others look up.

        It holds for the candidates, too: few change how a program keeps its nodes, and those are proven without it.
        """
        asked: set[str] = set()
        for test_id, run in self._run_by_test.items() if self.shares_process else ():
            if not run.looked_up_names <= asked:
                asked |= run.looked_up_names
                self._bridge.reset_for_next_run(self._limits)
                self._run_tests(self._target, [test_id])
                self._findings = {**self._target.student.remembered.content}

    def _list_findings_before(self, test_id: str) -> dict[str, Any]:
        """Return what is known before a test whose requests are known: not what these find out themselves."""
        own = self._run_by_test[test_id].findings
        return {name: value for name, value in self._findings.items() if name not in own}

    @property
    def shares_process(self) -> bool:
        """Return whether candidates run in one process, one after the other."""
        return self._bridge.state.runs_code_anew

    @property
    def process_count(self) -> int:
        """Return how many processes were started for candidates that share one."""
        return self._bridge.process_count

    def measure_requests(self, test_id: str) -> int:
        """Return how many bytes the requests of a test to the reference solution have; 0 where these are unknown."""
        return len(self._run_by_test[test_id].packed_requests) if test_id in self._run_by_test else 0

    def select_passing(self, texts: Sequence[ChangedText], test_id: str) -> list[int]:
        """Return the places of the texts that pass a test; it meets many texts in one message."""
        if not self.shares_process or test_id not in self._run_by_test:
            return [place for place, text in enumerate(texts) if self.list_passed_tests(text, [test_id])]
        requests = self._run_by_test[test_id].packed_requests
        changes = [self._make_change(text, FIRST_LOOK_SECONDS) for text in texts]
        passing = []
        for place, answer in enumerate(self._ask([(requests, change) for change in changes], 2 * FIRST_LOOK_SECONDS)):
            if answer is not None:
                self._bridge.change_unit(changes[place])
                if self._passes_with_answers(test_id, answer, is_first_look=True):
                    passing.append(place)
        return passing

    def select_equal(self, texts: Sequence[ChangedText], test_id: str) -> list[int]:
        """Return the places of the texts that answer all requests of a failed test as the unchanged program does.

        None does where these requests are not known; see ``follow_own_requests``.
        """
        if test_id not in self._own_requests:
            return []
        unchanged = ChangedText(0, self._program.units[0][1])
        changes = [self._make_change(text, FIRST_LOOK_SECONDS) for text in (unchanged, *texts)]
        requests = self._run_by_test[test_id].packed_requests
        answers = self._ask([(requests, change) for change in changes], 2 * FIRST_LOOK_SECONDS)
        return [place for place, answer in enumerate(answers[1:]) if answer is not None and answer == answers[0]]

    def list_passed_tests(
        self, text: ChangedText, test_ids: Sequence[str], needed: frozenset[str] = frozenset()
    ) -> set[str]:
        """Return those of some tests that pass with a changed text.

        Args:
            text: the changed text.
            test_ids: the tests.
            needed: once one of these does not pass, some of the others may not be tried, and count as failed.
        """
        if not self.shares_process:
            return self._list_passed_in_own_process(text, test_ids)
        change = self._make_change(text, CANDIDATE_SECONDS)
        known = [test_id for test_id in test_ids if test_id in self._run_by_test]
        passed: set[str] = set()
        start = 0
        for size in chain([1, FEW_TOGETHER], repeat(MOST_TOGETHER)):
            group, start = known[start : start + size], start + size
            if not group:
                break
            requests = [(self._run_by_test[test_id].packed_requests, change) for test_id in group]
            answers = self._ask(requests, USUAL_SECONDS if size > 1 else FIRST_LOOK_SECONDS, gives_up=bool(needed))
            self._bridge.change_unit(change)
            for test_id, answer in zip(group, answers, strict=True):
                if answer is not None and self._passes_with_answers(test_id, answer):
                    passed.add(test_id)
                elif test_id in needed:
                    return passed
        self._bridge.change_unit(change)
        return passed | self._run_tests(self._target, [test_id for test_id in test_ids if test_id not in known])

    def follow_own_requests(self, test_id: str) -> None:
        """Send from now on what a failed test asks the unchanged program, and not what it asks the reference.

        So most candidates, which change nothing of it, give answers that were met before.
        """
        if not self.shares_process:
            return
        self._bridge.reset_for_next_run(self._limits)
        self._bridge.change_unit(UNCHANGED)
        self._run_tests(self._target, [test_id])
        transcript = self._bridge.transcript
        requests = tuple(request for request, _ in transcript.exchanges)
        packed = b",".join(requests)
        if transcript.is_repeatable and 0 < len(packed) <= MOST_BYTES_TOGETHER:
            exchanges = tuple((request, answer.key) for request, answer in transcript.exchanges)
            self._run_by_test[test_id] = ReferenceRun(exchanges)
            self._own_requests.add(test_id)

    def _make_change(self, text: ChangedText, seconds: float) -> UnitChange:
        seconds += self._bridge.state.reload_seconds
        return make_unit_change(text.unit, self._program.units[text.unit][1], text.text, seconds)

    def _ask(
        self,
        packed_tests: Sequence[tuple[bytes, UnitChange]],
        seconds: float = USUAL_SECONDS,
        *,
        gives_up: bool = False,
    ) -> list[bytes | None]:
        """Return the answers to the requests of tests of changed texts; None where the process was stopped.

        Args:
            packed_tests: the requests of each test, and the change.
            seconds: CPU seconds of the reference machine that one may take on average.
            gives_up: whether nothing more is asked once the process was stopped.
        """
        answers: list[bytes | None] = []
        while len(answers) < len(packed_tests) and self.stops < MOST_STOPS:
            chunk = _take_chunk(packed_tests[len(answers) :])
            self._bridge.reset_for_next_run(self._limits)
            try:
                answered = self._bridge.prefetch_answers_of_changes(chunk, seconds)
            except StudentStopped:
                answered = []
            answers += answered
            if len(answered) < len(chunk):
                self.stops += 1
                if gives_up:
                    break
                answers += [None] * (not answered)  # one after others is asked once more: they took time, too
        return answers + [None] * (len(packed_tests) - len(answers))

    def _passes_with_answers(self, test_id: str, answers: bytes, *, is_first_look: bool = False) -> bool:
        """Return whether a test passes; where it asks for nothing else, these answers are not met with it again.

        Answers end where something raises. A test that goes on after that is run in the process; at the first look at
        many candidates this is done a few times, since some tests go on whatever raises.
        """
        key = (test_id, answers)
        if key in self._known_outcomes:
            return self._known_outcomes[key]
        run = self._run_by_test[test_id]
        try:
            exchanges = run.parse_answers(answers)
            raises = len(exchanges) < len(run.exchanges) and bool(exchanges) and is_exception_answer(exchanges[-1][1])
        except MalformedMessage:
            return False
        if run.is_answered_alike(exchanges):
            return test_id not in self._own_requests  # the reference's answers, or those of the unchanged program
        if raises and is_first_look and self.went_on_count >= MOST_GOING_ON:
            return False
        ((test, _),) = self._suite.select_tests([test_id])
        raw_run = None
        if not self._target.list_unimplemented_names(test.needed):
            self._target.student.remembered.start_from(self._list_findings_before(test_id))
            with self._suite.open_target(self._target):
                raw_run = try_run_on_answers(self._target, exchanges, partial(test.run, None))
        if raw_run is not None:
            self._known_outcomes[key] = raw_run.exception is None
            raw_run.clear_exception_frames()
            return self._known_outcomes[key]
        self.went_on_count += raises and is_first_look
        return bool(self._run_tests(self._target, [test_id]))

    def _run_tests(self, target: BridgedSubmissionUnderTest, test_ids: Sequence[str]) -> set[str]:
        """Return those of some tests that pass."""
        target.student.remembered.start_from(self._findings)
        passed = set()
        with self._suite.open_target(target):
            for test, spec in self._suite.select_tests(test_ids):
                if test.run(None).clear_exception_frames().exception is None:
                    passed.add(spec.id)
        return passed

    @property
    def _suite(self) -> HiddenSuiteSession:
        return self._grader.suite_runner.suite

    def _list_passed_in_own_process(self, text: ChangedText, test_ids: Sequence[str]) -> set[str]:
        submission = make_changed_submission(self._program, text)
        with self._grader.suite_runner.open_run_session(submission, self._grader.faulty_test_ids) as run:
            return set() if run.ungradable_reason else self._run_tests(run.target, test_ids)


def _take_chunk(packed_tests: Sequence[tuple[bytes, UnitChange]]) -> list[tuple[bytes, UnitChange]]:
    """Return the first tests, as many as are sent together."""
    chunk: list[tuple[bytes, UnitChange]] = []
    size = 0
    for requests, change in packed_tests[:MOST_TOGETHER]:
        size += len(requests) + len(change.text)
        if chunk and size > MOST_BYTES_TOGETHER:
            break
        chunk.append((requests, change))
    return chunk


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


def make_changed_submission(program: SubmissionProgram, text: ChangedText) -> Submission:
    """Return the submission of a changed program."""
    program = change_program(program, text)
    units = tuple(SourceUnit(name, source) for name, source in program.units if name != GIVEN)
    return Submission("repair", "", tuple(unit.name for unit in units), units, dict(program.modules))


def change_program(program: SubmissionProgram, text: ChangedText) -> SubmissionProgram:
    """Return a program in which a unit has another text."""
    units = [
        (name, text.text if number == text.unit else source) for number, (name, source) in enumerate(program.units)
    ]
    return replace(program, units=tuple(units), skipped_statements=frozenset(), makes_instances=True)


def _allow_many_candidates(limits: Limits) -> Limits:
    seconds = min(CANDIDATE_SECONDS, limits.cpu_seconds)
    return replace_struct(limits, cpu_seconds=seconds, submission_seconds=PLENTY, messages=1_000_000_000)

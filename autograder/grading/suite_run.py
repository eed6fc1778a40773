"""Run the hidden suite against one program after the other, each in processes of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from autograder.bridge import Bridge, StopByLocation, StudentStopped, SubmissionProgram
from autograder.bridge.bridge import StateBetweenTests
from autograder.bridge.messages import (
    MalformedMessage,
    RequestTranscript,
    is_exception_answer,
    is_remembered_lookup_request,
    split_answers_message,
)
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.bridge.student_exceptions import is_time_limit
from autograder.course import Assignment, Limits
from autograder.course.assignment_code import load_solution_given_code
from autograder.grading.explanations import collect_disclosable_facts
from autograder.grading.hidden_suite import HiddenSuiteSession
from autograder.grading.hidden_test_result_builder import HiddenTestResultBuilder
from autograder.grading.loading_notes import find_ungradable_reason, list_loading_notes
from autograder.grading.prefetching import PrefetchingTestRunner, ReferenceRun
from autograder.grading.results import (
    LOST_OUTCOMES,
    OUTCOMES_WITH_FULL_POINTS,
    HiddenTestResult,
    HiddenTestSpec,
    choose_result_after_appeal,
    combine_set_order_results,
    is_same_behavior,
)
from autograder.grading.runnable_test import RawTestRun
from autograder.grading.set_order import may_depend_on_set_order
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest, make_submission_program
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission, UngradableSubmission
from autograder.submissions.source_definitions import restore_given_code

ORDER_DEPENDENT_OUTCOMES = ("passed", "failed", "error")
"""Outcomes that may change with the order of sets. A stopped test is not run again: it would be stopped again."""


@dataclass(frozen=True, slots=True, eq=False)
class LostRun:
    """A test that was lost, with its requests and their answers."""

    test_id: str
    reverses_set_order: bool
    transcript: RequestTranscript


@dataclass(frozen=True, slots=True)
class SuiteRunSession:
    """A program loaded in its process, with everything that is needed to run the tests on it.

    ``SuiteRunner`` opens and ends it.
    """

    suite: HiddenSuiteSession
    bridge: Bridge
    target: BridgedSubmissionUnderTest
    result_builder: HiddenTestResultBuilder
    reference_runs: Mapping[str, ReferenceRun] = field(default_factory=dict)
    """The tests' runs on the reference solution, as far as they are known."""
    recorded_runs: dict[str, ReferenceRun] | None = None
    """Where the tests' runs on this program are put; only for the reference solution."""
    lost_runs: list[LostRun] = field(default_factory=list)
    """The runs of tests that were lost otherwise than by a limit on time."""
    runs_both_set_orders: bool = False
    """Whether the program may depend on the order of a set. Then tests are run in two opposite orders."""
    loading_notes: tuple[str, ...] = ()
    """Sentences on how the program was read and loaded."""
    ungradable_reason: UngradableSubmission | None = None
    """Why it cannot be graded at all; None when it can."""

    def run_all_tests(self) -> tuple[HiddenTestResult, ...]:
        """Return the result of every test, in the order of the suite.

        What met a limit on time is tried again with more of it. What fails otherwise is tried again in another
        process, after other tests than before. If that makes a difference, each test runs in a process of its own: a
        program can detect the first test of its process, and only one of two behaviours may count.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the program.
        """
        return self.run_tests([spec.id for spec in self.suite.test_specs])

    def run_tests(self, test_ids: Sequence[str]) -> tuple[HiddenTestResult, ...]:
        """Return the results of some tests alone, in their order; see ``run_all_tests``.

        Args:
            test_ids: ids of the tests.
        """
        self.suite.start_record()
        findings = self.target.student.remembered.content
        known_findings = dict(findings)
        results = {result.spec.id: result for result in self._run(test_ids)}
        self._appeal(results)
        if self._depends_on_other_tests(results):
            self.bridge.end_process()
            self.bridge.state.needs_fresh_processes = True
            findings.clear()
            findings.update(known_findings)
            for result in self._run(test_ids):
                if self.bridge.time_budget.may_load_again or result.outcome == "passed":
                    results[result.spec.id] = result
            self._appeal(results)
        return tuple(results[test_id] for test_id in test_ids)

    def _appeal(self, results: dict[str, HiddenTestResult]) -> None:
        """Try tests that met a limit on time again, with more of it, and replace their results."""
        uncertain_ids = [test_id for test_id, result in results.items() if is_time_limit(result.stop_cause)]
        if not uncertain_ids:
            return
        self.bridge.end_process()
        self.bridge.time_budget.begin_appeal()
        for result in self._run(uncertain_ids):
            first = results[result.spec.id]
            results[result.spec.id] = choose_result_after_appeal(first, result)

    def _depends_on_other_tests(self, results: Mapping[str, HiddenTestResult]) -> bool:
        """Return whether a lost test sees something else of the program in another process, after other tests.

        A passed test is seen again, too: a program may be wrong in the first test of its process alone.
        """
        lost_runs = self.lost_runs[::-1]
        self.lost_runs.clear()
        if not lost_runs or self.bridge.state.needs_fresh_processes:
            return False
        passed_ids = [test_id for test_id, result in results.items() if result.outcome == "passed"]
        self.bridge.end_process()
        if not self._run_as_before(passed_ids[-1:], results):
            return True
        self.bridge.end_process()
        answers_alike = {run: self._is_answered_as_before(run) for run in lost_runs}
        if False in answers_alike.values():
            return True
        unclear_ids = dict.fromkeys(run.test_id for run, is_alike in answers_alike.items() if is_alike is None)
        return not self._run_as_before([*unclear_ids], results)

    def _run_as_before(self, test_ids: Sequence[str], results: Mapping[str, HiddenTestResult]) -> bool:
        """Return whether tests see the same of the program once more."""
        with closing(self._run(test_ids)) as again:
            return all(is_same_behavior(results[result.spec.id], result) for result in again)

    def _is_answered_as_before(self, run: LostRun) -> bool | None:
        """Send a lost test's requests again, and return whether the answers are the same; None if unclear.

        A test is a function of the answers that it gets. What follows an exception cannot be sent with it.
        """
        exchanges = run.transcript.exchanges
        sent = [exchange for exchange in exchanges if not is_remembered_lookup_request(exchange[0])]
        if not run.transcript.is_repeatable or any(is_exception_answer(answer) for _, answer in sent[:-1]):
            return None
        packed_requests = b",".join(request for request, _ in sent)
        try:
            packed_answers = self.bridge.prefetch_answers_of_tests([(packed_requests, run.reverses_set_order)])
            answers = split_answers_message(packed_answers[0], len(sent)) if packed_answers else []
        except (StudentStopped, MalformedMessage):
            return None
        if not answers:
            stop = self.bridge.last_prefetch_stop
            return True if stop is not None and is_time_limit(stop.cause) else None
        return [answer.key for answer in answers] == [answer.key for _, answer in sent]

    def find_first_unpassed_test(self, tests_to_run_first: Collection[str] = ()) -> str:
        """Return the id of the first test that does not pass, or an empty text if all do; run no test after it.

        A test with a grader error counts as passed.

        Args:
            tests_to_run_first: ids of tests that come before the others.
        """
        ids = [spec.id for spec in self.suite.test_specs]
        ids.sort(key=lambda test_id: test_id not in tests_to_run_first)
        with closing(self._run(ids)) as run:
            unpassed = (result.spec.id for result in run if result.outcome not in OUTCOMES_WITH_FULL_POINTS)
            return next(unpassed, "")

    def _run(self, test_ids: Sequence[str]) -> Generator[HiddenTestResult]:
        """Yield the results of tests in this order; each test is run only when its result is asked for."""
        bridge, tests = self.bridge, self.suite.select_tests(test_ids)
        prefetcher = None
        if self.reference_runs and bridge.state.runs_code_anew:
            orders = (False, True) if self.runs_both_set_orders else (False,)
            begun = [test.node for test, _ in tests if not self.target.list_unimplemented_names(test.needed)]
            turns = [(pytest_id, is_reversed) for pytest_id in begun for is_reversed in orders]
            prefetcher = PrefetchingTestRunner(self.reference_runs, self.target, turns)
        try:
            with self.suite.open_target(self.target):
                for place, (test, spec) in enumerate(tests, 1):
                    run = partial(test.run, tests[place][0].item if place < len(tests) else None)
                    if prefetcher:
                        run = partial(prefetcher.run_or_reuse_verdict, test.node, run)
                    known_findings = dict(self.target.student.remembered.content)
                    result, raw_run = self._run_test(spec, run)
                    if self.recorded_runs is not None and result.outcome == "passed":
                        self.recorded_runs.setdefault(test.node, self._make_reference_run(known_findings))
                    if self.runs_both_set_orders and result.outcome in ORDER_DEPENDENT_OUTCOMES:
                        bridge.reverses_set_order = True
                        opposite, opposite_run = self._run_test(spec, run)
                        bridge.reverses_set_order = False
                        result = combine_set_order_results(result, opposite)
                        raw_run = raw_run if raw_run.exception else opposite_run
                    self.suite.record_run(test, raw_run)
                    yield result
        finally:
            bridge.reverses_set_order = False

    def _make_reference_run(self, findings_before: Mapping[str, Any]) -> ReferenceRun:
        """Return what the last test asked, was answered and found out."""
        transcript, findings = self.bridge.transcript, self.target.student.remembered.content
        exchanges = transcript.exchanges if transcript.is_repeatable else []
        return ReferenceRun(
            tuple((request, answer.key) for request, answer in exchanges),
            dict(findings.items() - findings_before.items()),
        )

    def _run_test(self, spec: HiddenTestSpec, run: Callable[[], RawTestRun]) -> tuple[HiddenTestResult, RawTestRun]:
        """Run a test, and once more if that is no result yet: it filled a reduced memory, or found something out."""
        findings = self.target.student.remembered
        for may_rerun in (True, False):
            started = time.perf_counter()
            findings.mark_all_as_from_earlier_tests()
            known_findings = dict(findings.content)
            raw_run = run()
            if raw_run.exception is not None and findings.content != known_findings:
                # It may have ended in the attempt to find this out, which also numbers objects. Now it is known.
                raw_run.clear_exception_frames()
                findings.mark_all_as_from_earlier_tests()
                raw_run = run()
            result = self.result_builder.build_result(spec, raw_run.exception, time.perf_counter() - started)
            raw_run.clear_exception_frames()
            if not (may_rerun and self.bridge.adaptive_memory_limit.was_exceeded):
                break
        if result.outcome in LOST_OUTCOMES and not is_time_limit(result.stop_cause):
            self.lost_runs.append(LostRun(spec.id, self.bridge.reverses_set_order, self.bridge.transcript))
        return result, raw_run


class SuiteRunner:
    """Runs the collected suite of one assignment in processes of its own pool. One program runs at a time.

    Attributes:
        assignment: the assignment.
        suite: its hidden tests.
        prefetches_answers: see ``__init__``.
        process_pool: supplies processes.
        reference_runs: the tests' runs on the reference solution, by pytest's name for each; empty if each test sends
            its own requests.
    """

    def __init__(
        self,
        assignment: Assignment,
        sandbox: SandboxConfig,
        *,
        prefetches_answers: bool = True,
        fresh_process_per_test: bool = False,
    ) -> None:
        """Collect the suite, and start a first process.

        Args:
            assignment: the assignment.
            sandbox: the sandbox in which programs run.
            prefetches_answers: whether the reference's requests are sent together, and a test is not run if all
                answers are the reference's. Without it, results are the same, and grading takes longer.
            fresh_process_per_test: whether a fresh process is used even where running the code again does the same.
                With it, results are the same, and grading takes longer.

        Raises:
            CourseFault: the suite cannot be used.
            KitFault: no process can be started.
        """
        self.assignment = assignment
        self._fresh_process_per_test = fresh_process_per_test
        self._given = load_solution_given_code(assignment)
        self.suite = HiddenSuiteSession(assignment)
        self.process_pool = ProcessPool(sandbox, assignment.limits)
        self.prefetches_answers = prefetches_answers
        self.reference_runs: dict[str, ReferenceRun] = {}
        self._kept_bridge: Bridge | None = None
        needed = {name.rpartition(".")[2] for spec in self.suite.test_specs for name in spec.required_names}
        self._looked_for = tuple(sorted(needed))

    def acquire_bridge(
        self,
        program: SubmissionProgram,
        limits: Limits | None = None,
        earlier_stops: StopByLocation | None = None,
        *,
        needs_fresh_processes: bool = False,
    ) -> Bridge:
        """Make a bridge to a program, or take the one that was kept for this very program, with new limits.

        A kept bridge is handed over, not shared. The caller must end the bridge's process.

        Args:
            program: the code.
            limits: limits of the process; the assignment's when None.
            earlier_stops: see ``Bridge``.
            needs_fresh_processes: see ``StateBetweenTests``.
        """
        limits = limits or self.assignment.limits
        if self._kept_bridge is not None and self._kept_bridge.program is program:
            bridge, self._kept_bridge = self._kept_bridge, None
            bridge.reset_for_next_run(limits)
            return bridge
        state = StateBetweenTests(needs_fresh_processes=needs_fresh_processes or self._fresh_process_per_test)
        return Bridge(program, self.process_pool, limits, state, earlier_stops=earlier_stops)

    def keep_process_for_diagnosis(self, run: SuiteRunSession) -> None:
        """Keep the process of a run for ``acquire_bridge``, which may open the same program next.

        It is kept only if it is as good as a fresh one, and only until the next run begins.
        """
        if self.prefetches_answers and run.bridge.is_reusable_as_fresh:
            self._kept_bridge = run.bridge

    def end_process_kept_for_diagnosis(self) -> None:
        """End the kept process, if it was not taken."""
        if self._kept_bridge is not None:
            self._kept_bridge.end_process()
            self._kept_bridge = None

    def make_program_with_given_code(self, source_text: str) -> SubmissionProgram:
        """Return the program of a source, with the given code of the assignment."""
        return self.make_program(Submission("program", "", ("value.py",), (SourceUnit("value.py", source_text),)))

    def make_program(self, submission: Submission) -> SubmissionProgram:
        """Return the code of a submission as it is sent into a process.

        Raises:
            UngradableSubmission: it cannot even be loaded; see ``restore_given_code``.
        """
        submission = restore_given_code(submission, self._given)
        return make_submission_program(submission, self.assignment.defines, self._looked_for)

    @contextmanager
    def open_run_session(
        self,
        submission: Submission,
        faulty_test_ids: frozenset[str] = frozenset(),
        *,
        recorded_runs: dict[str, ReferenceRun] | None = None,
    ) -> Iterator[SuiteRunSession]:
        """Load a submission, and end its process with the block.

        Args:
            submission: the submission; if it cannot be graded, the session's ``ungradable_reason`` says why.
            faulty_test_ids: ids of tests that do not work here.
            recorded_runs: see ``SuiteRunSession``.

        Raises:
            KitFault: no process can be started.
            UngradableSubmission: it cannot even be loaded; see ``restore_given_code``.
        """
        assignment = self.assignment
        submission = restore_given_code(submission, self._given)
        program = make_submission_program(submission, assignment.defines, self._looked_for)
        names = (*assignment.defines, *self._looked_for)
        self.end_process_kept_for_diagnosis()
        depends_on_set_order = may_depend_on_set_order(program)  # before the submission's time begins
        bridge = self.acquire_bridge(program)
        try:
            load_result = bridge.load_without_fatal_code()
            may_quote = assignment.feedback.hidden_tests == "visible"
            notes = tuple(
                list_loading_notes(
                    submission, load_result, assignment.limits.import_seconds, may_quote_process=may_quote
                )
            )
            yield SuiteRunSession(
                self.suite,
                bridge,
                BridgedSubmissionUnderTest(bridge, load_result),
                HiddenTestResultBuilder(
                    assignment,
                    faulty_test_ids,
                    partial(collect_disclosable_facts, submission, names, assignment.own_hints),
                ),
                reference_runs=self.reference_runs,
                recorded_runs=recorded_runs,
                runs_both_set_orders=depends_on_set_order,
                loading_notes=notes,
                ungradable_reason=find_ungradable_reason(submission, load_result, assignment, notes),
            )
        finally:
            if bridge is not self._kept_bridge:
                bridge.end_process()

    def close(self) -> None:
        """End the processes and the pytest session."""
        self.end_process_kept_for_diagnosis()
        self.process_pool.end_unused_process()
        self.suite.close()

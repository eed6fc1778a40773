"""Run one assignment's hidden suite against programs, each in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from autograder.bridge import Bridge, StopByLocation, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.bridge.state_between_tests import StateBetweenTests
from autograder.course import Assignment, Limits
from autograder.course.given_code import load_solution_given_code
from autograder.grading.failure_messages.explanations import collect_disclosable_facts
from autograder.grading.failure_messages.loading_notes import list_loading_notes
from autograder.grading.failure_messages.ungradable_reason_finder import find_ungradable_reason
from autograder.grading.hidden_test_result_builder import HiddenTestResultBuilder
from autograder.grading.prefetching.known_request_paths import ReferenceRun
from autograder.grading.source_analysis.set_order_analysis import may_depend_on_set_order
from autograder.grading.submission_under_test import BridgedSubmissionUnderTest, make_submission_program
from autograder.grading.suite.hidden_suite import HiddenSuiteSession
from autograder.grading.suite.suite_run_session import SuiteRunSession
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from autograder.submissions.given_code_restoration import restore_given_code


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

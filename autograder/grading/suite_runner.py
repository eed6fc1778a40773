"""Run one assignment's hidden suite against programs, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from autograder.bridge import Bridge, SubmissionProgram
from autograder.bridge.process_pool import ProcessPool
from autograder.course import Assignment, Limits
from autograder.course.given_code import load_given_code
from autograder.grading.explanations import KnownToStudent, collect_known_to_student
from autograder.grading.gradability import find_loading_problem
from autograder.grading.hidden_suite import HiddenSuite
from autograder.grading.loading_notes import describe_loading
from autograder.grading.module_state_analysis import keeps_state_in_own_module
from autograder.grading.outcome_classifier import OutcomeClassifier
from autograder.grading.scripted_runs import KnownTranscripts
from autograder.grading.set_order_analysis import may_depend_on_set_order
from autograder.grading.statelessness_analysis import is_stateless
from autograder.grading.suite_run import SuiteRun
from autograder.grading.suite_target import BridgeTarget, make_program
from autograder.sandbox import Sandbox
from autograder.submissions import SourceUnit, Submission
from autograder.submissions.original_given_code import restore_given_code


class SuiteRunner:
    """The suite of one assignment, collected, and the next process, started. One program runs at a time.

    Attributes:
        assignment: which.
        suite: its hidden tests.
        processes: gives processes.
        transcripts: what is known of the tests; None where each is to ask for itself.
    """

    def __init__(
        self, assignment: Assignment, sandbox: Sandbox, *, scripts: bool = True, in_processes: bool = False
    ) -> None:
        """Collect the suite, and start the first process.

        Args:
            assignment: the assignment.
            sandbox: how programs are shut in.
            scripts: whether requests that are known beforehand are sent together, and known answers need no test.
                Without it results are the same, and grading takes longer.
            in_processes: whether a fresh process is used even where running code anew does the same. With it results
                are the same, and grading takes longer.

        Raises:
            CourseFault: the suite cannot be used.
            KitFault: no process can be started.
        """
        self.assignment = assignment
        self._in_processes = in_processes
        self._given = load_given_code(assignment)
        self.suite = HiddenSuite(assignment)
        self.processes = ProcessPool(sandbox, assignment.limits)
        self.transcripts = KnownTranscripts.make_empty(assignment.defines) if scripts else None
        needed = {name.rpartition(".")[2] for spec in self.suite.specs for name in spec.needs}
        self._looked_for = tuple(sorted(needed))

    def open_bridge(self, program: SubmissionProgram, limits: Limits | None = None) -> Bridge:
        """Open a process for a program. The caller must discard it.

        Args:
            program: the code.
            limits: limits of the process; the assignment's when None.
        """
        limits = limits or self.assignment.limits
        nothing = is_stateless(program)
        itself = not nothing and keeps_state_in_own_module(program)
        how = {"is_stateless": nothing, "keeps_state_in_own_module": itself, "in_processes": self._in_processes}
        return Bridge(program, self.processes, limits, **how)

    def make_program(self, source: str) -> SubmissionProgram:
        """Return the program of a source, with the given code of the assignment."""
        submission = Submission("program", "", ("value.py",), (SourceUnit("value.py", source),))
        return make_program(restore_given_code(submission, self._given), self.assignment.defines, self._looked_for)

    @contextmanager
    def start_run(
        self,
        program: SubmissionProgram,
        faulty: frozenset[str],
        known: Callable[[], KnownToStudent] = KnownToStudent,
        *,
        learns: bool = False,
    ) -> Iterator[SuiteRun]:
        """Load a program, and end its process with the block.

        Args:
            program: the code.
            faulty: ids of tests that do not work here.
            known: finds what may be shown of the program.
            learns: see ``SuiteRun``.

        Raises:
            KitFault: no process can be started.
        """
        bridge = self.open_bridge(program)
        try:
            target = BridgeTarget(bridge, bridge.load())
            if bridge.can_reload:
                bridge.reload_for_each_test()
            classifier = OutcomeClassifier(self.assignment, faulty, bridge, known)
            yield SuiteRun(
                self.suite,
                bridge,
                target,
                classifier,
                transcripts=self.transcripts,
                learns=learns,
                two_orders=may_depend_on_set_order(program),
            )
        finally:
            bridge.end_process()

    @contextmanager
    def start_submission_run(
        self, submission: Submission, faulty: frozenset[str] = frozenset(), *, learns: bool = False
    ) -> Iterator[SuiteRun]:
        """Load a submission as ``start_run`` does, and set the run's ``problem`` if it cannot be graded."""
        submission = restore_given_code(submission, self._given)
        program = make_program(submission, self.assignment.defines, self._looked_for)
        known = partial(collect_known_to_student, submission, (*self.assignment.defines, *self._looked_for))
        with self.start_run(program, faulty, known, learns=learns) as run:
            loaded = run.target.loaded
            told = self.assignment.feedback.hidden_tests == "visible"
            notes = tuple(describe_loading(submission, loaded, self.assignment.limits.import_seconds, told=told))
            yield replace(run, notes=notes, problem=find_loading_problem(submission, loaded, self.assignment, notes))

    def close(self) -> None:
        """End the processes and the pytest session."""
        self.processes.close()
        self.suite.close()

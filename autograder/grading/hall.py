"""Run one assignment's hidden suite against programs, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from autograder.bridge import Bridge, Program
from autograder.bridge.supply import Supply
from autograder.course import Assignment, Limits
from autograder.grading.explain import Known, known_of
from autograder.grading.gradable import problem_of
from autograder.grading.judge import Judge
from autograder.grading.keeps_nothing import keeps_nothing
from autograder.grading.keeps_to_itself import keeps_to_itself
from autograder.grading.loading import of_loading
from autograder.grading.scripted import Transcripts
from autograder.grading.set_order import may_depend_on_set_order
from autograder.grading.sitting import Sitting
from autograder.grading.suite import Suite
from autograder.grading.target import BridgeTarget, program_of
from autograder.sandbox import Sandbox
from autograder.submissions import Submission


class Hall:
    """The suite of one assignment, collected, and the next process, started. One program sits at a time.

    Attributes:
        assignment: which.
        suite: its hidden tests.
        supply: gives processes.
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
        self.suite = Suite(assignment)
        self.supply = Supply(sandbox, assignment.limits)
        self.transcripts = Transcripts.of(assignment.defines) if scripts else None
        self._looked_for = tuple(sorted({name for spec in self.suite.specs for name in spec.needs}))

    def open(self, program: Program, limits: Limits | None = None) -> Bridge:
        """Open a process for a program. The caller must discard it.

        Args:
            program: the code.
            limits: limits of the process; the assignment's when None.
        """
        limits = limits or self.assignment.limits
        nothing = keeps_nothing(program)
        itself = not nothing and keeps_to_itself(program)
        how = {"keeps_nothing": nothing, "keeps_to_itself": itself, "in_processes": self._in_processes}
        return Bridge(program, self.supply, limits, **how)

    @contextmanager
    def seat(
        self,
        program: Program,
        faulty: frozenset[str],
        known: Callable[[], Known] = Known,
        *,
        learns: bool = False,
    ) -> Iterator[Sitting]:
        """Load a program, and end its process with the block.

        Args:
            program: the code.
            faulty: ids of tests that do not work here.
            known: finds what may be shown of the program.
            learns: see ``Sitting``.

        Raises:
            KitFault: no process can be started.
        """
        bridge = self.open(program)
        try:
            target = BridgeTarget(bridge, bridge.load())
            if bridge.loads_anew:
                bridge.part()
            judge = Judge(self.assignment, faulty, bridge, known)
            yield Sitting(
                self.suite,
                bridge,
                target,
                judge,
                transcripts=self.transcripts,
                learns=learns,
                two_orders=may_depend_on_set_order(program),
            )
        finally:
            bridge.discard()

    @contextmanager
    def admit(
        self, submission: Submission, faulty: frozenset[str] = frozenset(), *, learns: bool = False
    ) -> Iterator[Sitting]:
        """Load a submission as ``seat`` does, and find out whether it can be graded."""
        program = program_of(submission, self.assignment.defines, self._looked_for)
        known = partial(known_of, submission, (*self.assignment.defines, *self._looked_for))
        with self.seat(program, faulty, known, learns=learns) as sitting:
            loaded = sitting.target.loaded
            told = self.assignment.feedback.hidden_tests == "visible"
            notes = tuple(of_loading(submission, loaded, self.assignment.limits.import_seconds, told=told))
            yield replace(sitting, notes=notes, problem=problem_of(submission, loaded, self.assignment, notes))

    def close(self) -> None:
        """End the processes and the pytest session."""
        self.supply.close()
        self.suite.close()

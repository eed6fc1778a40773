"""Where programs sit the hidden tests: the suite of one assignment, and processes for their code."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace

from autograder.bridge import Bridge, Program
from autograder.bridge.supply import Supply
from autograder.course import Assignment, Limits
from autograder.grading.explain import Known, known_of, of_loading
from autograder.grading.gradable import problem_of
from autograder.grading.judge import Judge
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
    """

    def __init__(self, assignment: Assignment, sandbox: Sandbox) -> None:
        """Collect the suite, and start the first process.

        Raises:
            CourseFault: the suite cannot be used.
            KitFault: no process can be started.
        """
        self.assignment = assignment
        self.suite = Suite(assignment)
        self.supply = Supply(sandbox, assignment.limits)
        self._looked_for = tuple(sorted({name for spec in self.suite.specs for name in spec.needs}))

    def open(self, program: Program, limits: Limits | None = None, waits: AbstractSet[str] | None = None) -> Bridge:
        """A process for a program; the caller discards it.

        Args:
            program: the code.
            limits: the assignment's when None.
            waits: see ``Bridge``.
        """
        return Bridge(program, self.supply, limits or self.assignment.limits, waits)

    @contextmanager
    def seat(
        self,
        program: Program,
        faulty: frozenset[str],
        known: Known | None = None,
        waits: AbstractSet[str] | None = None,
    ) -> Iterator[Sitting]:
        """Load a program, and end its process with the block.

        Args:
            program: the code.
            faulty: ids of tests that do not work here.
            known: what may be shown of it; nothing when None.
            waits: see ``Bridge``.

        Raises:
            KitFault: no process can be started.
        """
        bridge = self.open(program, waits=waits)
        try:
            target = BridgeTarget(bridge, bridge.load())
            yield Sitting(self.suite, bridge, target, Judge(self.assignment, faulty, bridge, known))
        finally:
            bridge.discard()

    @contextmanager
    def admit(
        self, submission: Submission, faulty: frozenset[str] = frozenset(), waits: AbstractSet[str] | None = None
    ) -> Iterator[Sitting]:
        """Load a submission, and see whether it can be graded; otherwise as ``seat``."""
        program = program_of(submission, self.assignment.defines, self._looked_for)
        with self.seat(program, faulty, known_of(submission), waits) as sitting:
            loaded = sitting.target.loaded
            notes = tuple(of_loading(submission, loaded, self.assignment.limits.import_seconds))
            yield replace(sitting, notes=notes, problem=problem_of(submission, loaded, self.assignment, notes))

    def close(self) -> None:
        """End everything that was started."""
        self.supply.close()
        self.suite.close()

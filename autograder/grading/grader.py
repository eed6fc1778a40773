"""Grade one submission, from its path to results and points."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from pathlib import Path

from autograder.bridge import Bridge, Program
from autograder.course import Assignment, Limits
from autograder.grading.calibration import calibrate, learn_other_ways
from autograder.grading.graded import Graded
from autograder.grading.hall import Hall
from autograder.grading.marking import Marking
from autograder.grading.results import TestResult, TestSpec
from autograder.grading.stored import keep_calibration, keep_other_ways, recall_calibration, recall_other_ways
from autograder.sandbox import Sandbox
from autograder.submissions import Submission, Unreadable, read_submission

LEARN_AFTER = 10
"""How often all tests were run before it is learnt what they ask of engines that are written otherwise: by then,
running them has cost as much as learning does."""


class Grader:
    """Grades submissions of one assignment, one after the other.

    Attributes:
        assignment: which.
        specs: its hidden tests.
        faulty: ids of tests that the reference solution does not pass here: the kit's or the course's fault,
            whoever is graded.
    """

    def __init__(
        self, assignment: Assignment, sandbox: Sandbox, *, scripts: bool = True, in_processes: bool = False
    ) -> None:
        """Collect the hidden suite and try it on the reference solution.

        Args:
            assignment: the assignment to grade.
            sandbox: how submissions are shut in.
            scripts: see ``Hall``.
            in_processes: see ``Hall``.

        Raises:
            CourseFault: the suite or the solution cannot be used.
            KitFault: no process can be started.
        """
        self.assignment = assignment
        self._knows_other_ways = self._looked_for_other_ways = False
        self._hall = Hall(assignment, sandbox, scripts=scripts, in_processes=in_processes)
        self.specs: tuple[TestSpec, ...] = self._hall.suite.specs
        self._marking = Marking(assignment, self.specs, sandbox.tier)
        try:
            self.faulty = frozenset() if recall_calibration(self._hall) else self._calibrate()
        except BaseException:
            self.close()
            raise

    def _calibrate(self) -> frozenset[str]:
        faulty = calibrate(self._hall)
        if not faulty:
            keep_calibration(self._hall)
        return faulty

    def grade(self, path: Path, name: str = "") -> Graded:
        """Grade what lies at ``path``; whatever it is, there is a result.

        Args:
            path: a file, folder or zip.
            name: the submission's id; taken from the path when empty.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        try:
            submission = read_submission(path, self.assignment, name)
        except Unreadable as error:
            return self.refuse(name or path.stem, error, started)
        return self.grade_submission(submission, started)

    def refuse(self, name: str, why: Unreadable, started: float | None = None) -> Graded:
        """Return the result of a submission that cannot be graded at all."""
        return self._marking.refused(name, why, time.perf_counter() if started is None else started)

    def grade_submission(self, submission: Submission, started: float | None = None) -> Graded:
        """Grade a submission that was read already. See ``grade``."""
        started = time.perf_counter() if started is None else started
        self._learn()
        with self._hall.admit(submission, self.faulty) as sitting:
            loading = time.perf_counter() - started
            if sitting.problem:
                loaded = sitting.target.loaded
                return self._marking.refused(submission.id, sitting.problem, started, sitting.notes, loaded)
            results = sitting.results()
        seconds = {"loading": loading, "tests": sum(r.seconds for r in results)}
        return self._marking.graded(submission, sitting, results, self._hall.suite.raw_report(), started, seconds)

    def _learn(self) -> None:
        """Learn more ways through the tests, once so many tests had to be run that learning pays."""
        known = self._hall.transcripts
        if known is None or self._knows_other_ways or not known.unknown:
            return
        if not self._looked_for_other_ways:
            self._looked_for_other_ways = True
            self._knows_other_ways = recall_other_ways(self._hall)
        elif known.unknown >= LEARN_AFTER * len(self.specs):
            self._knows_other_ways = True
            learn_other_ways(self._hall)
            keep_other_ways(self._hall)

    def grade_some(self, submission: Submission, earlier: Mapping[str, TestResult]) -> Graded | None:
        """Grade a submission that was graded before, and run only the tests that have no result.

        Args:
            submission: the submission.
            earlier: results that still hold, by the test's id.

        Returns:
            What ``grade_submission`` gives, with ``raw`` only of the tests that were run. None where a test cannot be
            run alone, since its outcome may depend on other tests, and where the submission cannot be graded at all.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        with self._hall.admit(submission, self.faulty) as sitting:
            results = None if sitting.problem else sitting.results_beside(earlier)
        if results is None:
            return None
        ran = any(spec.id not in earlier for spec in self.specs)
        raw = self._hall.suite.raw_report() if ran else {}
        seconds = {"tests": sum(r.seconds for r in results)}
        return self._marking.graded(submission, sitting, results, raw, started, seconds)

    @property
    def nodes(self) -> dict[str, str]:
        """Return pytest's name for each test, by its id."""
        return {name: place.node for name, place in self._hall.suite.places.items()}

    def open(self, program: Program, limits: Limits | None = None) -> Bridge:
        """Open a process for a program beside the one that is graded. The caller must discard it."""
        return self._hall.open(program, limits)

    def first_loss(self, submission: Submission, begin_with: Collection[str] = ()) -> str:
        """Find what a submission loses first, where nothing else about it is of interest.

        Args:
            submission: the submission.
            begin_with: ids of tests that come before the others.

        Returns:
            The id of a test, or the key that says why the submission cannot be graded at all; empty when it gets full
            marks.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        with self._hall.admit(submission, self.faulty) as sitting:
            return sitting.problem.reason if sitting.problem else sitting.first_loss(begin_with)

    def close(self) -> None:
        """End the processes and the pytest session that were started."""
        self._hall.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

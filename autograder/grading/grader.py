"""One submission, from its path to results and points."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from contextlib import closing
from itertools import islice
from pathlib import Path
from types import TracebackType

from autograder.bridge import Bridge, Program
from autograder.bridge.errors import Misjudged
from autograder.bridge.supply import Supply
from autograder.course import Assignment, Limits
from autograder.faults import CourseFault
from autograder.grading.explain import known_of, of_loading
from autograder.grading.gradable import problem_of
from autograder.grading.graded import GRADED, Graded, not_alone
from autograder.grading.judge import Judge
from autograder.grading.results import TestResult, TestSpec
from autograder.grading.score import points_of_tests, score_concepts
from autograder.grading.suite import Suite
from autograder.grading.target import BridgeTarget, program_of
from autograder.sandbox import Sandbox
from autograder.submissions import Submission, Unreadable, read_submission

MOST_FAULTY = 0.5
"""Share of the tests that the reference may fail before nothing is graded at all."""


class Grader:
    """Grades submissions of one assignment, one after the other.

    Attributes:
        assignment: which.
        specs: its hidden tests.
        faulty: ids of tests that the reference solution does not pass here: the kit's or the course's fault,
            whoever is graded.
    """

    def __init__(self, assignment: Assignment, sandbox: Sandbox) -> None:
        """Collect the hidden suite and try it on the reference solution.

        Raises:
            CourseFault: the suite or the solution cannot be used.
            KitFault: no process can be started.
        """
        self.assignment = assignment
        self._suite = Suite(assignment)
        self.specs: tuple[TestSpec, ...] = self._suite.specs
        self._looked_for = tuple(sorted({name for spec in self.specs for name in spec.needs}))
        self._points = points_of_tests(self.specs, assignment)
        self._tier = sandbox.tier
        self._supply = Supply(sandbox, assignment.limits)
        self._waits: set[str] = set()
        self._calibrating = True
        self.faulty: frozenset[str] = frozenset()
        try:
            self.faulty = self._calibrate()
            self._calibrating = False
        except BaseException:
            self.close()
            raise

    def grade(self, path: Path, name: str = "") -> Graded:
        """Grade what lies at ``path``; whatever it is, there is a result.

        Args:
            path: a file, folder or zip.
            name: the submission's id; from the path when empty.

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
        """The result of what cannot be graded at all."""
        return self._ungraded(name, why, time.perf_counter() if started is None else started)

    def grade_submission(self, submission: Submission, started: float | None = None) -> Graded:
        """Grade a submission that was read already. See ``grade``."""
        started = time.perf_counter() if started is None else started
        try:
            return self._graded(submission, started, self._waits)
        except Misjudged:
            return self._graded(submission, started, None)

    def _graded(self, submission: Submission, started: float, waits: AbstractSet[str] | None) -> Graded:
        """Grade it; for ``waits``, see ``Bridge``."""
        limits = self.assignment.limits
        program = program_of(submission, self.assignment.defines, self._looked_for)
        bridge = self.open(program, waits=waits)
        try:
            loaded = bridge.load()
            loading = time.perf_counter() - started
            notes = tuple(of_loading(submission, loaded, limits.import_seconds))
            problem = problem_of(submission, loaded, self.assignment, notes)
            if problem:
                return self._ungraded(submission.id, problem, started, submission, notes)
            judge = Judge(self.assignment, self.faulty, bridge, known_of(submission))
            target = BridgeTarget(bridge, loaded)
            results = tuple(self._suite.run(target, judge.result, self._learning(target, judge.again)))
            if judge.two_faced(results):
                bridge.part()
                results = tuple(self._suite.run(target, judge.result, judge.apart))
        finally:
            bridge.discard()
        seconds = {"loading": loading, "tests": sum(r.seconds for r in results)}
        return Graded(
            submission=submission.id,
            sha256=submission.sha256,
            files=submission.files,
            status=GRADED,
            message="",
            notes=notes,
            results=results,
            points=self._points,
            concepts=score_concepts(results, self._points, self.assignment),
            tier=self._tier,
            processes=bridge.processes,
            seconds={**seconds, "total": time.perf_counter() - started},
            raw=self._suite.raw_report(),
            program=bridge.program,
            has=target.has,
            apart=bridge.apart,
        )

    def grade_some(self, submission: Submission, earlier: Mapping[str, TestResult]) -> Graded | None:
        """Grade a submission that was graded before by those tests alone of which there is no result.

        Args:
            submission: which.
            earlier: results that still hold, by the test's id.

        Returns:
            What ``grade_submission`` gives, ``raw`` only of the tests that were run; None where a test cannot be run
            alone, since how it ends hangs on how others ended.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        started = time.perf_counter()
        bridge = self.open(program_of(submission, self.assignment.defines, self._looked_for))
        try:
            loaded = bridge.load()
            notes = tuple(of_loading(submission, loaded, self.assignment.limits.import_seconds))
            if problem_of(submission, loaded, self.assignment, notes):
                return None
            judge = Judge(self.assignment, self.faulty, bridge, known_of(submission))
            target = BridgeTarget(bridge, loaded)
            asked = [spec.id for spec in self.specs if spec.id not in earlier]
            with closing(self._suite.run(target, judge.result, judge.again, asked)) as run:
                anew = {result.spec.id: result for result in islice(run, len(asked))}
        finally:
            bridge.discard()
        merged = {**earlier, **anew}
        results = tuple(
            judge.result(spec, None, 0.0) if spec.id in self.faulty else merged[spec.id] for spec in self.specs
        )
        if judge.two_faced(results) or not_alone((r.outcome, r.cause) for r in results):
            return None
        return Graded(
            submission=submission.id,
            sha256=submission.sha256,
            files=submission.files,
            status=GRADED,
            message="",
            notes=notes,
            results=results,
            points=self._points,
            concepts=score_concepts(results, self._points, self.assignment),
            tier=self._tier,
            processes=bridge.processes,
            seconds={"tests": sum(r.seconds for r in results), "total": time.perf_counter() - started},
            raw=self._suite.raw_report() if asked else {},
            program=bridge.program,
            has=target.has,
        )

    @property
    def nodes(self) -> dict[str, str]:
        """pytest's name for each test, by its id."""
        return {name: place.node for name, place in self._suite.places.items()}

    def open(self, program: Program, limits: Limits | None = None, waits: AbstractSet[str] | None = None) -> Bridge:
        """A process for a program beside the one that is graded; the caller discards it. For ``waits``, see there."""
        return Bridge(program, self._supply, limits or self.assignment.limits, waits)

    def observe(self, program: Program, tests: Collection[str]) -> dict[str, str]:
        """What some of the tests see of a program, by test id; a test that passes, or cannot be tried, is left out.

        Quick: they share a process, so what one leaves behind may show in the next.

        Raises:
            KitFault: the kit or the machine failed.
        """
        bridge = self.open(program)
        try:
            target = BridgeTarget(bridge, bridge.load())
            judge = Judge(self.assignment, self.faulty, bridge)
            results = self._suite.run(target, judge.result, lambda _: False, tests)
            with closing(results):
                return {r.spec.id: r.observed for r in islice(results, len(tests)) if r.observed}
        finally:
            bridge.discard()

    def first_loss(self, submission: Submission, begin_with: Collection[str] = ()) -> str:
        """What a submission loses first: for programs of which nothing else is of interest.

        Args:
            submission: which.
            begin_with: ids of tests that come before the others.

        Returns:
            The id of a test, or the key of why it cannot be graded at all; empty when it gets full marks.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the submission.
        """
        bridge = self.open(program_of(submission, self.assignment.defines, self._looked_for))
        try:
            loaded = bridge.load()
            problem = problem_of(submission, loaded, self.assignment, tuple(of_loading(submission, loaded, 0)))
            if problem:
                return problem.reason
            judge = Judge(self.assignment, self.faulty, bridge)
            results = self._suite.run(BridgeTarget(bridge, loaded), judge.result, judge.again, begin_with)
            with closing(results):
                lost = (result.spec.id for result in results if result.outcome not in ("passed", "grader error"))
                return next(lost, "")
        finally:
            bridge.discard()

    def close(self) -> None:
        """End everything that was started."""
        self._supply.close()
        self._suite.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _learning(self, target: BridgeTarget, again: Callable[[TestResult], bool]) -> Callable[[TestResult], bool]:
        """``again``, while the reference shows which tests must wait for every answer.

        They look at what a request gives in a way that cannot be foretold, for example whether it is None.
        """

        def learn(result: TestResult) -> bool:
            if not target.bridge.misjudged:
                return again(result)
            self._waits.add(target.test)
            target.bridge.step_by_step()
            return True

        return learn if self._calibrating else again

    def _calibrate(self) -> frozenset[str]:
        solution = self.assignment.solution
        if not solution.is_file():
            raise CourseFault("has no reference solution", where=str(solution), advice="write it; grading needs it")
        faulty = self._failing(solution)
        if faulty:
            faulty &= self._failing(solution)  # once may be chance: a test is faulty when it fails every time
        if len(faulty) > len(self.specs) * MOST_FAULTY:
            raise CourseFault(
                f"fails {len(faulty)} of {len(self.specs)} hidden tests, such as {sorted(faulty)[0]}",
                where=str(solution),
                advice="mend the solution or the suite: `autograder check` says what is wrong",
            )
        return faulty

    def _failing(self, solution: Path) -> frozenset[str]:
        reference = self.grade(solution)
        if reference.status != GRADED:
            raise CourseFault(
                f"cannot be graded itself: {reference.message}",
                where=str(solution),
                advice="does it define what grading.yml says under `defines`?",
            )
        return frozenset(result.spec.id for result in reference.results if result.outcome != "passed")

    def _ungraded(
        self,
        name: str,
        why: Unreadable,
        started: float,
        submission: Submission | None = None,
        notes: tuple[str, ...] = (),
    ) -> Graded:
        results = tuple(TestResult(spec, "blocked", why.message) for spec in self.specs)
        return Graded(
            submission=name,
            sha256=submission.sha256 if submission else why.sha256,
            files=submission.files if submission else why.files,
            status=why.reason,
            message=why.message,
            notes=notes,
            results=results,
            points=self._points,
            concepts=score_concepts(results, self._points, self.assignment),
            tier=self._tier,
            seconds={"total": time.perf_counter() - started},
        )

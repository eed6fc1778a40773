"""Run the hidden tests on one program, from the moment it is loaded."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from autograder.bridge import Bridge
from autograder.grading.graded import not_alone
from autograder.grading.judge import LOST, Judge
from autograder.grading.results import TestResult
from autograder.grading.scripted import Scripted, Transcripts, Unsound
from autograder.grading.suite import Again, Suite
from autograder.grading.target import BridgeTarget
from autograder.submissions import Unreadable


@dataclass(frozen=True, slots=True)
class Sitting:
    """A program in its process, loaded, and all that it takes to put it to the tests. ``Hall`` opens and ends it."""

    suite: Suite
    bridge: Bridge
    target: BridgeTarget
    judge: Judge
    transcripts: Transcripts | None = None
    """What is known of the tests; None where each is to ask for itself."""
    learns: bool = False
    """Whether its ways through the tests are learnt; for programs of the course's own."""
    two_orders: bool = False
    """Whether it may depend on the order of a set: then each test is run in two opposite ones."""
    notes: tuple[str, ...] = ()
    """What is said of how it was read and loaded."""
    problem: Unreadable | None = None
    """Why it cannot be graded at all; None when it can."""

    def results(self) -> tuple[TestResult, ...]:
        """Return the result of every test.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the program.
        """
        if self.transcripts is not None:
            try:
                return self._results(self.transcripts)
            except Unsound:
                self.start_over()
        return self._results()

    def _results(self, transcripts: Transcripts | None = None) -> tuple[TestResult, ...]:
        results: list[TestResult] = []
        with closing(self._run(self._again, transcripts=transcripts)) as run:
            for result in run:
                results.append(result)
                if self.judge.two_faced((result,)):
                    break
            else:
                return tuple(results)
        self.bridge.part()
        return tuple(self._run(self.judge.apart))

    def _again(self, result: TestResult) -> bool:
        """Return whether a test must be run twice; see ``Judge.again``."""
        if result.outcome in LOST and self.transcripts is not None and self.bridge.keeps_nothing:
            return self.judge.apart(result)
        return self.judge.again(result)

    def start_over(self) -> None:
        """Discard the process, and forget what the tests found out so far."""
        self.bridge.discard()
        self.target.student.remembered.content.clear()

    def results_of(self, tests: Collection[str]) -> tuple[TestResult, ...]:
        """Return the results of some tests alone, in the order of the suite; see ``results``.

        Args:
            tests: ids of the tests.
        """
        with closing(self._run(self.judge.again, tests)) as run:
            return tuple(islice(run, len(tests)))

    def results_beside(self, earlier: Mapping[str, TestResult]) -> tuple[TestResult, ...] | None:
        """Return the result of every test, and run only the tests that have none yet; see ``results``.

        Args:
            earlier: results that still hold, by the test's id.

        Returns:
            The results; None where a test cannot be run alone, since its outcome may depend on other tests.
        """
        specs, judge = self.suite.specs, self.judge
        anew = self.results_of([spec.id for spec in specs if spec.id not in earlier])
        known = {**earlier, **{result.spec.id: result for result in anew}}
        known |= {spec.id: judge.result(spec, None, 0.0) for spec in specs if spec.id in judge.faulty}
        results = tuple(known[spec.id] for spec in specs)
        hanging = judge.two_faced(results) or not_alone((result.outcome, result.cause) for result in results)
        return None if hanging else results

    def first_loss(self, begin_with: Collection[str] = ()) -> str:
        """Return the id of the first test that is lost, empty if none is; run no test after it.

        Args:
            begin_with: ids of tests that come before the others.
        """
        scripts = self.transcripts if self.transcripts and self.bridge.keeps_nothing else None
        with closing(self._run(self.judge.again, begin_with, scripts)) as run:
            lost = (result.spec.id for result in run if result.outcome not in ("passed", "grader error"))
            return next(lost, "")

    def _run(
        self, again: Again, begin_with: Collection[str] = (), transcripts: Transcripts | None = None
    ) -> Generator[TestResult]:
        """Run the suite on this program; see ``Suite.run``."""
        scripted = None
        if transcripts is not None:
            scripted = Scripted(transcripts, self.target, learns=self.learns)
        worse = self.judge.worse if self.two_orders else None
        return self.suite.run(self.target, self.judge.result, again, begin_with, worse, scripted)

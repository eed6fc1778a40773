"""One program that sits the hidden tests, from the moment it is loaded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from autograder.bridge import Bridge
from autograder.grading.graded import not_alone
from autograder.grading.judge import Judge
from autograder.grading.results import TestResult
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
    notes: tuple[str, ...] = ()
    """What is said of how it was read and loaded."""
    problem: Unreadable | None = None
    """Why it cannot be graded at all; None when it can."""

    def results(self, again: Again | None = None) -> tuple[TestResult, ...]:
        """The result of every test.

        Args:
            again: whether a result must be seen twice; as the judge says when None.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the program.
            Misjudged: something that was sent ahead did not go as foretold; none of it counts.
        """
        results = tuple(self.suite.run(self.target, self.judge.result, again or self.judge.again))
        if self.judge.two_faced(results):
            self.bridge.part()
            results = tuple(self.suite.run(self.target, self.judge.result, self.judge.apart))
        return results

    def results_of(self, tests: Collection[str], again: Again | None = None) -> tuple[TestResult, ...]:
        """The results of some tests alone, in the order of the suite; see ``results``.

        Args:
            tests: their ids.
            again: as for ``results``.
        """
        with closing(self.suite.run(self.target, self.judge.result, again or self.judge.again, tests)) as run:
            return tuple(islice(run, len(tests)))

    def results_beside(self, earlier: Mapping[str, TestResult]) -> tuple[TestResult, ...] | None:
        """The result of every test, of which those alone are run that have none; see ``results``.

        Args:
            earlier: results that still hold, by the test's id.

        Returns:
            None where a test cannot be run alone, since how it ends hangs on how others ended.
        """
        specs, judge = self.suite.specs, self.judge
        anew = self.results_of([spec.id for spec in specs if spec.id not in earlier])
        known = {**earlier, **{result.spec.id: result for result in anew}}
        known |= {spec.id: judge.result(spec, None, 0.0) for spec in specs if spec.id in judge.faulty}
        results = tuple(known[spec.id] for spec in specs)
        hanging = judge.two_faced(results) or not_alone((result.outcome, result.cause) for result in results)
        return None if hanging else results

    def first_loss(self, begin_with: Collection[str] = ()) -> str:
        """The id of the first test that is lost, or nothing; no test after it is run.

        Args:
            begin_with: ids of tests that come before the others.
        """
        with closing(self.suite.run(self.target, self.judge.result, self.judge.again, begin_with)) as run:
            lost = (result.spec.id for result in run if result.outcome not in ("passed", "grader error"))
            return next(lost, "")

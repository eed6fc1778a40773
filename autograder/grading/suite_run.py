"""Run the hidden tests on one program, from the moment it is loaded."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from autograder.bridge import Bridge
from autograder.grading.graded_submission import depends_on_other_tests
from autograder.grading.hidden_suite import Again, HiddenSuite
from autograder.grading.outcome_classifier import LOST, OutcomeClassifier
from autograder.grading.result_model import TestResult
from autograder.grading.scripted_runs import KnownTranscripts, ScriptedRunner, UnsoundRun
from autograder.grading.suite_target import BridgeTarget
from autograder.submissions import UnreadableSubmission


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """A program in its process, loaded, and all that it takes to put it to the tests.

    ``SuiteRunner`` opens and ends it.
    """

    suite: HiddenSuite
    bridge: Bridge
    target: BridgeTarget
    classifier: OutcomeClassifier
    transcripts: KnownTranscripts | None = None
    """What is known of the tests; None where each is to ask for itself."""
    learns: bool = False
    """Whether its ways through the tests are learnt; for programs of the course's own."""
    two_orders: bool = False
    """Whether it may depend on the order of a set: then each test is run in two opposite ones."""
    notes: tuple[str, ...] = ()
    """What is said of how it was read and loaded."""
    problem: UnreadableSubmission | None = None
    """Why it cannot be graded at all; None when it can."""

    def run_all_tests(self) -> tuple[TestResult, ...]:
        """Return the result of every test.

        Raises:
            KitFault: the kit or the machine failed; nothing is said about the program.
        """
        if self.transcripts is not None:
            try:
                return self._results(self.transcripts)
            except UnsoundRun:
                self.start_over()
        return self._results()

    def _results(self, transcripts: KnownTranscripts | None = None) -> tuple[TestResult, ...]:
        results: list[TestResult] = []
        with closing(self._run(self._again, transcripts=transcripts)) as run:
            for result in run:
                results.append(result)
                if self.classifier.is_process_dependent((result,)):
                    break
            else:
                return tuple(results)
        self.bridge.reload_for_each_test()
        return tuple(self._run(self.classifier.needs_rerun_when_isolated))

    def _again(self, result: TestResult) -> bool:
        """Return whether a test must be run twice; see ``OutcomeClassifier.needs_rerun``."""
        if result.outcome in LOST and self.transcripts is not None and self.bridge.is_stateless:
            return self.classifier.needs_rerun_when_isolated(result)
        return self.classifier.needs_rerun(result)

    def start_over(self) -> None:
        """Discard the process, and forget what the tests found out so far."""
        self.bridge.end_process()
        self.target.student.remembered.content.clear()

    def run_tests(self, tests: Collection[str]) -> tuple[TestResult, ...]:
        """Return the results of some tests alone, in the order of the suite; see ``run_all_tests``.

        Args:
            tests: ids of the tests.
        """
        with closing(self._run(self.classifier.needs_rerun, tests)) as run:
            return tuple(islice(run, len(tests)))

    def run_remaining_tests(self, earlier: Mapping[str, TestResult]) -> tuple[TestResult, ...] | None:
        """Return the result of every test, and run only the tests that have none yet; see ``run_all_tests``.

        Args:
            earlier: results that still hold, by the test's id.

        Returns:
            The results; None where a test cannot be run alone, since its outcome may depend on other tests.
        """
        specs, classifier = self.suite.specs, self.classifier
        anew = self.run_tests([spec.id for spec in specs if spec.id not in earlier])
        known = {**earlier, **{result.spec.id: result for result in anew}}
        known |= {spec.id: classifier.classify(spec, None, 0.0) for spec in specs if spec.id in classifier.faulty}
        results = tuple(known[spec.id] for spec in specs)
        hanging = classifier.is_process_dependent(results) or depends_on_other_tests(
            (result.outcome, result.cause) for result in results
        )
        return None if hanging else results

    def find_first_lost_test(self, tests_to_run_first: Collection[str] = ()) -> str:
        """Return the id of the first test that is lost, empty if none is; run no test after it.

        Args:
            tests_to_run_first: ids of tests that come before the others.
        """
        scripts = self.transcripts if self.transcripts and self.bridge.is_stateless else None
        with closing(self._run(self.classifier.needs_rerun, tests_to_run_first, scripts)) as run:
            lost = (result.spec.id for result in run if result.outcome not in ("passed", "grader error"))
            return next(lost, "")

    def _run(
        self, again: Again, begin_with: Collection[str] = (), transcripts: KnownTranscripts | None = None
    ) -> Generator[TestResult]:
        """Run the suite on this program; see ``HiddenSuite.run_tests``."""
        scripted = None
        if transcripts is not None:
            scripted = ScriptedRunner(transcripts, self.target, learns=self.learns)
        worse = self.classifier.choose_worse_result if self.two_orders else None
        return self.suite.run_tests(self.target, self.classifier.classify, again, begin_with, worse, scripted)

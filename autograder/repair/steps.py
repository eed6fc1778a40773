"""Describe the steps of a repair, and test candidates: on a few tests, on all of them, and as the grader does.

Find the functions without which a failed test sees the same, too: no change of their bodies mends it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from autograder.bridge import SubmissionProgram
from autograder.edits import FunctionBody, ProposedEdit, list_function_bodies
from autograder.grading import Grader
from autograder.grading.results import LOST_OUTCOMES
from autograder.repair.candidate_runs import (
    CandidateRunner,
    ChangedText,
    change_program,
    make_changed_submission,
)

FEW_TESTS = 48
"""How many tests, the smallest ones, tell of most candidates what all tests would."""
MOST_FILTERS, MOST_HARD = 4, 2
"""How many failed tests candidates are tried on first, and how many, later, that the grader alone was to run."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A program, and what its tests say of it."""

    program: SubmissionProgram
    passed: frozenset[str]
    to_mend: frozenset[str]
    """The tests within the contract that do not pass, and those that they block."""
    lost: tuple[str, ...]
    """Those of them that failed themselves."""


@dataclass(frozen=True, slots=True)
class RepairStep(Baseline):
    """A proven change: the program after it, and what its tests say of that."""

    unit: int
    edit: ProposedEdit
    mends: frozenset[str]

    @property
    def candidate(self) -> Candidate:
        """Return the candidate that was proven."""
        return Candidate(self.unit, self.edit)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An edit of one unit of a program."""

    unit: int
    edit: ProposedEdit

    @property
    def text(self) -> ChangedText:
        """Return the whole text of the unit after the edit."""
        return ChangedText(self.unit, self.edit.text)


def make_baseline(grader: Grader, program: SubmissionProgram, outcomes: Mapping[str, str]) -> Baseline:
    """Return what the outcomes of a program's tests, by their ids, say of it."""
    wanted = [spec.id for spec in grader.test_specs if not spec.asks_beyond_contract]
    return Baseline(
        program,
        frozenset(test_id for test_id, outcome in outcomes.items() if outcome == "passed"),
        frozenset(test_id for test_id in wanted if outcomes.get(test_id) in (*LOST_OUTCOMES, "blocked")),
        tuple(test_id for test_id in wanted if outcomes.get(test_id) in LOST_OUTCOMES),
    )


class CandidateTester:
    """Tests the candidates of one step.

    Attributes:
        proofs_left: how many candidates the grader may still grade.
        filters: a few failed tests of different things, the smallest programs first.
    """

    def __init__(self, grader: Grader, runner: CandidateRunner, baseline: Baseline) -> None:
        """Choose the tests."""
        self.runner, self.baseline = runner, baseline
        self.proofs_left = 0
        self._grader = grader
        self._ids = self._list_reliable_tests()
        self._hard: list[str] = []
        self._passed_by_text: dict[ChangedText, frozenset[str]] = {}
        self.filters = self._choose_filters()

    def allow_proofs(self, count: int) -> None:
        """Let the grader grade so many candidates from now on, whatever it said of those before."""
        self.proofs_left = count
        self._hard = []
        self._passed_by_text.clear()

    def get_source(self, unit: int) -> str:
        """Return the text of a unit before the step."""
        return self.baseline.program.units[unit][1]

    def list_tested_names(self, test_id: str) -> set[str]:
        """Return the names of the methods and functions that a test is about."""
        specs = (spec for spec in self._grader.test_specs if spec.id == test_id)
        return {name.rpartition(".")[2] for spec in specs for name in spec.tested_names}

    def _list_reliable_tests(self) -> list[str]:
        """Return the tests that say the same of the unchanged program here as they said to the grader."""
        passed, program, lost = self.baseline.passed, self.baseline.program, self.baseline.lost
        known = [spec.id for spec in self._grader.test_specs if self.runner.measure_requests(spec.id)]
        known.sort(key=self.runner.measure_requests)  # where a small program shows what is wrong, no large one is run
        ids = [*known, *(lost if not {*lost} & {*known} else ())]  # those of unknown requests are slow
        passed_here = self.runner.list_passed_tests(ChangedText(0, program.units[0][1]), ids)
        return [test_id for test_id in ids if (test_id in passed_here) == (test_id in passed)]

    def _choose_filters(self) -> list[str]:
        """Return a few failed tests of different things, the smallest programs first."""
        specs = {spec.id: spec for spec in self._grader.test_specs}
        lost = [test_id for test_id in self.baseline.lost if test_id in {*self._ids}]
        chosen: dict[object, str] = {}
        for test_id in sorted(lost, key=self.runner.measure_requests):
            chosen.setdefault((specs[test_id].concept, specs[test_id].tested_names), test_id)
        filters = [*chosen.values()][:MOST_FILTERS]
        for test_id in filters:
            self.runner.follow_own_requests(test_id)
        return filters

    def seems_complete(self, candidate: Candidate) -> bool:
        """Return whether a candidate seems to mend everything, and breaks nothing; one test may be too slow here."""
        if len(self.runner.list_passed_tests(candidate.text, self._hard)) < len(self._hard):
            return False
        return self.count_mended(candidate) >= max(1, len(self.baseline.to_mend.intersection(self._ids)) - 1)

    def count_mended(self, candidate: Candidate) -> int:
        """Return how many failed tests within the contract a candidate seems to mend; -1 if it breaks any."""
        return self._count_mended(self.list_passed(candidate), self._ids)

    def count_mended_of_few(self, candidate: Candidate) -> int:
        """Return the same of the smallest tests alone."""
        few = self._order_tests()[:FEW_TESTS]
        return self._count_mended(self.runner.list_passed_tests(candidate.text, few, self.baseline.passed), few)

    def _count_mended(self, passed: Collection[str], tests: Collection[str]) -> int:
        breaks_any = not self.baseline.passed.intersection(tests) <= {*passed}
        return -1 if breaks_any else len(self.baseline.to_mend.intersection(passed))

    def list_passed(self, candidate: Candidate) -> frozenset[str]:
        """Return the tests that a candidate seems to pass; not all of them if it breaks any."""
        if candidate.text not in self._passed_by_text:
            kept = self.baseline.passed.intersection(self._ids)
            passed = self.runner.list_passed_tests(candidate.text, self._ids, kept)
            self._passed_by_text[candidate.text] = frozenset(passed)
        return self._passed_by_text[candidate.text]

    def _order_tests(self) -> list[str]:
        """Return the tests, those first that candidates meet first, and then the smallest."""
        return [*dict.fromkeys((*self.filters, *self._ids))]

    def holds(self, candidate: Candidate, passed: frozenset[str], most_tests: int | None = None) -> bool:
        """Return whether a candidate passes some tests; it is not run on the rest once it fails one of them.

        Args:
            candidate: the candidate.
            passed: the tests.
            most_tests: on how many of them it is tried, the smallest ones first; on all when None.
        """
        tests = [test_id for test_id in self._order_tests() if test_id in passed][:most_tests]
        return passed.intersection(tests) <= self.runner.list_passed_tests(candidate.text, tests, passed)

    def is_unlike_before(self, text: ChangedText) -> bool:
        """Return whether a changed text fails a test that passed before the step."""
        passed = self.baseline.passed.intersection(self._ids)
        return not passed <= self.runner.list_passed_tests(text, self._ids, passed)

    def prove(self, candidate: Candidate) -> RepairStep | None:
        """Grade the changed program as a submission; None if it loses what passed, or mends nothing."""
        if self.proofs_left == 0:
            return None
        self.proofs_left -= 1
        grader, baseline, program = self._grader, self.baseline, self.baseline.program
        graded = grader.grade_submission(make_changed_submission(program, candidate.text))
        grader.suite_runner.end_process_kept_for_diagnosis()
        outcomes = {result.spec.id: result.outcome for result in graded.test_results}
        after = make_baseline(grader, change_program(program, candidate.text), outcomes)
        mends = after.passed - baseline.passed
        unlike_wanted = [test_id for test_id in after.lost if test_id not in self._ids and test_id not in self._hard]
        self._hard += unlike_wanted[: MOST_HARD - len(self._hard)]
        if baseline.passed - after.passed or not mends or graded.fresh_look:
            return None
        return RepairStep(
            after.program, after.passed, after.to_mend, after.lost, candidate.unit, candidate.edit, mends
        )


class IdleFunctions:
    """The functions without whose bodies the chosen failed tests see what they see now, for each test."""

    def __init__(self, tester: CandidateTester, units: Sequence[tuple[int, str]]) -> None:
        """Take out one body after another.

        Args:
            tester: knows the tests.
            units: number and text of the units that are the student's own.
        """
        bodies = [(unit, body) for unit, source in units for body in list_function_bodies(source)]
        texts = [ChangedText(unit, body.text_without) for unit, body in bodies]
        self._bodies: dict[str, dict[tuple[int, str], FunctionBody]] = {}
        for test_id in tester.filters:
            idle = [bodies[place] for place in tester.runner.select_equal(texts, test_id)]
            self._bodies[test_id] = {(unit, body.function): body for unit, body in idle}

    def list_common(self) -> set[tuple[int, str]]:
        """Return unit and path of the functions that no chosen test has to do with."""
        functions = [{*bodies} for bodies in self._bodies.values()]
        return set.intersection(*functions) if functions else set()

    def may_mend_all(self, candidate: Candidate) -> bool:
        """Return whether a candidate may mend all chosen tests, as far as the functions tell."""
        return all(self.may_mend(candidate, test_id) for test_id in self._bodies)

    def may_mend(self, candidate: Candidate, test_id: str) -> bool:
        """Return whether a candidate changes more than the body of a function that a chosen test does without."""
        edit, names = candidate.edit, candidate.edit.function.split(".")
        for count in range(1, len(names) + 1):
            body = self._bodies[test_id].get((candidate.unit, ".".join(names[:count])))
            if body is not None and body.line <= edit.line <= edit.end_line <= body.end_line:
                return False
        return True

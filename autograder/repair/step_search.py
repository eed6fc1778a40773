"""Search for one edit of a program that mends failed tests, and breaks none that passed."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import merge
from itertools import islice, tee

from autograder.bridge import SubmissionProgram
from autograder.edits import FunctionBody, ProposedEdit, list_function_bodies, propose_edits, propose_methods
from autograder.grading import Grader
from autograder.grading.results import LOST_OUTCOMES
from autograder.repair.candidate_runs import (
    CandidateRunner,
    ChangedText,
    change_program,
    make_changed_submission,
    open_candidate_runner,
)
from autograder.submissions.source_definitions import NAME as GIVEN
from autograder.syntax_trees import NoSyntaxTreeReason, SyntaxTree, parse_bounded_source

REACHES_FOR_CODE = re.compile(
    r"\b(?:__code__|__closure__|__globals__|__dict__|__file__|__loader__|__spec__|_getframe|f_\w+|tb_\w+|gi_\w+|co_\w+|"
    r"gc|inspect|dis|traceback|linecache|tracemalloc|settrace|setprofile|monitoring|ctypes|marshal|pickle|open|exec|"
    r"attrgetter|operator|format|format_map|builtins|__builtins__|__getattribute__|__subclasses__|"
    r"eval|compile|globals|locals|vars|getattr|importlib|__import__|os|sys|io|pathlib|socket|subprocess|threading)\b"
)
"""What a program might find the text of another through."""


def list_donors(grader: Grader, source: str) -> tuple[str, ...]:
    """Return texts of right programs, the reference solution first; none for a program that might read them."""
    if REACHES_FOR_CODE.search(source):
        return ()
    assignment = grader.assignment
    wheats = sorted((assignment.solution_file.parent / "wheats").glob("*.py"))
    return tuple(path.read_text(encoding="utf-8") for path in (assignment.solution_file, *wheats))


MOST_FILTERS = 4
"""How many failed tests each candidate is tried on first."""
MOST_AFTER_FIRST, MOST_FOUND = 150, 4
"""How many candidates that cost no more are tried once one is proven, and how many may be found."""
TRIED_TOGETHER = 40
"""How many candidates are sent together to the first test."""
MOST_TRIED_ALONE = 150
"""How many candidates are tried where each needs a process of its own, as code does that fails while it is loaded."""
SUSPICION_WEIGHT = 4
"""How much cheaper an edit counts where all failed tests are about its function, and no other."""
MOST_MENDING_A_PART = 600
"""How many candidates are tried on the other filters where none mends everything."""
MOST_LOOKED_AT, MOST_PROOFS = 20, 12
"""How many candidates that pass some of the filters are tried on all tests, and how many the grader grades."""


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


def search_step(grader: Grader, baseline: Baseline, most_tried: int) -> tuple[list[RepairStep], int]:
    """Return proven steps that are equally good, and how many candidates were tried.

    A step that mends everything is better than one that mends a part; an edit is better than another method.
    """
    with open_candidate_runner(grader, baseline.program) as runner:
        search = StepSearch(grader, runner, baseline)
        most = most_tried if runner.shares_process else min(most_tried, MOST_TRIED_ALONE)
        edits, edits_again = tee(_iterate_edits(grader, baseline, search.list_idle_functions()))
        found = search.find_complete(islice(filter(search.may_mend_all, edits), most))
        found = found or search.find_complete(islice(_iterate_methods(grader, baseline), most))
        return found or search.find_partial(islice(edits_again, min(most, MOST_MENDING_A_PART))), search.tried


class StepSearch:
    """Tries candidates on more and more tests: a few that fail, all of them, and in the end as the grader does."""

    def __init__(self, grader: Grader, runner: CandidateRunner, baseline: Baseline) -> None:
        """Choose the tests."""
        self.tried = 0
        """How many candidates were tried."""
        self._passed_first: list[Candidate] = []
        self._grader, self._runner, self._baseline = grader, runner, baseline
        self._proofs_left = 0
        self._ids = self._list_reliable_tests()
        self._filters = self._choose_filters()
        self._idle_bodies = {test_id: self._list_idle_bodies(test_id) for test_id in self._filters}

    def _list_reliable_tests(self) -> list[str]:
        """Return the tests that say the same of the unchanged program here as they said to the grader."""
        passed, program, lost = self._baseline.passed, self._baseline.program, self._baseline.lost
        known = [spec.id for spec in self._grader.test_specs if self._runner.measure_requests(spec.id)]
        ids = [*known, *(lost if not {*lost} & {*known} else ())]  # those of unknown requests are slow
        passed_here = self._runner.list_passed_tests(ChangedText(0, program.units[0][1]), ids)
        return [test_id for test_id in ids if (test_id in passed_here) == (test_id in passed)]

    def _choose_filters(self) -> list[str]:
        """Return a few failed tests of different things, the smallest programs first."""
        specs = {spec.id: spec for spec in self._grader.test_specs}
        lost = [test_id for test_id in self._baseline.lost if test_id in {*self._ids}]
        chosen: dict[object, str] = {}
        for test_id in sorted(lost, key=self._runner.measure_requests):
            chosen.setdefault((specs[test_id].concept, specs[test_id].tested_names), test_id)
        filters = [*chosen.values()][:MOST_FILTERS]
        for test_id in filters:
            self._runner.follow_own_requests(test_id)
        return filters

    def _list_idle_bodies(self, test_id: str) -> list[tuple[int, FunctionBody]]:
        """Return the functions without whose bodies a failed test sees what it sees: no change of these mends it."""
        bodies = [
            (unit, body)
            for unit, _, source in _iterate_own_units(self._baseline)
            for body in list_function_bodies(source)
        ]
        texts = [ChangedText(unit, body.text_without) for unit, body in bodies]
        return [bodies[place] for place in self._runner.select_equal(texts, test_id)]

    def list_idle_functions(self) -> set[tuple[int, str]]:
        """Return unit and path of the functions whose bodies no failed test has to do with."""
        functions = [{(unit, body.function) for unit, body in idle} for idle in self._idle_bodies.values()]
        return set.intersection(*functions) if functions else set()

    def may_mend_all(self, candidate: Candidate) -> bool:
        """Return whether a candidate may mend all chosen tests, as far as the functions tell that they use."""
        return all(self._may_mend(candidate, test_id) for test_id in self._filters)

    def _may_mend(self, candidate: Candidate, test_id: str) -> bool:
        edit = candidate.edit
        return not any(
            unit == candidate.unit
            and f"{edit.function}.".startswith(f"{body.function}.")
            and body.line <= edit.line <= edit.end_line <= body.end_line
            for unit, body in self._idle_bodies[test_id]
        )

    def find_complete(self, candidates: Iterable[Candidate]) -> list[RepairStep]:
        """Return steps after which everything passes: the first one, and others that cost no more."""
        found: list[RepairStep] = []
        self._proofs_left = MOST_PROOFS
        self._runner.went_on_count = 0
        left = MOST_AFTER_FIRST
        for group in _iterate_groups(candidates):
            for candidate in self._select_passing_filters(group):
                if found and candidate.edit.cost > found[0].edit.cost:
                    return found
                step = self._prove(candidate)
                if step is not None and not step.to_mend:
                    found.append(step)
                if len(found) == MOST_FOUND:
                    return found
            left -= len(group) if found else 0
            if left <= 0 or (found and group[-1].edit.cost > found[0].edit.cost):
                break
        return found

    def _select_passing_filters(self, group: Sequence[Candidate]) -> list[Candidate]:
        self.tried += len(group)
        for test_id in self._filters:
            group = self._select_passing(group, test_id)
            if test_id == self._filters[0]:
                self._passed_first += group
        return [*group] if self._filters else []

    def _select_passing(self, candidates: Sequence[Candidate], test_id: str) -> list[Candidate]:
        passing = self._runner.select_passing([candidate.text for candidate in candidates], test_id)
        return [candidates[place] for place in passing]

    def find_partial(self, candidates: Iterable[Candidate]) -> list[RepairStep]:
        """Return the step that mends most and breaks nothing, of those that mend a part; none if there is none."""
        self._proofs_left = MOST_PROOFS
        passed = Counter(self._passed_first)
        likely = [*candidates]
        untried = [candidate for candidate in likely if not self.may_mend_all(candidate)]
        self.tried += len(untried)
        for test_id in self._filters:
            left = untried if test_id == self._filters[0] else likely
            passed.update(self._select_passing([one for one in left if self._may_mend(one, test_id)], test_id))
        best = sorted(passed, key=lambda one: (-passed[one], one.edit.cost))[:MOST_LOOKED_AT]
        rated = [(self._count_mended(candidate), candidate) for candidate in best]
        for mended, candidate in sorted(rated, key=lambda one: (-one[0], one[1].edit.cost)):
            step = self._prove(candidate) if mended > 0 else None
            if step is not None:
                return [step]
        return []

    def _count_mended(self, candidate: Candidate) -> int:
        """Return how many failed tests a candidate seems to mend; -1 if it breaks any."""
        passed = self._runner.list_passed_tests(candidate.text, self._ids)
        broken = self._baseline.passed.intersection(self._ids) - passed
        return -1 if broken else len(passed - self._baseline.passed)

    def _prove(self, candidate: Candidate) -> RepairStep | None:
        """Grade the changed program as a submission; None if it loses what passed, or mends nothing."""
        if self._count_mended(candidate) < 1 or self._proofs_left == 0:
            return None
        self._proofs_left -= 1
        grader, baseline, program = self._grader, self._baseline, self._baseline.program
        graded = grader.grade_submission(make_changed_submission(program, candidate.text))
        grader.suite_runner.end_process_kept_for_diagnosis()
        outcomes = {result.spec.id: result.outcome for result in graded.test_results}
        after = make_baseline(grader, change_program(program, candidate.text), outcomes)
        mends = after.passed - baseline.passed
        if baseline.passed - after.passed or not mends or graded.fresh_look:
            return None
        return RepairStep(
            after.program, after.passed, after.to_mend, after.lost, candidate.unit, candidate.edit, mends
        )


def _iterate_groups(candidates: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    rest = iter(candidates)
    while group := [*islice(rest, TRIED_TOGETHER)]:
        yield group


def _iterate_edits(grader: Grader, baseline: Baseline, idle: Collection[tuple[int, str]]) -> Iterator[Candidate]:
    """Yield edits, the cheapest first; those of functions that most failed tests are about before others.

    Args:
        grader: the grader of the program.
        baseline: the program.
        idle: unit and path of functions whose bodies stay as they are.
    """
    units = [*_iterate_own_units(baseline)]
    suspicion = _share_with_called(_rate_names(grader, baseline), [source for _, _, source in units])
    unnamed = max(suspicion.values(), default=0.0) / 2

    @cache
    def rate_function(path: str) -> float:
        return SUSPICION_WEIGHT * max(suspicion.get(name, unnamed) for name in path.split("."))

    def iterate_unit(number: int, name: str, source: str) -> Iterator[Candidate]:
        idle_here = {path for unit, path in idle if unit == number}
        for edit in propose_edits(source, name, list_donors(grader, source), rate_function, idle_here):
            yield Candidate(number, edit)

    edits = (iterate_unit(*unit) for unit in units)
    return merge(*edits, key=lambda one: one.edit.cost - rate_function(one.edit.function))


def _rate_names(grader: Grader, baseline: Baseline) -> dict[str, float]:
    """Return how suspicious each method and function is that tests are about, from 0 to 1.

    The formula is Ochiai's, for tests in the place of runs: R. Abreu, P. Zoeteweij, A. van Gemund, "On the Accuracy
    of Spectrum-based Fault Localization" (2007), https://doi.org/10.1109/TAIC.PART.2007.13.
    """
    failed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for spec in grader.test_specs:
        names = {name.rpartition(".")[2] for name in spec.tested_names}
        total.update(names)
        failed.update(names if spec.id in baseline.lost else ())
    return {name: failed[name] / math.sqrt(len(baseline.lost) * total[name]) for name in total}


def _share_with_called(suspicion: dict[str, float], sources: Sequence[str]) -> dict[str, float]:
    """Return the suspicion of names, where one that a more suspicious function uses has half of that at least."""
    shared = dict(suspicion)
    for source in sources:
        tree = parse_bounded_source(source)
        for function in tree.nodes if isinstance(tree, SyntaxTree) else ():
            if isinstance(function, ast.FunctionDef):
                used = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(function)}
                for name in used & suspicion.keys():
                    shared[name] = max(shared[name], suspicion.get(function.name, 0) / 2)
    return shared


def _iterate_methods(grader: Grader, baseline: Baseline) -> Iterator[Candidate]:
    """Yield methods of right programs in the place of the student's."""
    for number, name, source in _iterate_own_units(baseline):
        for edit in propose_methods(source, name, list_donors(grader, source)):
            yield Candidate(number, edit)


def _iterate_own_units(baseline: Baseline) -> Iterator[tuple[int, str, str]]:
    """Yield number, name and text of the units that are the student's own, and not too long to be read here."""
    for number, (name, source) in enumerate(baseline.program.units):
        if name != GIVEN and not isinstance(parse_bounded_source(source), NoSyntaxTreeReason):
            yield number, name, source

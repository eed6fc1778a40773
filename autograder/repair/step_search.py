"""Search for one edit of a program that mends failed tests, and breaks none that passed."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import merge
from itertools import islice, tee

from autograder.edits import propose_edits, propose_methods
from autograder.grading import Grader
from autograder.repair.candidate_runs import CandidateRunner, open_candidate_runner
from autograder.repair.step_review import StepReviewer, hide_change
from autograder.repair.steps import Baseline, Candidate, CandidateTester, IdleFunctions, RepairStep
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
PATIENCE = 3
"""How many times as many are tried where all that are proven are odd."""
MOST_LOOKED_AT, MOST_PROOFS = 20, 12
"""How many candidates that pass some of the filters are tried on all tests, and how many the grader grades."""


def search_step(grader: Grader, baseline: Baseline, most_tried: int) -> tuple[list[RepairStep], int]:
    """Return proven steps that are equally good, and how many candidates were tried.

    A step that mends everything is better than one that mends a part; an edit is better than another method.
    """
    with open_candidate_runner(grader, baseline.program) as runner:
        search = StepSearch(grader, runner, baseline)
        most = most_tried if runner.shares_process else min(most_tried, MOST_TRIED_ALONE)
        edits, edits_again = tee(_iterate_edits(grader, baseline, search.idle.list_common()))
        found = search.find_complete(islice(filter(search.idle.may_mend_all, edits), most))
        methods = [] if found else [*_iterate_methods(grader, baseline)]
        for is_tested in (True, False):  # what a failed test is about before what it only uses
            chosen = [candidate for candidate in methods if search.is_tested(candidate) == is_tested]
            found = found or search.find_complete(chosen[:most])
        return found or search.list_odd_steps() or search.find_partial(islice(edits_again, most)), search.tried


class StepSearch:
    """Tries candidates on more and more tests: a few that fail, all of them, and in the end as the grader does.

    Attributes:
        idle: the functions that it need not change.
    """

    def __init__(self, grader: Grader, runner: CandidateRunner, baseline: Baseline) -> None:
        """Try nothing yet."""
        self._tried: list[Candidate] = []
        self._passed_first: list[int] = []
        self._odd_steps: list[RepairStep] = []
        units = [(unit, source) for unit, _, source in _iterate_own_units(baseline)]
        self._used_names = _map_used_names(source for _, source in units)
        self._runner = runner
        self._tester = CandidateTester(grader, runner, baseline)
        self.idle = IdleFunctions(self._tester, units)
        self._reviewer = StepReviewer(self._tester, self._tried)

    @property
    def tried(self) -> int:
        """Return how many candidates were tried."""
        return len(self._tried) + self._reviewer.tried

    def is_tested(self, candidate: Candidate) -> bool:
        """Return whether a failed test is about the function that a candidate changes."""
        names = candidate.edit.function.split(".")
        return any(not self._tester.list_tested_names(test_id).isdisjoint(names) for test_id in self._tester.filters)

    def find_complete(self, candidates: Iterable[Candidate]) -> list[RepairStep]:
        """Return steps after which everything passes: the first one, and others that cost no more."""
        found: list[RepairStep] = []
        self._tester.allow_proofs(MOST_PROOFS)
        self._runner.stops = self._runner.went_on_count = 0
        left = PATIENCE * MOST_AFTER_FIRST
        for group in _iterate_groups(candidates):
            for candidate in self._select_passing_filters(group):
                if found and candidate.edit.cost > found[0].edit.cost:
                    return self._reviewer.list_smallest(found)
                step = self._tester.prove(candidate) if self._tester.seems_complete(candidate) else None
                if step is not None and not step.to_mend:
                    (self._odd_steps if self._reviewer.is_odd(step) else found).append(step)
                if len(found) == MOST_FOUND:
                    return self._reviewer.list_smallest(found)
            left -= len(group) * (PATIENCE if found else bool(self._odd_steps))
            if left <= 0 or (found and group[-1].edit.cost > found[0].edit.cost):
                break
        return self._reviewer.list_smallest(found)

    def list_odd_steps(self) -> list[RepairStep]:
        """Return the first step that mends everything in an odd way: it is told by its place alone."""
        return [hide_change(step) for step in self._odd_steps[:1]]

    def _select_passing_filters(self, group: Sequence[Candidate]) -> list[Candidate]:
        start = len(self._tried)
        self._tried += group
        for test_id in self._tester.filters:
            passing = self._runner.select_passing([candidate.text for candidate in group], test_id)
            group = [group[place] for place in passing]
            if test_id == self._tester.filters[0]:
                self._passed_first += [start + place for place in passing]
        return [*group] if self._tester.filters else []

    def find_partial(self, candidates: Iterable[Candidate]) -> list[RepairStep]:
        """Return the step that mends most and breaks nothing, of those that mend a part; none if there is none."""
        self._tester.allow_proofs(MOST_PROOFS)
        self._runner.stops = 0
        passed = Counter(self._passed_first)
        untried_from = len(self._tried)
        untried = (candidate for candidate in candidates if not self.idle.may_mend_all(candidate))
        self._tried += islice(untried, MOST_MENDING_A_PART)
        for test_id in self._tester.filters:
            places = self._list_likely_places(test_id, untried_from if test_id == self._tester.filters[0] else 0)
            texts = [self._tried[place].text for place in places]
            passed.update(places[passing] for passing in self._runner.select_passing(texts, test_id))
        likely = sorted(passed, key=lambda place: (-passed[place], self._tried[place].edit.cost))[:MOST_LOOKED_AT]
        odd: list[RepairStep] = []
        rated = [(self._tester.count_mended(self._tried[place]), self._tried[place]) for place in likely]
        for mended, candidate in sorted(rated, key=lambda one: (-one[0], one[1].edit.cost)):
            step = self._tester.prove(candidate) if mended > 0 else None
            if step is not None and not self._reviewer.is_odd(step):
                return [self._reviewer.shrink(step)]
            if step is not None:
                odd.append(step)
        return [hide_change(step) for step in odd[:1]]

    def _list_likely_places(self, test_id: str, start: int) -> list[int]:
        """Return where the candidates stand that are tried on a filter: first those of functions that it is about.

        Args:
            test_id: the filter.
            start: the place of the first one that is looked at.
        """
        names = self._tester.list_tested_names(test_id)
        names |= {name for function in names for name in self._used_names.get(function, ())}
        places = sorted(
            (n for n in range(start, len(self._tried)) if self.idle.may_mend(self._tried[n], test_id)),
            key=lambda place: (names.isdisjoint(self._tried[place].edit.function.split(".")), place),
        )
        return places[:MOST_MENDING_A_PART]


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
    suspicion = _share_with_called(_rate_names(grader, baseline), _map_used_names(source for _, _, source in units))
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


def _share_with_called(suspicion: dict[str, float], used_names: Mapping[str, Collection[str]]) -> dict[str, float]:
    """Return the suspicion of names, where one that a more suspicious function uses has half of that at least."""
    shared = dict(suspicion)
    for function, used in used_names.items():
        for name in suspicion.keys() & used:
            shared[name] = max(shared[name], suspicion.get(function, 0) / 2)
    return shared


def _map_used_names(sources: Iterable[str]) -> dict[str, set[str]]:
    """Return what each function of a program speaks of, by its name."""
    found: dict[str, set[str]] = {}
    for source in sources:
        tree = parse_bounded_source(source)
        for function in tree.nodes if isinstance(tree, SyntaxTree) else ():
            if isinstance(function, ast.FunctionDef):
                used = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(function)}
                found.setdefault(function.name, set()).update(used)
    return found


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

"""Search for one edit of a program that mends failed tests, and breaks none that passed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from heapq import merge
from itertools import islice, tee

from autograder.edits import propose_edits, propose_methods
from autograder.grading import Grader
from autograder.repair.candidate_runs import CandidateRunner, open_candidate_runner
from autograder.repair.locating import MistakePlaces, map_used_names, rate_functions
from autograder.repair.step_review import StepReviewer, hide_change
from autograder.repair.steps import Baseline, Candidate, CandidateTester, IdleFunctions, RepairStep
from autograder.submissions.source_definitions import NAME as GIVEN
from autograder.syntax_trees import NoSyntaxTreeReason, parse_bounded_source

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
MOST_ANYWHERE, MOST_LOCATED = 400, 400
"""How many edits are tried wherever they stand, and how many, after them, where right methods mend something."""
SUSPICION_WEIGHT = 4
"""How much cheaper an edit counts where all failed tests are about its function, and no other."""
MOST_MENDING_A_PART = 600
"""How many candidates are tried on the other filters where none mends everything."""
PATIENCE = 3
"""How many times as many are tried where all that are proven are odd."""
MOST_LOOKED_AT, MOST_PROOFS = 10, 12
"""How many candidates that mend any of the few smallest tests are compared on all, and how many the grader grades."""


def search_step(grader: Grader, baseline: Baseline, most_tried: int) -> tuple[list[RepairStep], int]:
    """Return proven steps that are equally good, and how many candidates were tried.

    A step that mends everything is better than one that mends a part; an edit is better than another method. The
    likeliest edits are tried wherever they stand. After them, right methods in place of the student's tell where the
    mistakes lie, and only there more edits are tried.
    """
    with open_candidate_runner(grader, baseline.program) as runner:
        most = most_tried if runner.shares_process else min(most_tried, MOST_TRIED_ALONE)
        search = StepSearch(grader, runner, baseline, islice(_iterate_methods(grader, baseline), most))
        edits, edits_again = tee(islice(_iterate_edits(grader, baseline, search), most))
        found = search.find_complete(search.iterate_located(edits))
        for is_tested in (True, False):  # what a failed test is about before what it only uses
            found = found or search.find_complete(search.iterate_mending_methods(is_tested=is_tested))
        return found or search.list_odd_steps() or search.find_partial(edits_again), search.tried


class StepSearch:
    """Tries candidates on more and more tests: a few that fail, all of them, and in the end as the grader does.

    Attributes:
        idle: the functions that it need not change.
        places: where the mistakes lie, as far as right methods told it.
        used_names: what each function speaks of.
    """

    def __init__(
        self, grader: Grader, runner: CandidateRunner, baseline: Baseline, methods: Iterable[Candidate]
    ) -> None:
        """Try nothing yet.

        Args:
            grader: the grader of the program.
            runner: runs candidates.
            baseline: the program.
            methods: right ones in the place of the student's; they are made when they are wanted.
        """
        self._tried: list[Candidate] = []
        self._run: set[Candidate] = set()
        self._passed_first: list[int] = []
        self._odd_steps: list[RepairStep] = []
        units = [(unit, source) for unit, _, source in _iterate_own_units(baseline)]
        self.used_names = map_used_names(source for _, source in units)
        self._runner, self._methods = runner, methods
        self._tester = CandidateTester(grader, runner, baseline)
        self.idle = IdleFunctions(self._tester, units)
        self.places = MistakePlaces(self._tester.filters, units, self.used_names)
        self._reviewer = StepReviewer(self._tester, self._tried)

    @property
    def tried(self) -> int:
        """Return how many candidates were tried."""
        return len(self._run) + self._reviewer.tried

    def iterate_located(self, edits: Iterable[Candidate]) -> Iterator[Candidate]:
        """Yield edits that may mend everything: the first ones, and then those where right methods mend everything.

        Where these tell that the mistakes lie in several functions, no single edit mends all.
        """
        edits = filter(self.idle.may_mend_all, edits)
        yield from islice(edits, MOST_ANYWHERE)
        _ = self._mending_methods  # they tell the places
        located = filter(self.places.may_mend_all, edits)
        yield from islice(located, MOST_LOCATED if self.places.are_known else None)

    def iterate_mending_methods(self, *, is_tested: bool) -> Iterator[Candidate]:
        """Yield right methods with which the few tests pass: those of functions that these are about, or others."""
        names = {name for test_id in self._tester.filters for name in self._tester.list_tested_names(test_id)}
        for method in self._mending_methods:
            if method.edit.kind == "method" and is_tested != names.isdisjoint(method.edit.function.split(".")):
                yield method

    @cached_property
    def _mending_methods(self) -> list[Candidate]:
        """Return the right methods with which the few tests pass; with them, places are known.

        Where none mends all, each test is asked by itself, unless each candidate needs a process of its own.
        """
        self._runner.stops = 0
        methods = [*self._methods]
        for_all = filter(self.idle.may_mend_all, methods)
        mending = [one for group in _iterate_groups(for_all) for one in self._select_passing_filters(group)]
        asks_each = not mending and self._runner.shares_process
        for test_id in self._tester.filters:
            for_one = [one for one in methods if asks_each and self.idle.may_mend(one, test_id)]
            places = self._list_passing_places(for_one, test_id)
            self.places.note(test_id, mending or [for_one[place] for place in places])
        return mending

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
            places = self._list_passing_places(group, test_id)
            group = [group[place] for place in places]
            if test_id == self._tester.filters[0]:
                self._passed_first += [start + place for place in places]
        return [*group] if self._tester.filters else []

    def _list_passing_places(self, group: Sequence[Candidate], test_id: str) -> list[int]:
        self._run.update(group)
        return self._runner.select_passing([candidate.text for candidate in group], test_id)

    def find_partial(self, candidates: Iterable[Candidate]) -> list[RepairStep]:
        """Return a step that mends a part and breaks nothing; none if there is none.

        The chosen tests are gone through in turn. Of the candidates that mend one of them, the one that mends most
        is taken.
        """
        self._tester.allow_proofs(MOST_PROOFS)
        self._runner.stops = 0
        untried_from = len(self._tried)
        self._tried += [candidate for candidate in candidates if candidate not in self._run]
        odd: list[RepairStep] = []
        proven: set[Candidate] = set()
        for number, test_id in enumerate(self._tester.filters):
            passing = [] if number else [self._tried[place] for place in self._passed_first]
            places = self._list_likely_places(test_id, 0 if number else untried_from)
            likely = self._list_mending_few(test_id, passing, [self._tried[place] for place in places])
            for candidate in _rate([one for one in likely if one not in proven], self._tester.count_mended):
                proven.add(candidate)
                step = self._tester.prove(candidate)
                if step is not None and not self._reviewer.is_odd(step):
                    return [self._reviewer.shrink(step)]
                if step is not None:
                    odd.append(step)
        return [hide_change(step) for step in odd[:1]]

    def _list_mending_few(
        self, test_id: str, passing: Iterable[Candidate], untried: Iterable[Candidate]
    ) -> list[Candidate]:
        """Return candidates with which a chosen test passes and that break none of the few smallest tests.

        Args:
            test_id: the chosen test.
            passing: candidates that are known to pass it.
            untried: others, the likeliest first; not many are tried once one is found.
        """
        few = self._tester.count_mended_of_few
        mending, left = [*islice((one for one in passing if few(one) > 0), MOST_LOOKED_AT)], MOST_AFTER_FIRST
        for group in _iterate_groups(untried):
            if len(mending) >= MOST_LOOKED_AT or left <= 0:
                break
            places = self._list_passing_places(group, test_id)
            mending += [group[place] for place in places if few(group[place]) > 0]
            left -= len(group) if mending else 0
        return mending[:MOST_LOOKED_AT]

    def _list_likely_places(self, test_id: str, start: int) -> list[int]:
        """Return where the candidates stand that are tried on a filter: first those of functions that it is about.

        Args:
            test_id: the filter.
            start: the place of the first one that is looked at.
        """
        names = self._tester.list_tested_names(test_id)
        names |= {name for function in names for name in self.used_names.get(function, ())}
        may_mend = (self.idle.may_mend, self.places.may_mend)
        places = sorted(
            (n for n in range(start, len(self._tried)) if all(may(self._tried[n], test_id) for may in may_mend)),
            key=lambda place: (names.isdisjoint(self._tried[place].edit.function.split(".")), place),
        )
        return places[:MOST_MENDING_A_PART]


def _rate(candidates: Iterable[Candidate], count_mended: Callable[[Candidate], int]) -> list[Candidate]:
    """Return the candidates that mend anything, those that mend most first."""
    rated = [(count, candidate) for candidate in candidates if (count := count_mended(candidate)) > 0]
    return [candidate for _, candidate in sorted(rated, key=lambda one: (-one[0], one[1].edit.cost))]


def _iterate_groups(candidates: Iterable[Candidate]) -> Iterator[list[Candidate]]:
    rest = iter(candidates)
    while group := [*islice(rest, TRIED_TOGETHER)]:
        yield group


def _iterate_edits(grader: Grader, baseline: Baseline, search: StepSearch) -> Iterator[Candidate]:
    """Yield edits, the cheapest first; those of functions that most failed tests are about before others.

    Args:
        grader: the grader of the program.
        baseline: the program.
        search: knows which functions may stay as they are.
    """
    units = [*_iterate_own_units(baseline)]
    suspicion = rate_functions(grader, baseline, search.used_names)
    unnamed = max(suspicion.values(), default=0.0) / 2
    idle = search.idle.list_common()

    @cache
    def rate_function(path: str) -> float:
        return SUSPICION_WEIGHT * max(suspicion.get(name, unnamed) for name in path.split("."))

    def iterate_unit(number: int, name: str, source: str) -> Iterator[Candidate]:
        idle_here = {path for unit, path in idle if unit == number}
        is_wanted = partial(search.places.may_hold_mistake, number)
        for edit in propose_edits(source, name, list_donors(grader, source), rate_function, idle_here, is_wanted):
            yield Candidate(number, edit)

    edits = (iterate_unit(*unit) for unit in units)
    return merge(*edits, key=lambda one: one.edit.cost - rate_function(one.edit.function))


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

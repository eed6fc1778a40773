"""Tell where in a program a mistake is likely to lie: by its failed tests, and by right methods in its place."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from autograder.edits import list_function_bodies
from autograder.grading import Grader
from autograder.repair.steps import Baseline, Candidate
from autograder.syntax_trees import SyntaxTree, parse_bounded_source


def rate_functions(grader: Grader, baseline: Baseline, used_names: Mapping[str, Collection[str]]) -> dict[str, float]:
    """Return how suspicious the methods and functions are that tests are about, by their names, from 0 to 1.

    One that a more suspicious function uses has half of that at least. The formula is Ochiai's, for tests in the
    place of runs: R. Abreu, P. Zoeteweij, A. van Gemund, "On the Accuracy of Spectrum-based Fault Localization"
    (2007), https://doi.org/10.1109/TAIC.PART.2007.13.
    """
    failed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for spec in grader.test_specs:
        names = {name.rpartition(".")[2] for name in spec.tested_names}
        total.update(names)
        failed.update(names if spec.id in baseline.lost else ())
    suspicion = {name: failed[name] / math.sqrt(len(baseline.lost) * total[name]) for name in total}
    shared = dict(suspicion)
    for function, used in used_names.items():
        for name in suspicion.keys() & used:
            shared[name] = max(shared[name], suspicion.get(function, 0) / 2)
    return shared


def map_used_names(sources: Iterable[str]) -> dict[str, set[str]]:
    """Return what each function of a program speaks of, by its name."""
    found: dict[str, set[str]] = {}
    for source in sources:
        tree = parse_bounded_source(source)
        for function in tree.nodes if isinstance(tree, SyntaxTree) else ():
            if isinstance(function, ast.FunctionDef):
                used = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(function)}
                found.setdefault(function.name, set()).update(used)
    return found


class MistakePlaces:
    """The functions in which a mistake lies: with a right one in its place, a failed test passes."""

    def __init__(
        self, test_ids: Sequence[str], units: Sequence[tuple[int, str]], used_names: Mapping[str, Collection[str]]
    ) -> None:
        """Know no place yet.

        Args:
            test_ids: the failed tests.
            units: number and text of the units that are the student's own.
            used_names: what each function speaks of.
        """
        self._functions = {(unit, body.function) for unit, source in units for body in list_function_bodies(source)}
        self._test_ids, self._used_names = test_ids, used_names
        self._places: dict[str, set[tuple[int, str]]] = {}

    def note(self, test_id: str, methods: Sequence[Candidate]) -> None:
        """Note the right methods with which a test passes; if there are none, its places are unknown."""
        around = (_list_functions_around(method.unit, method.edit.function) for method in methods)
        functions = self._functions.intersection(chain.from_iterable(around))
        if methods:
            self._places[test_id] = functions | self._list_helpers(functions)

    @property
    def are_known(self) -> bool:
        """Return whether a place is known of each test."""
        return self._places.keys() >= {*self._test_ids}

    def _list_helpers(self, functions: Collection[tuple[int, str]]) -> set[tuple[int, str]]:
        """Return the functions that some speak of, and those that these speak of: they go out of use with them."""
        helpers: set[tuple[int, str]] = set()
        latest = {path.rpartition(".")[2] for _, path in functions}
        while latest:
            used = {name for function in latest for name in self._used_names.get(function, ())}
            found = {(unit, path) for unit, path in self._functions if path.rpartition(".")[2] in used} - helpers
            helpers |= found
            latest = {path.rpartition(".")[2] for _, path in found}
        return helpers

    def may_mend(self, candidate: Candidate, test_id: str) -> bool:
        """Return whether an edit may mend a test: it stands where a mistake lies, or in no function at all."""
        return self._may_hold_mistake(candidate.unit, candidate.edit.function, test_id)

    def may_mend_all(self, candidate: Candidate) -> bool:
        """Return whether an edit may mend all tests."""
        return all(self.may_mend(candidate, test_id) for test_id in self._test_ids)

    def may_hold_mistake(self, unit: int, function: str) -> bool:
        """Return whether an edit of a function may mend one of the tests."""
        return any(self._may_hold_mistake(unit, function, test_id) for test_id in self._test_ids)

    def _may_hold_mistake(self, unit: int, function: str, test_id: str) -> bool:
        places = self._places.get(test_id)
        return places is None or not function or not places.isdisjoint(_list_functions_around(unit, function))


def _list_functions_around(unit: int, function: str) -> list[tuple[int, str]]:
    """Return unit and path of what is around a place in a function, from the outside."""
    names = function.split(".")
    return [(unit, ".".join(names[:count])) for count in range(1, len(names) + 1)]

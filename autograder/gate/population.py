"""Right and wrong programs by the dozen, graded and diagnosed as students' would be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from autograder.course import Assignment
from autograder.course.misconceptions import Catalogue, load_catalogue, source_with, wheats
from autograder.diagnosis import Observed
from autograder.gate.pool import Diagnosed, Pool, Progress
from autograder.grading import Graded
from autograder.sandbox import Sandbox

Phase = Callable[[str], AbstractContextManager[Progress]]
"""Opens a progress bar for one stage of the work."""


@dataclass(frozen=True, slots=True)
class Population:
    """What came of every program."""

    catalogue: Catalogue
    wheats: dict[str, Graded]
    """By the file's name."""
    wrong: dict[str, Graded]
    """Misconceptions by id, pairs of them as ``one+other``."""
    known: dict[str, Observed]
    """What each misconception looks like to the hidden suite."""
    diagnosed: dict[str, Diagnosed]
    """For every program, by the names above."""


def try_population(assignment: Assignment, sandbox: Sandbox, phase: Phase) -> Population:
    """Grade and diagnose every wheat, every misconception and every pair.

    Raises:
        CourseFault: the suite, the solution or the catalogue cannot be used.
        KitFault: no process can be started, or one ended.
    """
    catalogue = load_catalogue(assignment)
    solution = assignment.solution.read_text(encoding="utf-8")
    by_id = {one.id: one for one in catalogue.misconceptions}
    right = {path.stem: path.read_text(encoding="utf-8") for path in wheats(assignment)}
    wrong = {one.id: source_with(solution, one) for one in catalogue.misconceptions}
    wrong |= {f"{a}+{b}": source_with(solution, by_id[a], by_id[b]) for a, b in catalogue.pairs}
    with Pool(assignment, sandbox) as pool:
        with phase("grading right and wrong programs") as progress:
            graded = pool.grade(right | wrong, progress)
        known = {name: observed_of(graded[name]) for name, one in by_id.items() if not one.chance}
        with phase("diagnosing them") as progress:
            diagnosed = pool.diagnose(graded, known, progress)
    return Population(
        catalogue=catalogue,
        wheats={name: graded[name] for name in right},
        wrong={name: graded[name] for name in wrong},
        known=known,
        diagnosed=diagnosed,
    )


def observed_of(graded: Graded) -> Observed:
    """What the tests that a program failed saw of it; those beyond the contract say nothing."""
    return {r.spec.id: r.observed for r in graded.results if r.observed and not r.spec.beyond}

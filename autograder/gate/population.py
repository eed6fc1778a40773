"""Grade and diagnose right and wrong programs by the dozen, as students' would be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from autograder.course import Assignment
from autograder.course.misconceptions import Catalogue, Misconception, load_catalogue, source_with, wheats
from autograder.course.styles import Style, load_styles, source_in
from autograder.diagnosis import Observed
from autograder.diagnosis.match import look_of
from autograder.diagnosis.observations import read_observations
from autograder.diagnosis.parts import STYLED
from autograder.gate.pool import Diagnosed, Pool, Progress
from autograder.gate.sample import WHOLE, Sample
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
    observed: dict[str, Observed]
    """What the tests that each misconception fails saw of it."""
    known: dict[str, Observed]
    """What the parts of each misconception look like, by style."""
    diagnosed: dict[str, Diagnosed]
    """For every program, by the names above."""


def try_population(assignment: Assignment, sandbox: Sandbox, phase: Phase, sample: Sample = WHOLE) -> Population:
    """Grade and diagnose every wheat, every misconception and every pair, or a sample of each.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        phase: opens a progress bar for a stage of the work.
        sample: which of them to try. The stored observations say what the other misconceptions look like.

    Raises:
        CourseFault: the suite, the solution or the catalogue cannot be used.
        KitFault: no process can be started, or one ended.
    """
    catalogue = sampled(load_catalogue(assignment), sample)
    solution = assignment.solution.read_text(encoding="utf-8")
    by_id = {one.id: one for one in load_catalogue(assignment).misconceptions}
    paths = {path.stem: path for path in wheats(assignment)}
    right = {name: paths[name].read_text(encoding="utf-8") for name in sample.chosen(paths)}
    wrong = {one.id: source_with(solution, one) for one in catalogue.misconceptions}
    wrong |= {f"{a}+{b}": source_with(solution, by_id[a], by_id[b]) for a, b in catalogue.pairs}
    with Pool(assignment, sandbox) as pool:
        with phase("grading right and wrong programs") as progress:
            graded = pool.grade(right | wrong, progress)
        with phase("looking at their parts") as progress:
            known = looks_of(assignment, catalogue, pool, progress)
        kept = {} if sample.whole else read_observations(assignment) or {}
        with phase("diagnosing them") as progress:
            diagnosed = pool.diagnose(graded, kept | known, progress)
    return Population(
        catalogue=catalogue,
        wheats={name: graded[name] for name in right},
        wrong={name: graded[name] for name in wrong},
        observed={one.id: observed_of(graded[one.id]) for one in catalogue.misconceptions if not one.chance},
        known=known,
        diagnosed=diagnosed,
    )


def sampled(catalogue: Catalogue, sample: Sample) -> Catalogue:
    """Return a share of the misconceptions and of their pairs, with all parts of these."""
    pairs = {*sample.chosen("+".join(pair) for pair in catalogue.pairs)}
    ids = {
        *sample.chosen(one.id for one in catalogue.misconceptions),
        *(part for pair in pairs for part in pair.split("+")),
    }
    return Catalogue(
        misconceptions=tuple(one for one in catalogue.misconceptions if one.id in ids),
        pairs=tuple(pair for pair in catalogue.pairs if "+".join(pair) in pairs),
    )


def looks_of(assignment: Assignment, catalogue: Catalogue, pool: Pool, progress: Progress) -> dict[str, Observed]:
    """Find what is wrong with the parts of each misconception, as it is and in every style that may change its look.

    Raises:
        KitFault: no process can be started, or one ended.
    """
    solution = assignment.solution.read_text(encoding="utf-8")
    certain = [one for one in catalogue.misconceptions if not one.chance]
    plain, *others = (style for style in load_styles(assignment) if style.mistakes)

    def sources(style: Style, chosen: Iterable[Misconception]) -> dict[tuple[str, str], str]:
        written = {(one.id, style.id): source_in(style, solution, [one]) for one in chosen}
        return {key: source for key, source in written.items() if source is not None}

    known = pool.looks(sources(plain, certain), progress)
    styled = [one for one in certain if STYLED.issuperset(look := look_of(known[one.id][plain.id])) and look]
    again = {key: source for style in others for key, source in sources(style, styled).items()}
    more = pool.looks(again, progress, STYLED)
    return {name: styles | more.get(name, {}) for name, styles in known.items()}


def observed_of(graded: Graded) -> Observed:
    """Return what the tests that a program failed saw of it; those beyond the contract say nothing."""
    return {r.spec.id: r.observed for r in graded.results if r.observed and not r.spec.beyond}

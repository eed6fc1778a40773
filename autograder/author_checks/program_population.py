"""Grade and diagnose right and wrong programs by the dozen, as students' would be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from autograder.author_checks.grading_pool import GradingPool, Progress, TimedDiagnosis
from autograder.author_checks.program_sample import WHOLE, ProgramSample
from autograder.course import Assignment
from autograder.course.engine_styles import EngineStyle, load_engine_styles, rewrite_solution_in_style
from autograder.course.misconceptions import (
    Misconception,
    MisconceptionCatalogue,
    apply_misconceptions,
    list_wheat_files,
    load_misconceptions,
)
from autograder.diagnosis import Observed, load_diagnosis
from autograder.diagnosis.misconception_matching import parse_look
from autograder.diagnosis.observations import read_observations
from autograder.grading import GradedSubmission
from autograder.sandbox import Sandbox

Phase = Callable[[str], AbstractContextManager[Progress]]
"""Opens a progress bar for one stage of the work."""


@dataclass(frozen=True, slots=True)
class ProgramPopulation:
    """What came of every program."""

    catalogue: MisconceptionCatalogue
    wheats: dict[str, GradedSubmission]
    """By the file's name."""
    wrong: dict[str, GradedSubmission]
    """Misconceptions by id, pairs of them as ``one+other``."""
    observed: dict[str, Observed]
    """What the tests that each misconception fails saw of it."""
    known: dict[str, Observed]
    """What the parts of each misconception look like, by style."""
    diagnosed: dict[str, TimedDiagnosis]
    """For every program, by the names above."""


def grade_population(
    assignment: Assignment, sandbox: Sandbox, phase: Phase, sample: ProgramSample = WHOLE
) -> ProgramPopulation:
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
    catalogue = sample_catalogue(load_misconceptions(assignment), sample)
    solution = assignment.solution_file.read_text(encoding="utf-8")
    by_id = {one.id: one for one in load_misconceptions(assignment).misconceptions}
    paths = {path.stem: path for path in list_wheat_files(assignment)}
    right = {name: paths[name].read_text(encoding="utf-8") for name in sample.choose_programs(paths)}
    wrong = {one.id: apply_misconceptions(solution, one) for one in catalogue.misconceptions}
    wrong |= {f"{a}+{b}": apply_misconceptions(solution, by_id[a], by_id[b]) for a, b in catalogue.pairs}
    with GradingPool(assignment, sandbox) as pool:
        with phase("grading right and wrong programs") as progress:
            graded = pool.grade_programs(right | wrong, progress)
        with phase("looking at their parts") as progress:
            known = observe_misconceptions(assignment, catalogue, pool, progress)
        kept = {} if sample.includes_everything else read_observations(assignment) or {}
        with phase("diagnosing them") as progress:
            diagnosed = pool.diagnose_programs(graded, kept | known, progress)
    return ProgramPopulation(
        catalogue=catalogue,
        wheats={name: graded[name] for name in right},
        wrong={name: graded[name] for name in wrong},
        observed={
            one.id: collect_failed_test_observations(graded[one.id])
            for one in catalogue.misconceptions
            if not one.chance
        },
        known=known,
        diagnosed=diagnosed,
    )


def sample_catalogue(catalogue: MisconceptionCatalogue, sample: ProgramSample) -> MisconceptionCatalogue:
    """Return a share of the misconceptions and of their pairs, with all parts of these."""
    pairs = {*sample.choose_programs("+".join(pair) for pair in catalogue.pairs)}
    ids = {
        *sample.choose_programs(one.id for one in catalogue.misconceptions),
        *(part for pair in pairs for part in pair.split("+")),
    }
    return MisconceptionCatalogue(
        misconceptions=tuple(one for one in catalogue.misconceptions if one.id in ids),
        pairs=tuple(pair for pair in catalogue.pairs if "+".join(pair) in pairs),
    )


def observe_misconceptions(
    assignment: Assignment, catalogue: MisconceptionCatalogue, pool: GradingPool, progress: Progress
) -> dict[str, Observed]:
    """Find what is wrong with the parts of each misconception, as it is and in every style that may change its look.

    Raises:
        KitFault: no process can be started, or one ended.
    """
    solution = assignment.solution_file.read_text(encoding="utf-8")
    certain = [one for one in catalogue.misconceptions if not one.chance]
    plain, *others = (style for style in load_engine_styles(assignment) if style.mistakes)

    def sources(style: EngineStyle, chosen: Iterable[Misconception]) -> dict[tuple[str, str], str]:
        written = {(one.id, style.id): rewrite_solution_in_style(style, solution, [one]) for one in chosen}
        return {key: source for key, source in written.items() if source is not None}

    known = pool.observe_wrong_parts(sources(plain, certain), progress)
    module = load_diagnosis(assignment)
    chosen = module.style_dependent_parts if module else None
    looks = {one.id: parse_look(known[one.id][plain.id]) for one in certain}
    styled = [one for one in certain if looks[one.id] and (chosen is None or chosen.issuperset(looks[one.id]))]
    again = {key: source for style in others for key, source in sources(style, styled).items()}
    more = pool.observe_wrong_parts(again, progress, chosen or ())
    return {name: styles | more.get(name, {}) for name, styles in known.items()}


def collect_failed_test_observations(graded: GradedSubmission) -> Observed:
    """Return what the tests that a program failed saw of it; those beyond the contract say nothing."""
    return {r.spec.id: r.observed for r in graded.results if r.observed and not r.spec.beyond}

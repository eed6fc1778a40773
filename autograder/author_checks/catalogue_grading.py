"""Grade and diagnose an assignment's right and wrong programs in the same way as students' submissions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from autograder.author_checks.grading_pool import ProgramGradingPool, ProgressCallback, TimedDiagnosis
from autograder.author_checks.program_sample import WHOLE, ProgramSampler
from autograder.course import Assignment
from autograder.course.misconceptions import (
    Misconception,
    MisconceptionCatalogue,
    apply_misconceptions,
    list_alternative_solutions,
    load_misconception_catalogue,
)
from autograder.course.solution_styles import (
    AlternativeSolutionStyle,
    load_solution_styles,
    try_apply_style_and_mistakes,
)
from autograder.diagnosis import Diagnosis, Observed, load_diagnosis_or_none
from autograder.diagnosis.naming.misconception_matching import parse_wrong_part_digests
from autograder.diagnosis.naming.misconception_observations_file import read_observations_if_current
from autograder.grading import GradedSubmission
from autograder.sandbox import SandboxConfig

OpenProgressBar = Callable[[str], AbstractContextManager[ProgressCallback]]
"""Opens a progress bar for one stage of the work."""


@dataclass(frozen=True, slots=True)
class GradedCatalogue:
    """How each right and wrong program was graded and diagnosed, and what was observed of each misconception."""

    catalogue: MisconceptionCatalogue
    graded_right_programs: dict[str, GradedSubmission]
    """The right alternatives by the file's name, without ``.py``."""
    graded_wrong_programs: dict[str, GradedSubmission]
    """Misconceptions by id, pairs of them as ``one+other``."""
    observed_by_failed_tests: dict[str, Observed]
    """By the id of each misconception without ``nondeterministic``: what failed tests observed, by test id."""
    observed_misconceptions: dict[str, Observed]
    """By the id of each misconception without ``nondeterministic``: digests of its wrong parts as text, by style."""
    diagnoses: dict[str, TimedDiagnosis]
    """For every program, by the names above."""

    def get_diagnosis(self, program_name: str) -> Diagnosis:
        """Return the diagnosis of a right or wrong program."""
        return self.diagnoses[program_name].diagnosis

    def list_planted_misconceptions(self, program_name: str) -> list[Misconception]:
        """Return the misconceptions in a wrong program."""
        by_id = {one.id: one for one in self.catalogue.misconceptions}
        return [by_id[part] for part in program_name.split("+")]

    def is_named_as_itself(self, program_name: str) -> bool:
        """Return whether the diagnosis has one cause for each misconception of a wrong program, and no other cause.

        Each misconception has to be named by some cause, alone or together with lookalikes.
        """
        misconceptions = self.list_planted_misconceptions(program_name)
        causes = [{one.title for one in cause.misconceptions} for cause in self.get_diagnosis(program_name).causes]
        return len(causes) == len(misconceptions) and all(
            any(part.title in cause for cause in causes) for part in misconceptions
        )

    def is_wrongly_named(self, program_name: str) -> bool:
        """Return whether a wrong program is named as a misconception that it does not have.

        Names of general mistakes do not count. Names are compared by title: two misconceptions with the same title
        have the same name.
        """
        titles = {part.title for part in self.list_planted_misconceptions(program_name)}
        return any(
            titles.isdisjoint(one.title for one in cause.misconceptions)
            for cause in self.get_diagnosis(program_name).causes
            if any(one.kind == "specific" for one in cause.misconceptions)
        )

    def is_named_and_not_wrongly(self, program_name: str) -> bool:
        """Return whether a wrong program is named, and not wrongly.

        The name may be its own, also together with lookalikes, or that of a general mistake.
        """
        return self.get_diagnosis(program_name).verdict == "named" and not self.is_wrongly_named(program_name)


def grade_catalogue(
    assignment: Assignment,
    sandbox: SandboxConfig,
    open_progress_bar: OpenProgressBar,
    program_sample: ProgramSampler = WHOLE,
) -> GradedCatalogue:
    """Grade and diagnose every right alternative, every misconception and every pair, or a sample of each.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        open_progress_bar: opens a progress bar for a stage of the work.
        program_sample: which of them to try. The stored observations say what the other misconceptions look like.

    Raises:
        CourseFault: the suite, the solution or the catalogue cannot be used.
        KitFault: no process can be started, or one ended.
    """
    catalogue = sample_catalogue(load_misconception_catalogue(assignment), program_sample)
    solution = assignment.solution_file.read_text(encoding="utf-8")
    by_id = {one.id: one for one in load_misconception_catalogue(assignment).misconceptions}
    paths = {path.stem: path for path in list_alternative_solutions(assignment)}
    right = {name: paths[name].read_text(encoding="utf-8") for name in program_sample.choose_programs(paths)}
    wrong = {one.id: apply_misconceptions(solution, one) for one in catalogue.misconceptions}
    wrong |= {f"{a}+{b}": apply_misconceptions(solution, by_id[a], by_id[b]) for a, b in catalogue.pairs}
    with ProgramGradingPool(assignment, sandbox) as pool:
        with open_progress_bar("grading right and wrong programs") as progress:
            graded = pool.grade_programs(right | wrong, progress)
        with open_progress_bar("looking at their parts") as progress:
            known = _observe_misconceptions_in_relevant_styles(assignment, catalogue, pool, progress)
        kept = {} if program_sample.includes_everything else read_observations_if_current(assignment) or {}
        with open_progress_bar("diagnosing them") as progress:
            diagnosed = pool.diagnose_programs(graded, kept | known, progress)
    return GradedCatalogue(
        catalogue=catalogue,
        graded_right_programs={name: graded[name] for name in right},
        graded_wrong_programs={name: graded[name] for name in wrong},
        observed_by_failed_tests={
            one.id: map_failed_tests_to_observations(graded[one.id])
            for one in catalogue.misconceptions
            if not one.nondeterministic
        },
        observed_misconceptions=known,
        diagnoses=diagnosed,
    )


def sample_catalogue(catalogue: MisconceptionCatalogue, program_sample: ProgramSampler) -> MisconceptionCatalogue:
    """Return a sample of the misconceptions and of their pairs, with all misconceptions of these pairs."""
    pairs = {*program_sample.choose_programs("+".join(pair) for pair in catalogue.pairs)}
    ids = {
        *program_sample.choose_programs(one.id for one in catalogue.misconceptions),
        *(part for pair in pairs for part in pair.split("+")),
    }
    return MisconceptionCatalogue(
        misconceptions=tuple(one for one in catalogue.misconceptions if one.id in ids),
        pairs=tuple(pair for pair in catalogue.pairs if "+".join(pair) in pairs),
    )


def _observe_misconceptions_in_relevant_styles(
    assignment: Assignment,
    catalogue: MisconceptionCatalogue,
    pool: ProgramGradingPool,
    report_progress: ProgressCallback,
) -> dict[str, Observed]:
    """Find the wrong parts of each misconception in the plain style, and in every other style that may change them.

    Misconceptions with ``nondeterministic`` are left out.

    Raises:
        CourseFault: the styles or the diagnosis cannot be used, or a misconception uses up the time of a submission.
        KitFault: no process can be started, one ended, or a busy machine's clock stopped experiments every time.
    """
    solution = assignment.solution_file.read_text(encoding="utf-8")
    certain = [one for one in catalogue.misconceptions if not one.nondeterministic]
    plain, *others = (style for style in load_solution_styles(assignment) if style.mistakes)

    def sources(style: AlternativeSolutionStyle, chosen: Iterable[Misconception]) -> dict[tuple[str, str], str]:
        written = {(one.id, style.id): try_apply_style_and_mistakes(style, solution, [one]) for one in chosen}
        return {key: source for key, source in written.items() if source is not None}

    known = pool.observe_misconceptions(sources(plain, certain), report_progress)
    module = load_diagnosis_or_none(assignment)
    chosen = module.style_dependent_parts if module else None
    looks = {one.id: parse_wrong_part_digests(known[one.id][plain.id]) for one in certain}
    styled = [one for one in certain if looks[one.id] and (chosen is None or chosen.issuperset(looks[one.id]))]
    again = {key: source for style in others for key, source in sources(style, styled).items()}
    more = pool.observe_misconceptions(again, report_progress, chosen or ())
    return {name: styles | more.get(name, {}) for name, styles in known.items()}


def map_failed_tests_to_observations(graded_program: GradedSubmission) -> Observed:
    """Return the behaviour that failed tests observed, by the test's id, without tests beyond the contract."""
    return {
        r.spec.id: r.observed_behavior
        for r in graded_program.test_results
        if r.observed_behavior and not r.spec.asks_beyond_contract
    }

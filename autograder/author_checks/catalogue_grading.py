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
from autograder.course.solution_styles import SolutionStyle, load_solution_styles, try_apply_style_and_mistakes
from autograder.diagnosis import Diagnosis, Observed, load_diagnosis_or_none
from autograder.diagnosis.naming.misconception_matching import parse_wrong_part_digests
from autograder.diagnosis.naming.misconception_observations_file import read_observations_if_current
from autograder.grading import GradedSubmission
from autograder.sandbox import SandboxConfig

OpenProgressBar = Callable[[str], AbstractContextManager[ProgressCallback]]
"""Opens a progress bar for one stage of the work."""


@dataclass(frozen=True, slots=True)
class DiagnosedCatalogue:
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
        misconception_by_id = {misconception.id: misconception for misconception in self.catalogue.misconceptions}
        return [misconception_by_id[id_] for id_ in program_name.split("+")]

    def is_named_as_itself(self, program_name: str) -> bool:
        """Return whether the diagnosis has one cause for each misconception of a wrong program, and no other cause.

        Each misconception has to be named by some cause, alone or together with lookalikes.
        """
        misconceptions = self.list_planted_misconceptions(program_name)
        titles_by_cause = [
            {misconception.title for misconception in cause.misconceptions}
            for cause in self.get_diagnosis(program_name).causes
        ]
        return len(titles_by_cause) == len(misconceptions) and all(
            any(misconception.title in cause for cause in titles_by_cause) for misconception in misconceptions
        )

    def is_wrongly_named(self, program_name: str) -> bool:
        """Return whether a wrong program is named as a misconception that it does not have.

        Names of general mistakes do not count. Names are compared by title: two misconceptions with the same title
        have the same name.
        """
        titles = {misconception.title for misconception in self.list_planted_misconceptions(program_name)}
        return any(
            titles.isdisjoint(misconception.title for misconception in cause.misconceptions)
            for cause in self.get_diagnosis(program_name).causes
            if any(misconception.kind == "specific" for misconception in cause.misconceptions)
        )

    def is_named_correctly(self, program_name: str) -> bool:
        """Return whether a wrong program is named, and not wrongly.

        The name may be its own, also together with lookalikes, or that of a general mistake.
        """
        return self.get_diagnosis(program_name).verdict == "named" and not self.is_wrongly_named(program_name)


def grade_catalogue(
    assignment: Assignment,
    sandbox: SandboxConfig,
    open_progress_bar: OpenProgressBar,
    program_sample: ProgramSampler = WHOLE,
) -> DiagnosedCatalogue:
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
    misconception_by_id = {
        misconception.id: misconception for misconception in load_misconception_catalogue(assignment).misconceptions
    }
    paths = {path.stem: path for path in list_alternative_solutions(assignment)}
    right_sources = {name: paths[name].read_text(encoding="utf-8") for name in program_sample.sample_programs(paths)}
    wrong_sources = {
        misconception.id: apply_misconceptions(solution, misconception) for misconception in catalogue.misconceptions
    }
    wrong_sources |= {
        f"{a}+{b}": apply_misconceptions(solution, misconception_by_id[a], misconception_by_id[b])
        for a, b in catalogue.pairs
    }
    with ProgramGradingPool(assignment, sandbox) as pool:
        with open_progress_bar("grading right and wrong programs") as progress:
            graded = pool.grade_programs(right_sources | wrong_sources, progress)
        with open_progress_bar("looking at their parts") as progress:
            observed = _observe_misconceptions_in_relevant_styles(assignment, catalogue, pool, progress)
        stored = {} if program_sample.includes_everything else read_observations_if_current(assignment) or {}
        with open_progress_bar("diagnosing them") as progress:
            diagnoses = pool.diagnose_programs(graded, stored | observed, progress)
    return DiagnosedCatalogue(
        catalogue=catalogue,
        graded_right_programs={name: graded[name] for name in right_sources},
        graded_wrong_programs={name: graded[name] for name in wrong_sources},
        observed_by_failed_tests={
            misconception.id: map_failed_tests_to_observations(graded[misconception.id])
            for misconception in catalogue.misconceptions
            if not misconception.nondeterministic
        },
        observed_misconceptions=observed,
        diagnoses=diagnoses,
    )


def sample_catalogue(catalogue: MisconceptionCatalogue, sampler: ProgramSampler) -> MisconceptionCatalogue:
    """Return a sample of the misconceptions and of their pairs, with all misconceptions of these pairs."""
    pairs = {*sampler.sample_programs("+".join(pair) for pair in catalogue.pairs)}
    ids = {
        *sampler.sample_programs(misconception.id for misconception in catalogue.misconceptions),
        *(id_ for pair in pairs for id_ in pair.split("+")),
    }
    return MisconceptionCatalogue(
        misconceptions=tuple(misconception for misconception in catalogue.misconceptions if misconception.id in ids),
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
    deterministic = [
        misconception for misconception in catalogue.misconceptions if not misconception.nondeterministic
    ]
    plain_style, *other_styles = (style for style in load_solution_styles(assignment) if style.mistakes)

    def make_sources(style: SolutionStyle, misconceptions: Iterable[Misconception]) -> dict[tuple[str, str], str]:
        source_by_key = {
            (misconception.id, style.id): try_apply_style_and_mistakes(style, solution, [misconception])
            for misconception in misconceptions
        }
        return {key: source for key, source in source_by_key.items() if source is not None}

    observed_plain = pool.observe_misconceptions(make_sources(plain_style, deterministic), report_progress)
    module = load_diagnosis_or_none(assignment)
    parts = module.style_dependent_parts if module else None
    parts_by_id = {
        misconception.id: parse_wrong_part_digests(observed_plain[misconception.id][plain_style.id])
        for misconception in deterministic
    }
    dependent = [
        misconception
        for misconception in deterministic
        if parts_by_id[misconception.id] and (parts is None or parts.issuperset(parts_by_id[misconception.id]))
    ]
    styled_sources = {key: source for style in other_styles for key, source in make_sources(style, dependent).items()}
    observed_styled = pool.observe_misconceptions(styled_sources, report_progress, parts or ())
    return {name: styles | observed_styled.get(name, {}) for name, styles in observed_plain.items()}


def map_failed_tests_to_observations(graded_program: GradedSubmission) -> Observed:
    """Return the behaviour that failed tests observed, by the test's id, without tests beyond the contract."""
    return {
        r.spec.id: r.observed_behavior
        for r in graded_program.test_results
        if r.observed_behavior and not r.spec.asks_beyond_contract
    }

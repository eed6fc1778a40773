"""Grade and diagnose an assignment's right and wrong programs in the same way as students' submissions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from autograder.course.solution_styles import PLAIN, load_solution_styles, try_apply_style_and_mistakes
from autograder.diagnosis import Diagnosis, Observed, load_diagnosis_or_none
from autograder.diagnosis.naming.misconception_observations_file import (
    digest_lost_tests,
    read_observations_if_current,
)
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
    observed_misconceptions: dict[str, Observed]
    """What is lost with each misconception without ``nondeterministic``, by its id."""
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
        """Return whether a wrong program is named by the title of one of its misconceptions.

        Names are compared by title: two misconceptions with the same title have the same name.
        """
        titles = {misconception.title for misconception in self.list_planted_misconceptions(program_name)}
        causes = self.get_diagnosis(program_name).causes
        return any(one.title in titles for cause in causes for one in cause.misconceptions)

    def is_wrongly_named(self, program_name: str) -> bool:
        """Return whether a wrong program is named as a misconception that it does not have."""
        return bool(self.get_diagnosis(program_name).causes) and not self.is_named_as_itself(program_name)


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
        with open_progress_bar("grading misconceptions in other styles") as progress:
            observed = _observe_misconceptions(assignment, catalogue, graded, pool, progress)
        stored = {} if program_sample.includes_everything else read_observations_if_current(assignment) or {}
        with open_progress_bar("diagnosing them") as progress:
            diagnoses = pool.diagnose_programs(graded, stored | observed, progress)
    return DiagnosedCatalogue(
        catalogue=catalogue,
        graded_right_programs={name: graded[name] for name in right_sources},
        graded_wrong_programs={name: graded[name] for name in wrong_sources},
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


def _observe_misconceptions(
    assignment: Assignment,
    catalogue: MisconceptionCatalogue,
    graded_by_id: Mapping[str, GradedSubmission],
    pool: ProgramGradingPool,
    report_progress: ProgressCallback,
) -> dict[str, Observed]:
    """Return what is lost with each misconception in the plain style, and in others if there is a diagnosis.

    Misconceptions with ``nondeterministic`` are left out.
    """
    deterministic = [one for one in catalogue.misconceptions if not one.nondeterministic]
    observed = {one.id: {PLAIN: digest_lost_tests(graded_by_id[one.id].test_results)} for one in deterministic}
    if load_diagnosis_or_none(assignment) is None:
        return observed
    solution = assignment.solution_file.read_text(encoding="utf-8")
    styled_sources = {
        f"{one.id} {style.id}": try_apply_style_and_mistakes(style, solution, [one])
        for style in load_solution_styles(assignment)
        if style.mistakes and style.id != PLAIN
        for one in deterministic
    }
    fitting = {name: source for name, source in styled_sources.items() if source is not None}
    for name, graded in pool.grade_programs(fitting, report_progress).items():
        misconception_id, _, style_id = name.partition(" ")
        observed[misconception_id][style_id] = digest_lost_tests(graded.test_results)
    return observed

"""Grade and diagnose an assignment's right and wrong programs as submissions, and check what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, as_completed
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from autograder.author_checks.results import WHOLE, CheckResult, ProgramSampler
from autograder.course import Assignment
from autograder.course.misconceptions import (
    PLAIN,
    Misconception,
    MisconceptionCatalogue,
    apply_misconceptions,
    list_alternative_solutions,
    load_misconception_catalogue,
    load_solution_styles,
    try_apply_style_and_mistakes,
)
from autograder.diagnosis import Diagnosis, Observed, SubmissionDiagnoser, load_diagnosis_or_none
from autograder.diagnosis.diagnoser import diagnose_with_duration
from autograder.diagnosis.naming import SEVERAL_NAMES, digest_lost_tests, read_observations_if_current
from autograder.faults import KitFault
from autograder.grading import GradedSubmission
from autograder.grading.results import HiddenTestResult, HiddenTestSpec
from autograder.sandbox import SandboxConfig
from autograder.submissions import SourceUnit, Submission
from autograder.workers.grading_worker import get_worker_grader
from autograder.workers.local_workers import count_available_processors, make_grading_process_executor
from autograder.workers.worker_processes import start_worker_interpreter

T = TypeVar("T")
ProgressCallback = Callable[[int, int], None]
"""Called with the number of programs done so far, and the number of all programs."""


def make_submission_from_source(name: str, source: str) -> Submission:
    """Make a submission from a program, as if a student had submitted it."""
    return Submission(name, "", ("value.py",), (SourceUnit("value.py", source),))


class ProgramGradingPool:
    """Worker processes, each with a grader of the assignment; to be used in a ``with``."""

    def __init__(self, assignment: Assignment, sandbox: SandboxConfig) -> None:
        self.workers = make_grading_process_executor(
            assignment, sandbox, [start_worker_interpreter] * count_available_processors()
        )

    def grade_programs(
        self, source_by_name: Mapping[str, str], report_progress: ProgressCallback
    ) -> dict[str, GradedSubmission]:
        """Grade every program.

        Args:
            source_by_name: the programs' sources by name.
            report_progress: called after each program.

        Raises:
            CourseFault: the assignment cannot be used.
            KitFault: no process can be started, or one ended.
        """
        tasks = {name: (name, source) for name, source in source_by_name.items()}
        return map_in_workers(self.workers, _grade_in_worker, tasks, report_progress)

    def __enter__(self) -> ProgramGradingPool:
        return self

    def __exit__(self, *_: object) -> None:
        self.workers.shutdown(wait=True, cancel_futures=True)


def map_in_workers(
    workers: Executor,
    function: Callable[..., T],
    tasks: Mapping[str, tuple[Any, ...]],
    report_progress: ProgressCallback,
) -> dict[str, T]:
    """Return what a function gives for the arguments of each task, by the task's name, in the order of the tasks.

    Args:
        workers: call the function.
        function: a function of a module.
        tasks: the arguments by the task's name.
        report_progress: called after each task.

    Raises:
        KitFault: a worker ended.
        Exception: whatever the function raised, or what prepared the worker.
    """
    result_by_name: dict[str, T] = {}
    try:
        names = {workers.submit(function, *arguments): name for name, arguments in tasks.items()}
        for future in as_completed(names):
            result_by_name[names[future]] = future.result()
            report_progress(len(result_by_name), len(tasks))
    except BrokenExecutor as error:
        raise KitFault("a worker process ended", advice="run the same command again") from error
    return {name: result_by_name[name] for name in tasks}


def _grade_in_worker(name: str, source: str) -> GradedSubmission:
    """Grade a program; again, as a batch does, where a busy machine's clock struck."""
    submission = make_submission_from_source(name, source)
    graded = get_worker_grader().grade_submission(submission)
    if graded.has_wall_clock_stop:
        graded = get_worker_grader().grade_submission(submission)
    return replace(graded, pytest_record={})


def _diagnose_in_worker(
    graded: GradedSubmission, observed_misconceptions: Mapping[str, Observed]
) -> tuple[Diagnosis, float]:
    return diagnose_with_duration(SubmissionDiagnoser(get_worker_grader(), observed_misconceptions), graded)


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
    diagnoses: dict[str, tuple[Diagnosis, float]]
    """For every program, by the names above, with how many seconds it took."""

    def get_diagnosis(self, program_name: str) -> Diagnosis:
        """Return the diagnosis of a right or wrong program."""
        return self.diagnoses[program_name][0]

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
    whole_catalogue = load_misconception_catalogue(assignment)
    catalogue = sample_catalogue(whole_catalogue, program_sample)
    solution = assignment.solution_file.read_text(encoding="utf-8")
    by_id = {one.id: one for one in whole_catalogue.misconceptions}
    paths = {path.stem: path for path in list_alternative_solutions(assignment)}
    right_sources = {name: paths[name].read_text(encoding="utf-8") for name in program_sample.sample_programs(paths)}
    wrong_sources = {one.id: apply_misconceptions(solution, one) for one in catalogue.misconceptions}
    wrong_sources |= {f"{a}+{b}": apply_misconceptions(solution, by_id[a], by_id[b]) for a, b in catalogue.pairs}
    with ProgramGradingPool(assignment, sandbox) as pool:
        with open_progress_bar("grading right and wrong programs") as progress:
            graded = pool.grade_programs(right_sources | wrong_sources, progress)
        with open_progress_bar("grading misconceptions in other styles") as progress:
            observed = _observe_misconceptions(assignment, catalogue, graded, pool, progress)
        stored = {} if program_sample.includes_everything else read_observations_if_current(assignment) or {}
        tasks = {name: (one, stored | observed) for name, one in graded.items()}
        with open_progress_bar("diagnosing them") as progress:
            diagnoses = map_in_workers(pool.workers, _diagnose_in_worker, tasks, progress)
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
    ids = {*sampler.sample_programs(one.id for one in catalogue.misconceptions)}.union(
        *(one.split("+") for one in pairs)
    )
    return MisconceptionCatalogue(
        misconceptions=tuple(one for one in catalogue.misconceptions if one.id in ids),
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


Lookalikes = tuple[str, ...]
"""Ids of misconceptions, in the order of the catalogue."""


def find_differently_titled_lookalikes(graded_catalogue: DiagnosedCatalogue) -> list[Lookalikes]:
    """Return groups of misconceptions that are not named because they look the same in everything that is tried.

    A report names a mistake only if all misconceptions that look like it have the same title.
    """
    by_observed: dict[tuple[tuple[str, str], ...], list[Misconception]] = {}
    for one in graded_catalogue.catalogue.misconceptions:
        observed = graded_catalogue.observed_misconceptions.get(one.id, {}).get(PLAIN)
        if observed and graded_catalogue.get_diagnosis(one.id).reason == SEVERAL_NAMES:
            by_observed.setdefault(tuple(sorted(observed.items())), []).append(one)
    groups = [group for group in by_observed.values() if len({one.title for one in group}) > 1]
    return [tuple(one.id for one in group) for group in groups]


def _describe_lookalikes(group: Lookalikes) -> str:
    """Return a sentence on which misconceptions look the same, and what to do about it.

    >>> _describe_lookalikes(("a", "b", "c"))
    'a, b and c look the same in all that is tried: give them one title, or add a test that tells them apart'
    """
    return (
        f"{', '.join(group[:-1])} and {group[-1]} look the same in all that is tried: give "
        f"{'both' if len(group) == 2 else 'them'} one title, or add a test that tells them apart"
    )


FEWEST_NAMED = 0.95
"""The share of misconceptions that must be named as themselves."""


def check_graded_catalogue(
    graded_catalogue: DiagnosedCatalogue,
    test_specs: tuple[HiddenTestSpec, ...],
    *,
    is_whole_catalogue: bool = True,
    was_diagnosed: bool = True,
) -> list[CheckResult]:
    """Return a result for each claim about the graded programs.

    Args:
        graded_catalogue: the graded and diagnosed programs.
        test_specs: the hidden tests.
        is_whole_catalogue: whether all programs were graded. On a sample, claims about shares, and about tests that
            catch nothing, are left out.
        was_diagnosed: whether the assignment has a diagnosis, which can name mistakes.
    """
    right_programs, catalogue = graded_catalogue.graded_right_programs, graded_catalogue.catalogue
    wrong_programs = [
        (name, graded_catalogue.list_planted_misconceptions(name), graded)
        for name, graded in graded_catalogue.graded_wrong_programs.items()
    ]
    results = [
        CheckResult(
            f"every one of {len(right_programs)} right alternatives gets full marks",
            tuple(
                f"{name} loses {loss}"
                for name, graded in right_programs.items()
                for loss in list_disallowed_failures(graded)
            ),
        ),
        CheckResult(
            f"every one of {len(catalogue.misconceptions)} misconceptions and {len(catalogue.pairs)} pairs "
            "loses marks where it is wrong",
            tuple(problem for one in wrong_programs for problem in _check_other_concepts_are_kept(*one)),
        ),
        CheckResult(
            "no misconception loses marks anywhere else",
            tuple(problem for one in wrong_programs for problem in describe_losses_in_other_concepts(*one)),
        ),
        CheckResult("no program is given a wrong name", tuple(_check_no_wrong_names(graded_catalogue))),
        CheckResult("no hidden test fails by a mistake of its own", tuple(_list_own_errors(graded_catalogue))),
    ]
    if not is_whole_catalogue:
        return results
    claim, unnamed = "names are not checked: this assignment has no diagnosis", list[str]()
    if was_diagnosed:
        claim = f"at least {FEWEST_NAMED:.0%} of the misconceptions are named as themselves"
        unnamed = [*_check_share_named(graded_catalogue)]
    return [
        *results,
        CheckResult(claim, tuple(unnamed)),
        CheckResult(
            "every hidden test catches what no other does, or is kept for a reason",
            tuple(_check_every_test_catches_something(graded_catalogue, test_specs)),
        ),
    ]


def list_disallowed_failures(graded_right_program: GradedSubmission) -> list[str]:
    """Return the tests that a right program failed, except those beyond the contract or of a bonus not attempted.

    A look at fresh numbers that it does not pass is added.
    """
    lost_tests = [
        _format_lost_test(result)
        for result in graded_right_program.test_results
        if not _is_allowed_to_fail(result, graded_right_program)
    ]
    fresh_look = graded_right_program.fresh_look
    return [*lost_tests, *([f"fresh_look.py: {fresh_look}"] if fresh_look else [])]


def _list_misconception_ids_by_cause(diagnosis: Diagnosis) -> list[set[str]]:
    """Return the ids of the mistakes that each cause names."""
    return [{misconception.id for misconception in cause.misconceptions} for cause in diagnosis.causes]


def map_tests_to_unique_catches(graded_catalogue: DiagnosedCatalogue) -> dict[str, list[str]]:
    """Return the ids of misconceptions that exactly one test catches, by that test's id."""
    names_by_test: dict[str, list[str]] = {}
    for name, observed in graded_catalogue.observed_misconceptions.items():
        if len(observed[PLAIN]) == 1:
            names_by_test.setdefault(next(iter(observed[PLAIN])), []).append(name)
    return names_by_test


def _is_allowed_to_fail(result: HiddenTestResult, graded: GradedSubmission) -> bool:
    bonus = {concept.name for concept in graded.concept_scores if concept.bonus}
    left_out = result.outcome == "not attempted" and result.spec.concept in bonus
    return result.outcome == "passed" or bool(result.own_error) or result.spec.asks_beyond_contract or left_out


def _format_lost_test(result: HiddenTestResult) -> str:
    return f"{result.spec.id}: {result.outcome}: {result.message}"


def _check_other_concepts_are_kept(name: str, parts: list[Misconception], graded: GradedSubmission) -> list[str]:
    lost_concepts = {concept.name for concept in graded.concept_scores if concept.score < concept.max_score}
    kept_concepts = [concept for part in parts for concept in part.concepts if concept not in lost_concepts]
    return [f"{name} loses nothing in {concept} (write a test that it fails)" for concept in kept_concepts]


def describe_losses_in_other_concepts(
    program_name: str, misconceptions: list[Misconception], graded_program: GradedSubmission
) -> list[str]:
    """Return the tests that a wrong program failed in concepts in which it may lose no marks."""
    allowed = {concept for part in misconceptions for concept in (*part.concepts, *part.may_affect)}
    astray = (
        r
        for r in graded_program.test_results
        if r.outcome != "passed" and not r.own_error and r.spec.concept not in allowed
    )
    return [f"{program_name} loses {_format_lost_test(result)}" for result in astray]


def _check_share_named(population: DiagnosedCatalogue) -> Iterator[str]:
    """Yield the misconceptions that are not named if they are too many, those first that nothing tells apart."""
    ids = [misconception.id for misconception in population.catalogue.misconceptions]
    missed_names = [name for name in ids if not population.is_named_as_itself(name)]
    lookalikes = find_differently_titled_lookalikes(population)
    if len(missed_names) > (1 - FEWEST_NAMED) * len(ids):
        yield from map(_describe_lookalikes, lookalikes)
        for name in (name for name in missed_names if not any(name in group for group in lookalikes)):
            diagnosis = population.get_diagnosis(name)
            named_ids = sorted(set[str]().union(*_list_misconception_ids_by_cause(diagnosis)))
            reason = diagnosis.reason or ", ".join(named_ids) or "the diagnosis sees nothing wrong with it"
            yield f"{name} is not named as itself: {reason}"


def _check_no_wrong_names(population: DiagnosedCatalogue) -> Iterator[str]:
    for name in population.graded_right_programs:
        diagnosis = population.get_diagnosis(name)
        if diagnosis.verdict != "none":
            told = diagnosis.reason or _list_misconception_ids_by_cause(diagnosis)
            yield f"{name} is right, but is diagnosed: {told}"
    for name in population.graded_wrong_programs:
        if population.is_wrongly_named(name):
            yield f"{name} is wrongly named {_list_misconception_ids_by_cause(population.get_diagnosis(name))}"


def _list_own_errors(population: DiagnosedCatalogue) -> Iterator[str]:
    """Yield each error of a test's own lines, with the first program that shows it."""
    program_by_error: dict[str, str] = {}
    for kind, graded_by_name in (
        ("right alternative", population.graded_right_programs),
        ("misconception", population.graded_wrong_programs),
    ):
        for name, graded in graded_by_name.items():
            for result in graded.test_results:
                program_by_error.setdefault(result.own_error, f"{kind} {name}")
    yield from (f"{error} on {program} (fix the test)" for error, program in program_by_error.items() if error)


def _check_every_test_catches_something(
    population: DiagnosedCatalogue, specs: tuple[HiddenTestSpec, ...]
) -> Iterator[str]:
    unique = map_tests_to_unique_catches(population)
    for spec in specs:
        if spec.id not in unique and not spec.reason_redundant_ok and population.observed_misconceptions:
            yield f"{spec.id} catches nothing alone: take it out, or mark it with redundant_ok(why)"
        elif spec.id in unique and spec.reason_redundant_ok:
            yield f"{spec.id} has the marker redundant_ok, and alone catches {unique[spec.id][0]}: take it off"

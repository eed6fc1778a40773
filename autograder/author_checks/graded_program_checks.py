"""Check the graded programs: right ones must get full marks, wrong ones must lose marks and be named correctly."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.author_checks.catalogue_grading import DiagnosedCatalogue
from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.misconception_lookalikes import describe_lookalikes, find_differently_titled_lookalikes
from autograder.course.misconceptions import Misconception
from autograder.course.solution_styles import PLAIN
from autograder.diagnosis import Diagnosis
from autograder.grading import GradedSubmission
from autograder.grading.hidden_test_model import HiddenTestResult, HiddenTestSpec

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
    misconceptions, pairs = graded_catalogue.catalogue.misconceptions, graded_catalogue.catalogue.pairs
    wrong_programs = {
        name: (graded, graded_catalogue.list_planted_misconceptions(name))
        for name, graded in graded_catalogue.graded_wrong_programs.items()
    }
    results = [
        CheckResult(
            f"every one of {len(graded_catalogue.graded_right_programs)} right alternatives gets full marks",
            tuple(
                f"{name} loses {loss}"
                for name, graded in graded_catalogue.graded_right_programs.items()
                for loss in list_disallowed_failures(graded)
            ),
        ),
        CheckResult(
            f"every one of {len(misconceptions)} misconceptions and {len(pairs)} pairs loses marks where it is wrong",
            tuple(
                problem
                for name, (graded, parts) in wrong_programs.items()
                for problem in _check_other_concepts_are_kept(name, parts, graded)
            ),
        ),
        CheckResult(
            "no misconception loses marks anywhere else",
            tuple(
                problem
                for name, (graded, parts) in wrong_programs.items()
                for problem in describe_losses_in_other_concepts(name, parts, graded)
            ),
        ),
        CheckResult("no program is given a wrong name", tuple(_check_no_wrong_names(graded_catalogue))),
        CheckResult("no hidden test fails by a mistake of its own", tuple(_list_own_errors(graded_catalogue))),
    ]
    if not is_whole_catalogue:
        return results
    return [
        *results,
        CheckResult(
            f"at least {FEWEST_NAMED:.0%} of the misconceptions are named as themselves",
            tuple(_check_share_named(graded_catalogue)),
        )
        if was_diagnosed
        else CheckResult("names are not checked: this assignment has no diagnosis", ()),
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
        yield from map(describe_lookalikes, lookalikes)
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

"""Format the report card: what ``autograder check`` measured of an assignment, as a page to publish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.author_checks.catalogue_grading import DiagnosedCatalogue
from autograder.author_checks.comparison_suite_runs import CaughtMisconceptions
from autograder.author_checks.graded_program_checks import (
    describe_losses_in_other_concepts,
    list_disallowed_failures,
    map_tests_to_unique_catches,
)
from autograder.author_checks.misconception_lookalikes import find_differently_titled_lookalikes
from autograder.author_checks.mutation_testing import MutationTestResults
from autograder.author_checks.page_sections_by_assignment import TIMES
from autograder.course import Assignment
from autograder.grading.hidden_test_model import HiddenTestSpec

HEAD = """# Report card

Measurements of the suites, written by `autograder check --update`. Every number comes from running the programs
named here, in the sandbox that students' code runs in; `autograder check` runs them all again and says what changed.
A *misconception* is a wrong program with a name, a *right alternative* is another way to write a right one, and a
*mutant* is the reference solution with one slip of the pen.
"""
SEEDS = (
    "fresh programs and searches are the same for everyone (seed 0), and so is the hash seed of every student "
    "process; `tests/gate/test_chance.py` repeats results 20 times in shuffled order"
)


@dataclass(frozen=True, slots=True)
class AssignmentMeasurements:
    """Everything that was measured of one assignment."""

    assignment: Assignment
    specs: tuple[HiddenTestSpec, ...]
    graded_population: DiagnosedCatalogue
    mutation_results: MutationTestResults
    misconceptions_caught_by_suites: tuple[CaughtMisconceptions, ...]
    seconds_by_stage: dict[str, float]
    """The seconds that each stage of the checks took."""


def get_report_card_path(assignment: Assignment) -> Path:
    """Return the path of the page with the report cards of all assignments of the course."""
    return assignment.course_folder / "docs" / "report-card.md"


def format_report_card_section(measurements: AssignmentMeasurements) -> str:
    """Return the part of the page that is about one assignment."""
    parts = (
        *_format_counts(measurements),
        *_format_concept_lines(measurements),
        *_format_diagnosis_lines(measurements),
        *_format_redundant_tests(measurements),
        *_format_times(measurements),
    )
    return f"## {measurements.assignment.title}\n\n" + "\n".join(parts).strip() + "\n"


def _format_counts(measurements: AssignmentMeasurements) -> Iterator[str]:
    population, mutation_results = measurements.graded_population, measurements.mutation_results
    losing_count = sum(bool(list_disallowed_failures(graded)) for graded in population.graded_right_programs.values())
    caught_names = [
        name
        for name, graded in population.graded_wrong_programs.items()
        if any(concept_score.score < concept_score.max_score for concept_score in graded.concept_scores)
    ]
    single_ids = [misconception.id for misconception in population.catalogue.misconceptions]
    killed_count = sum(bool(loss) for loss in mutation_results.first_lost_test_by_mutant.values())
    reason_count = len(mutation_results.reason_by_equivalent_mutant)
    stray_count = sum(
        len(describe_losses_in_other_concepts(name, population.list_planted_misconceptions(name), graded))
        for name, graded in population.graded_wrong_programs.items()
    )
    pair_count = len(population.catalogue.pairs)
    yield "| what | how many |\n| --- | --- |"
    yield f"| hidden tests | {len(measurements.specs)} |"
    yield f"| right alternatives | {len(population.graded_right_programs)}, of which {losing_count} lose marks |"
    yield f"| misconceptions | {len(single_ids)}, of which {len(set(single_ids) & set(caught_names))} lose marks |"
    yield f"| pairs of them at once | {pair_count}, of which {len(set(caught_names) - set(single_ids))} lose marks |"
    yield f"| marks lost in a concept that is not wrong | {stray_count} tests |"
    yield (
        f"| mutants | {len(mutation_results.first_lost_test_by_mutant)}: {killed_count} lose marks, "
        f"{reason_count} are right for a written reason, "
        f"{len(mutation_results.first_lost_test_by_mutant) - killed_count - reason_count} go unnoticed |"
    )
    yield f"| seeds | {SEEDS} |\n"


def _format_concept_lines(measurements: AssignmentMeasurements) -> Iterator[str]:
    """Yield lines on how many of each concept's misconceptions are caught, here and by other suites."""
    misconceptions = measurements.graded_population.catalogue.misconceptions
    counts_by_suite = {
        suite.name: suite.count_caught_by_concept(misconceptions)
        for suite in measurements.misconceptions_caught_by_suites
    }
    yield "### Caught, concept by concept\n"
    if counts_by_suite:
        yield "The same misconceptions, run through two other suites that were transcribed to the same class:\n"
    yield " | ".join(["| concept", "tests", "misconceptions", "this suite", *counts_by_suite]) + " |"
    yield " | ".join(["| ---", *["---"] * (3 + len(counts_by_suite))]) + " |"
    for concept in measurements.assignment.concepts:
        own_misconceptions = [
            misconception for misconception in misconceptions if concept.name in misconception.concepts
        ]
        test_count = sum(spec.concept == concept.name for spec in measurements.specs)
        caught_count = sum(
            _loses_points_in_concept(misconception.id, concept.name, measurements.graded_population)
            for misconception in own_misconceptions
        )
        suite_counts = (str(counts.get(concept.name, (0, 0))[0]) for counts in counts_by_suite.values())
        cells = [concept.name, str(test_count), str(len(own_misconceptions)), str(caught_count), *suite_counts]
        yield f"| {' | '.join(cells)} |"
    total = len(misconceptions)
    caught_count = sum(
        any(
            _loses_points_in_concept(misconception.id, concept_name, measurements.graded_population)
            for concept_name in misconception.concepts
        )
        for misconception in misconceptions
    )
    rates = [
        caught_count,
        *(len(suite.caught_misconceptions) for suite in measurements.misconceptions_caught_by_suites),
    ]
    shares = (f"{rate} ({rate / total:.0%})" for rate in rates if total)
    yield f"| {' | '.join(['**all**', str(len(measurements.specs)), str(total), *shares])} |\n"


def _loses_points_in_concept(name: str, concept: str, population: DiagnosedCatalogue) -> bool:
    return any(
        c.name == concept and c.score < c.max_score for c in population.graded_wrong_programs[name].concept_scores
    )


def _format_diagnosis_lines(measurements: AssignmentMeasurements) -> Iterator[str]:
    """Yield how many programs were named, which lookalikes have no name, and which programs were not named."""
    population = measurements.graded_population
    single_ids = [misconception.id for misconception in population.catalogue.misconceptions]
    yield "### Diagnosed\n"
    yield "| what | how many |\n| --- | --- |"
    named_count = sum(map(population.is_named_as_itself, single_ids))
    yield f"| misconceptions named as themselves | {named_count} of {len(single_ids)} |"
    yield f"| given a wrong name | {sum(map(population.is_wrongly_named, population.graded_wrong_programs))} |"
    diagnosed_count = sum(
        population.get_diagnosis(name).verdict != "none" for name in population.graded_right_programs
    )
    yield f"| right alternatives that are diagnosed | {diagnosed_count} |\n"
    yield from _format_list(
        "These look the same in all that is tried, under different titles, so none is named as itself:\n",
        map(", ".join, find_differently_titled_lookalikes(population)),
    )
    yield from _format_list("Not named:\n", _describe_unnamed_programs(single_ids, population))


def _describe_unnamed_programs(names: Iterable[str], population: DiagnosedCatalogue) -> Iterator[str]:
    """Yield each wrong program that is not named, with the reason."""
    nondeterministic_ids = {
        misconception.id for misconception in population.catalogue.misconceptions if misconception.nondeterministic
    }
    for name in names:
        if not population.is_named_as_itself(name):
            reason = population.get_diagnosis(name).reason or "only tests beyond the contract see it"
            yield f"{name}: {'it does something else on every run' if name in nondeterministic_ids else reason}"


def _format_list(heading: str, items: Iterable[str]) -> Iterator[str]:
    """Yield a heading, a list of items and an empty line; nothing without items."""
    if lines := [f"- {item}" for item in items]:
        yield from (heading, *lines, "")


def _format_redundant_tests(measurements: AssignmentMeasurements) -> Iterator[str]:
    """Yield how many tests alone catch a misconception, and the tests kept for a stated reason, by that reason."""
    tests_by_reason: dict[str, list[str]] = {}
    for spec in measurements.specs:
        if spec.reason_redundant_ok:
            tests_by_reason.setdefault(spec.reason_redundant_ok, []).append(spec.id)
    unique_tests = map_tests_to_unique_catches(measurements.graded_population)
    yield "### Tests\n"
    yield f"{len(unique_tests)} tests catch a misconception that no other catches. The rest are kept on purpose:\n"
    for reason, tests in tests_by_reason.items():
        yield f"- {reason}: {', '.join(tests)}"
    yield ""


def _format_times(measurements: AssignmentMeasurements) -> Iterator[str]:
    times = sorted(
        timed_diagnosis.seconds
        for timed_diagnosis in measurements.graded_population.diagnoses.values()
        if timed_diagnosis.diagnosis.verdict != "none"
    )
    yield TIMES
    yield from _format_stage_times(measurements.seconds_by_stage)
    if times:
        median = times[len(times) // 2]
        yield f"| one diagnosis | median {median:.2f} s, longest {times[-1]:.2f} s |"
    wrong_diagnoses = [
        measurements.graded_population.diagnoses[name].diagnosis
        for name in measurements.graded_population.graded_wrong_programs
    ]
    shown_count = sum(diagnosis.counterexample is not None for diagnosis in wrong_diagnoses)
    yield f"\nA counterexample was found for {shown_count} of {len(wrong_diagnoses)} wrong programs."


def _format_stage_times(seconds: Mapping[str, float]) -> Iterator[str]:
    yield "| stage | time |\n| --- | --- |"
    yield from (f"| {stage} | {time:.0f} s |" for stage, time in seconds.items())
    yield f"| all | {sum(seconds.values()):.0f} s |"

"""Format the report card: what ``autograder check`` measured of an assignment, as a page to publish."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.author_checks.catalogue_grading import GradedCatalogue
from autograder.author_checks.comparison_suite_runs import CaughtMisconceptions
from autograder.author_checks.graded_program_checks import (
    describe_losses_in_other_concepts,
    list_disallowed_failures,
    list_misconception_ids_by_cause,
    map_tests_to_unique_catches,
)
from autograder.author_checks.misconception_lookalikes import find_unnamed_lookalikes
from autograder.author_checks.mutation_testing import MutationTestResults
from autograder.course import Assignment
from autograder.diagnosis import Diagnosis
from autograder.grading.hidden_test_model import HiddenTestSpec

HEAD = """# Report card

What the author's gate measured, written by `autograder check --update`. Every number comes from running the programs
named here, in the sandbox that students' code runs in; `autograder check` runs them all again and says what changed.
A *misconception* is a wrong program with a name, a *right alternative* is another way to write a right one, and a
*mutant* is the reference solution with one slip of the pen.
"""
SEEDS = (
    "fresh programs and searches are the same for everyone (seed 0), and so is the hash seed of every student "
    "process; `tests/gate/test_chance.py` repeats verdicts 20 times in shuffled order"
)
TIMES = "### Times of the run that wrote this\n"
MARK = "<!-- assignment: {} -->"


@dataclass(frozen=True, slots=True)
class AssignmentMeasurements:
    """Everything that was measured of one assignment."""

    assignment: Assignment
    specs: tuple[HiddenTestSpec, ...]
    graded_population: GradedCatalogue
    mutation_results: MutationTestResults
    misconceptions_caught_by_suites: tuple[CaughtMisconceptions, ...]
    seconds_by_stage: dict[str, float]
    """The seconds that each stage of the checks took."""


def get_report_card_path_of_course(assignment: Assignment) -> Path:
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


def split_page_by_assignment(page: str) -> dict[str, str]:
    """Split a page into its sections, by the assignment's name."""
    pieces = re.split(MARK.format(r"([\w.-]+)") + "\n", page)
    return {name: text.strip() + "\n" for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def join_assignment_sections(section_by_assignment: Mapping[str, str], head: str = HEAD) -> str:
    """Join a head and the sections of all assignments into a page."""
    return head + "".join(f"\n{MARK.format(name)}\n{text}" for name, text in section_by_assignment.items())


def remove_machine_dependent_part(card_section: str) -> str:
    """Return the part of a section that is the same on every machine."""
    return card_section.partition(TIMES)[0]


def _format_counts(measured: AssignmentMeasurements) -> Iterator[str]:
    population, mutation = measured.graded_population, measured.mutation_results
    lost = sum(bool(list_disallowed_failures(graded)) for graded in population.graded_right_programs.values())
    caught = [
        name
        for name, graded in population.graded_wrong_programs.items()
        if any(c.score < c.max_score for c in graded.concept_scores)
    ]
    single = [one.id for one in population.catalogue.misconceptions]
    killed = sum(bool(loss) for loss in mutation.first_lost_test_by_mutant.values())
    reasons = len(mutation.reason_by_equivalent_mutant)
    strays = sum(
        len(describe_losses_in_other_concepts(name, population.list_planted_misconceptions(name), one))
        for name, one in population.graded_wrong_programs.items()
    )
    pairs = len(population.catalogue.pairs)
    yield "| what | how many |\n| --- | --- |"
    yield f"| hidden tests | {len(measured.specs)} |"
    yield f"| right alternatives | {len(population.graded_right_programs)}, of which {lost} lose marks |"
    yield f"| misconceptions | {len(single)}, of which {len(set(single) & set(caught))} lose marks |"
    yield f"| pairs of them at once | {pairs}, of which {len(set(caught) - set(single))} lose marks |"
    yield f"| marks lost in a concept that is not wrong | {strays} tests |"
    yield (
        f"| mutants | {len(mutation.first_lost_test_by_mutant)}: {killed} lose marks, {reasons} are right "
        f"for a written reason, {len(mutation.first_lost_test_by_mutant) - killed - reasons} go unnoticed |"
    )
    yield f"| seeds | {SEEDS} |\n"


def _format_concept_lines(measured: AssignmentMeasurements) -> Iterator[str]:
    """Yield lines on how many of each concept's misconceptions are caught, here and by other suites."""
    misconceptions = measured.graded_population.catalogue.misconceptions
    others = {
        one.name: one.count_caught_by_concept(misconceptions) for one in measured.misconceptions_caught_by_suites
    }
    yield "### Caught, concept by concept\n"
    if others:
        yield "The same misconceptions, run through two other suites that were transcribed to the same class:\n"
    yield " | ".join(["| concept", "tests", "misconceptions", "this suite", *others]) + " |"
    yield " | ".join(["| ---", *["---"] * (3 + len(others))]) + " |"
    for concept in measured.assignment.concepts:
        mine = [one for one in misconceptions if concept.name in one.concepts]
        tests = sum(spec.concept == concept.name for spec in measured.specs)
        caught = sum(_loses_points_in_concept(one.id, concept.name, measured.graded_population) for one in mine)
        theirs = (str(by.get(concept.name, (0, 0))[0]) for by in others.values())
        yield f"| {' | '.join([concept.name, str(tests), str(len(mine)), str(caught), *theirs])} |"
    total = len(misconceptions)
    caught = sum(
        any(_loses_points_in_concept(one.id, c, measured.graded_population) for c in one.concepts)
        for one in misconceptions
    )
    rates = [caught, *(len(one.caught_misconceptions) for one in measured.misconceptions_caught_by_suites)]
    shares = (f"{rate} ({rate / total:.0%})" for rate in rates if total)
    yield f"| {' | '.join(['**all**', str(len(measured.specs)), str(total), *shares])} |\n"


def _loses_points_in_concept(name: str, concept: str, population: GradedCatalogue) -> bool:
    return any(
        c.name == concept and c.score < c.max_score for c in population.graded_wrong_programs[name].concept_scores
    )


def _format_diagnosis_lines(measured: AssignmentMeasurements) -> Iterator[str]:
    """Yield how many programs were named, which lookalikes were named together, and which programs were not named."""
    population = measured.graded_population
    single = [one.id for one in population.catalogue.misconceptions]
    pairs = [f"{a}+{b}" for a, b in population.catalogue.pairs]
    names_by_program = {
        name: _list_names_of_single_cause(population.get_diagnosis(name))
        for name in single
        if population.is_named_as_itself(name)
    }
    groups = sorted({names for names in names_by_program.values() if len(names) > 1})
    alone = sum(len(names) == 1 for names in names_by_program.values())
    yield "### Diagnosed\n"
    yield "| what | how many |\n| --- | --- |"
    yield f"| misconceptions named as themselves | {alone} of {len(single)} |"
    yield f"| named together with what looks the same | {len(names_by_program) - alone}, in {len(groups)} groups |"
    yield f"| named by what is seen of them | {_count_named_by_what_is_seen(single, population)} |"
    both = sum(map(population.is_named_as_itself, pairs))
    yield f"| pairs of which both are named as themselves | {both} of {len(pairs)} |"
    yield f"| pairs named by what is seen of them | {_count_named_by_what_is_seen(pairs, population)} |"
    yield f"| given a wrong name | {sum(map(population.is_wrongly_named, population.graded_wrong_programs))} |"
    diagnosed = sum(population.get_diagnosis(name).verdict != "none" for name in population.graded_right_programs)
    yield f"| right alternatives that are diagnosed | {diagnosed} |\n"
    yield from _format_list("Nothing that a test or a program can see tells these apart:\n", map(", ".join, groups))
    yield from _format_list(
        "These look the same in all that is tried, under different titles, so none is named as itself:\n",
        map(", ".join, find_unnamed_lookalikes(population)),
    )
    yield from _format_list("Not named:\n", _describe_unnamed_programs([*single, *pairs], population))


def _list_names_of_single_cause(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the sorted ids that the only cause of a diagnosis names."""
    [ids] = list_misconception_ids_by_cause(diagnosis)
    return tuple(sorted(ids))


def _count_named_by_what_is_seen(names: Iterable[str], population: GradedCatalogue) -> int:
    """Return how many wrong programs are named, but not as themselves."""
    return sum(
        population.is_named_and_not_wrongly(name) and not population.is_named_as_itself(name) for name in names
    )


def _describe_unnamed_programs(names: Iterable[str], population: GradedCatalogue) -> Iterator[str]:
    """Yield each wrong program that is not named, with the reason."""
    chancy = {one.id for one in population.catalogue.misconceptions if one.nondeterministic}
    for name in names:
        if not population.is_named_and_not_wrongly(name):
            reason = population.get_diagnosis(name).reason or "only tests beyond the contract see it"
            yield f"{name}: {'it does something else on every run' if name in chancy else reason}"


def _format_list(heading: str, items: Iterable[str]) -> Iterator[str]:
    """Yield a heading, a list of items and an empty line; nothing without items."""
    if lines := [f"- {item}" for item in items]:
        yield from (heading, *lines, "")


def _format_redundant_tests(measured: AssignmentMeasurements) -> Iterator[str]:
    """Yield how many tests alone catch a misconception, and the tests kept for a stated reason, by that reason."""
    by_reason: dict[str, list[str]] = {}
    for spec in measured.specs:
        if spec.reason_redundant_ok:
            by_reason.setdefault(spec.reason_redundant_ok, []).append(spec.id)
    unique = map_tests_to_unique_catches(measured.graded_population)
    yield "### Tests\n"
    yield f"{len(unique)} tests catch a misconception that no other catches. The rest are kept on purpose:\n"
    for reason, tests in by_reason.items():
        yield f"- {reason}: {', '.join(tests)}"
    yield ""


def _format_times(measured: AssignmentMeasurements) -> Iterator[str]:
    times = sorted(
        one.seconds for one in measured.graded_population.diagnoses.values() if one.diagnosis.verdict != "none"
    )
    yield TIMES
    yield from _format_stage_times(measured.seconds_by_stage)
    if times:
        middle = times[len(times) // 2]
        yield f"| one diagnosis | median {middle:.2f} s, longest {times[-1]:.2f} s |"
    wrong = [
        measured.graded_population.diagnoses[name].diagnosis
        for name in measured.graded_population.graded_wrong_programs
    ]
    shown = sum(diagnosis.counterexample is not None for diagnosis in wrong)
    yield f"\nA counterexample was found for {shown} of {len(wrong)} wrong programs."


def _format_stage_times(seconds: Mapping[str, float]) -> Iterator[str]:
    yield "| stage | time |\n| --- | --- |"
    yield from (f"| {stage} | {time:.0f} s |" for stage, time in seconds.items())
    yield f"| all | {sum(seconds.values()):.0f} s |"

"""Format what `autograder check` measured as a page, keep generated files up to date, remember what passed."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import distributions
from pathlib import Path

import msgspec

from autograder.author_checks.catalogue import (
    DiagnosedCatalogue,
    describe_losses_in_other_concepts,
    find_differently_titled_lookalikes,
    list_disallowed_failures,
    map_tests_to_unique_catches,
)
from autograder.author_checks.comparison import CaughtMisconceptions
from autograder.author_checks.mutation import MutationTestResults
from autograder.author_checks.results import CheckResult
from autograder.author_checks.typical import get_marks_page_path
from autograder.course import Assignment
from autograder.course.misconceptions import list_misconception_files
from autograder.diagnosis.definition import load_diagnosis_or_none
from autograder.diagnosis.naming import (
    encode_observations_file,
    get_observations_file_path,
    read_observations_if_current,
    without_repeated_styles,
)
from autograder.faults import make_file_fault
from autograder.files import (
    get_cache_file_path,
    list_files_without_tool_caches,
    write_cache_file_and_prune,
    write_file_atomically,
)
from autograder.grading.results import HiddenTestSpec
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.sandbox import SandboxConfig

TIMES = "### Times of the run that wrote this\n"
"""The heading of the part of a section that differs from machine to machine."""
MARK = "<!-- assignment: {} -->"


def split_page_by_assignment(page: str) -> dict[str, str]:
    """Split a page into its sections, by the assignment's name."""
    pieces = re.split(MARK.format(r"([\w.-]+)") + "\n", page)
    return {name: text.strip() + "\n" for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def join_assignment_sections(section_by_assignment: Mapping[str, str], head: str) -> str:
    """Join a head and the sections of all assignments into a page."""
    return head + "".join(f"\n{MARK.format(name)}\n{text}" for name, text in section_by_assignment.items())


def remove_machine_dependent_part(section: str) -> str:
    """Return the part of a section that is the same on every machine."""
    return section.partition(TIMES)[0]


HEAD = """# Report card

Measurements of the suites, written by `autograder check --update`. Every number comes from running the programs
named here, in the sandbox that students' code runs in; `autograder check` runs them all again and says what changed.
A *misconception* is a wrong program with a name, a *right alternative* is another way to write a right one, and a
*mutant* is the reference solution with one slip of the pen. Fresh programs and searches are the same for everyone
(seed 0), and so is the hash seed of every process; `tests/gate/test_chance.py` repeats results in shuffled order.
"""


@dataclass(frozen=True, slots=True)
class AssignmentMeasurements:
    """Everything that was measured of one assignment."""

    assignment: Assignment
    specs: tuple[HiddenTestSpec, ...]
    graded_population: DiagnosedCatalogue
    mutation_results: MutationTestResults
    misconceptions_caught_by_suites: tuple[CaughtMisconceptions, ...]
    seconds: float
    """How long all of that took."""


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
    catalogue, losses = population.catalogue, mutation_results.first_lost_test_by_mutant
    losing_count = sum(bool(list_disallowed_failures(graded)) for graded in population.graded_right_programs.values())
    caught_names = {
        name
        for name, graded in population.graded_wrong_programs.items()
        if any(concept_score.score < concept_score.max_score for concept_score in graded.concept_scores)
    }
    single_ids = {misconception.id for misconception in catalogue.misconceptions}
    killed_count = sum(bool(loss) for loss in losses.values())
    reason_count = len(mutation_results.reason_by_equivalent_mutant)
    stray_count = sum(
        len(describe_losses_in_other_concepts(name, population.list_planted_misconceptions(name), graded))
        for name, graded in population.graded_wrong_programs.items()
    )
    yield "| what | how many |\n| --- | --- |"
    yield f"| hidden tests | {len(measurements.specs)} |"
    yield f"| right alternatives | {len(population.graded_right_programs)}, of which {losing_count} lose marks |"
    yield f"| misconceptions | {len(single_ids)}, of which {len(single_ids & caught_names)} lose marks |"
    if pair_count := len(catalogue.pairs):
        yield f"| pairs of them at once | {pair_count}, of which {len(caught_names - single_ids)} lose marks |"
    yield f"| marks lost in a concept that is not wrong | {stray_count} tests |"
    yield (
        f"| mutants | {len(losses)}: {killed_count} lose marks, {reason_count} are right for a written reason, "
        f"{len(losses) - killed_count - reason_count} go unnoticed |\n"
    )


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
    lost_concepts = {
        name: {one.name for one in graded.concept_scores if one.score < one.max_score}
        for name, graded in measurements.graded_population.graded_wrong_programs.items()
    }
    for concept in measurements.assignment.concepts:
        own = [misconception for misconception in misconceptions if concept.name in misconception.concepts]
        test_count = sum(spec.concept == concept.name for spec in measurements.specs)
        caught_count = sum(concept.name in lost_concepts[misconception.id] for misconception in own)
        suite_counts = (counts.get(concept.name, (0, 0))[0] for counts in counts_by_suite.values())
        cells = [concept.name, *map(str, (test_count, len(own), caught_count, *suite_counts))]
        yield f"| {' | '.join(cells)} |"
    total = len(misconceptions)
    caught_count = sum(not lost_concepts[one.id].isdisjoint(one.concepts) for one in misconceptions)
    suite_counts = (len(suite.caught_misconceptions) for suite in measurements.misconceptions_caught_by_suites)
    shares = (f"{count} ({count / total:.0%})" for count in (caught_count, *suite_counts) if total)
    yield f"| {' | '.join(['**all**', str(len(measurements.specs)), str(total), *shares])} |\n"


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
    lookalikes = find_differently_titled_lookalikes(population)
    yield from _format_list(
        "These look the same in all that is tried, under different titles, so none is named as itself:\n",
        map(", ".join, lookalikes),
    )
    others = [name for name in single_ids if not any(name in group for group in lookalikes)]
    yield from _format_list("Not named:\n", _describe_unnamed_programs(others, population))


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
    """Yield how many tests alone catch a misconception, and how many are kept for each stated reason."""
    reasons = Counter(spec.reason_redundant_ok for spec in measurements.specs if spec.reason_redundant_ok)
    unique_tests = map_tests_to_unique_catches(measurements.graded_population)
    yield "### Tests\n"
    yield f"{len(unique_tests)} tests catch a misconception that no other catches. The rest are `redundant_ok`:\n"
    yield from (f"- {count}: {reason}" for reason, count in reasons.items())
    yield ""


def _format_times(measurements: AssignmentMeasurements) -> Iterator[str]:
    population = measurements.graded_population
    times = sorted(seconds for diagnosis, seconds in population.diagnoses.values() if diagnosis.verdict != "none")
    yield TIMES
    yield f"All checks: {measurements.seconds:.0f} s."
    if times:
        yield f"One diagnosis: median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s."
    shown = [population.get_diagnosis(name).counterexample is not None for name in population.graded_wrong_programs]
    yield f"A counterexample was found for {sum(shown)} of {len(shown)} wrong programs."


SUFFIX = ".proof"
UNUSABLE = (OSError, RuntimeError, msgspec.MsgspecError)
"""Errors for a file that is missing or malformed; ``RuntimeError`` is raised if the user has no home folder."""


class PassedAssignmentCheck(msgspec.Struct, frozen=True):
    """The time at which all claims about an assignment were found to hold, and the number of claims."""

    proven_at: datetime
    claim_count: int


def try_compute_check_cache_key(assignment: Assignment, sandbox: SandboxConfig, check_extent: str) -> str | None:
    """Return a key for the current state of all inputs of the checks; None if a file cannot be read.

    Args:
        assignment: the assignment.
        sandbox: where code is run.
        check_extent: how much is tried: ``quick``, ``whole``, or a description of the sample.

    Returns:
        The assignment's name and 32 hexadecimal digits.
    """
    digest = hashlib.sha256()
    try:
        for part in _iterate_what_decides(assignment, sandbox, check_extent):
            digest.update(f"{len(part)}\0".encode() + part)
    except (OSError, UnicodeError):
        return None
    return f"{assignment.name}-{digest.hexdigest()[:32]}"


def find_passed_check(cache_key: str) -> PassedAssignmentCheck | None:
    """Return the record of an earlier check that passed with the same inputs; None if there is none."""
    try:
        return msgspec.msgpack.decode(
            get_cache_file_path(cache_key + SUFFIX).read_bytes(), type=PassedAssignmentCheck
        )
    except UNUSABLE:
        return None


def cache_passed_check(cache_key: str, claim_count: int) -> None:
    """Remember that all claims hold; if the record cannot be written, do nothing.

    Args:
        cache_key: the key of the inputs; it must be the same before and after the checks.
        claim_count: how many claims were checked.
    """
    with suppress(*UNUSABLE):
        record = PassedAssignmentCheck(datetime.now(UTC).replace(microsecond=0), claim_count)
        write_cache_file_and_prune(get_cache_file_path(cache_key + SUFFIX), msgspec.msgpack.encode(record))


def _iterate_what_decides(assignment: Assignment, sandbox: SandboxConfig, extent: str) -> Iterator[bytes]:
    packages = sorted(f"{package.name} {package.version}" for package in distributions())
    yield from (
        text.encode() for text in (extent, get_kit_version_with_code_digest(), sys.version, sandbox.tier, *packages)
    )
    yield repr(assignment).encode()
    for folder in (assignment.folder, assignment.solution_file.parent, assignment.template_folder):
        for path in list_files_without_tool_caches(folder):
            yield str(path.relative_to(assignment.course_folder)).encode("utf-8", "surrogateescape")
            yield path.read_bytes()
    for page in (get_report_card_path(assignment), get_marks_page_path(assignment)):
        sections = split_page_by_assignment(page.read_text(encoding="utf-8")) if page.is_file() else {}
        yield remove_machine_dependent_part(sections.get(assignment.name, "")).encode()


def check_observations_are_current(assignment: Assignment) -> CheckResult:
    """Compare the hash that is stored with the observations with that of the present files, and run nothing.

    Raises:
        CourseFault: a file cannot be read.
    """
    claim = "misconceptions were observed since the last change of what they depend on"
    if read_observations_if_current(assignment) is not None:
        return CheckResult(claim, ())
    return _find_unwritten_observations(assignment) or CheckResult(claim, _make_outdated_problem(assignment))


def check_sampled_observations(assignment: Assignment, population: DiagnosedCatalogue) -> CheckResult:
    """Compare the observations of a sample of misconceptions with the stored ones."""
    claim = f"{len(population.observed_misconceptions)} misconceptions look as they did when they were observed"
    stored = read_observations_if_current(assignment)
    if load_diagnosis_or_none(assignment) is None:
        return CheckResult(claim, ())
    if stored is None:
        return _find_unwritten_observations(assignment) or CheckResult(claim, _make_outdated_problem(assignment))
    return CheckResult(
        claim,
        tuple(
            f"{name} looks different"
            for name, observed in population.observed_misconceptions.items()
            if name not in stored or without_repeated_styles(observed) != stored[name]
        ),
    )


def check_observations_file(assignment: Assignment, population: DiagnosedCatalogue, *, update: bool) -> CheckResult:
    """Compare the file of observations with those of a whole run; write it first if ``update`` is set."""
    claim = "the observations of misconceptions are up to date"
    path = get_observations_file_path(assignment)
    if load_diagnosis_or_none(assignment) is None or not list_misconception_files(assignment):
        return CheckResult(claim, ())
    text = encode_observations_file(assignment, population.observed_misconceptions)
    if update:
        write_file_atomically(path, text)
    elif unwritten := _find_unwritten_observations(assignment):
        return unwritten
    return CheckResult(claim, () if path.read_bytes() == text else _make_outdated_problem(assignment))


def _find_unwritten_observations(assignment: Assignment) -> CheckResult | None:
    """Return what is said of a file that was never written, which costs only the names; None if there is one."""
    path = get_observations_file_path(assignment)
    if path.exists():
        return None
    advice = f"`autograder check {assignment.name} --update` writes {path.name}"
    return CheckResult(f"mistakes have no names yet ({advice})", ())


def check_generated_page_section(
    subject: str, path: Path, head: str, assignment: Assignment, text: str, *, update: bool
) -> CheckResult:
    """Compare an assignment's section of a generated page with the new text; write it first if ``update`` is set.

    An assignment that has no section yet passes: the page is for publishing, and nothing else reads it.

    Args:
        subject: what the page is called in the claim.
        path: the page.
        head: its text above the first section.
        assignment: the assignment.
        text: its section, as it should be.
        update: whether to write the section.
    """
    try:
        section_by_assignment = split_page_by_assignment(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        section_by_assignment = {}
    except OSError as error:
        raise make_file_fault(error, path) from error
    if update:
        section_by_assignment[assignment.name] = text
        write_file_atomically(path, join_assignment_sections(section_by_assignment, head).encode())
    elif assignment.name not in section_by_assignment:
        claim = (
            f"{subject} is not written yet (`autograder check {assignment.name} --update` writes docs/{path.name})"
        )
        return CheckResult(claim, ())
    kept_part, new_part = map(remove_machine_dependent_part, (section_by_assignment[assignment.name], text))
    return CheckResult(
        f"{subject} is up to date",
        () if kept_part == new_part else _make_outdated_problem(assignment, f"docs/{path.name}"),
    )


def _make_outdated_problem(assignment: Assignment, name: str = "observations.json") -> tuple[str]:
    return (f"{name} is out of date: run `autograder check {assignment.name} --update`, and look at what changes",)

"""Compare the generated files of an assignment with what was measured, or write them anew."""

from __future__ import annotations

from pathlib import Path

from autograder.atomic_file_writing import write_file_atomically
from autograder.author_checks.catalogue_grading import DiagnosedCatalogue
from autograder.author_checks.check_result import CheckResult
from autograder.author_checks.page_sections_by_assignment import (
    join_assignment_sections,
    remove_machine_dependent_part,
    split_page_by_assignment,
)
from autograder.course import Assignment
from autograder.course.misconceptions import list_misconception_files
from autograder.diagnosis.diagnosis_module_loading import load_diagnosis_or_none
from autograder.diagnosis.naming.misconception_observations_file import (
    encode_observations_file,
    get_observations_file_path,
    read_observations_if_current,
    without_repeated_styles,
)
from autograder.faults import make_file_fault


def check_observations_are_current(assignment: Assignment) -> CheckResult:
    """Compare the hash that is stored with the observations with that of the present files, and run nothing.

    Raises:
        CourseFault: a file cannot be read.
    """
    claim = "misconceptions were observed since the last change of what they depend on"
    if load_diagnosis_or_none(assignment) is None or read_observations_if_current(assignment) is not None:
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

"""Find lookalikes: misconceptions that cannot be named because they look the same and have different titles."""

from __future__ import annotations

import warnings

from autograder.author_checks.catalogue_grading import DiagnosedCatalogue
from autograder.course import Assignment
from autograder.course.solution_styles import PLAIN
from autograder.diagnosis import Diagnosis
from autograder.diagnosis.naming.misconception_observations_file import get_observations_file_path
from autograder.faults import CourseWarning

Lookalikes = tuple[str, ...]
"""Ids of misconceptions, in the order of the catalogue."""


def find_differently_titled_lookalikes(graded_catalogue: DiagnosedCatalogue) -> list[Lookalikes]:
    """Return groups of misconceptions that are not named because they look the same in everything that is tried.

    A report names a mistake only if all misconceptions that look like it have the same title.
    """
    names_by_observed: dict[str, list[str]] = {}
    title_by_id: dict[str, str] = {}
    for misconception in graded_catalogue.catalogue.misconceptions:
        title_by_id[misconception.id] = misconception.title
        observed = graded_catalogue.observed_misconceptions.get(misconception.id, {}).get(PLAIN)
        if misconception.nondeterministic or not observed:
            continue
        if not _is_named(misconception.title, graded_catalogue.diagnoses[misconception.id].diagnosis):
            names_by_observed.setdefault(observed, []).append(misconception.id)
    return [tuple(group) for group in names_by_observed.values() if len({title_by_id[name] for name in group}) > 1]


def describe_lookalikes(group: Lookalikes) -> str:
    """Return a sentence on which misconceptions look the same, and what to do about it.

    >>> describe_lookalikes(("a", "b", "c"))
    'a, b and c look the same in all that is tried: give them one title, or add an operation that tells them apart'
    """
    return (
        f"{', '.join(group[:-1])} and {group[-1]} look the same in all that is tried: give "
        f"{'both' if len(group) == 2 else 'them'} one title, or add an operation that tells them apart"
    )


def warn_of_lookalikes(assignment: Assignment, graded_catalogue: DiagnosedCatalogue, *, update: bool) -> None:
    """Warn of misconceptions that cannot be told apart, if what is seen of them has a general name.

    Without such a name, the check of named misconceptions reports them. Written observations show that the author has
    seen the warning, unless they are about to be written again; the report card lists the groups.
    """
    if get_observations_file_path(assignment).is_file() and not update:
        return
    for group in find_differently_titled_lookalikes(graded_catalogue):
        if all(graded_catalogue.diagnoses[name].diagnosis.verdict == "named" for name in group):
            warnings.warn(f"{assignment.name}: {describe_lookalikes(group)}", CourseWarning, stacklevel=3)


def _is_named(title: str, diagnosis: Diagnosis) -> bool:
    return any(title == misconception.title for cause in diagnosis.causes for misconception in cause.misconceptions)

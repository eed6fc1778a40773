"""Find lookalikes: misconceptions that cannot be named because they look the same and have different titles."""

from __future__ import annotations

from autograder.author_checks.catalogue_grading import DiagnosedCatalogue
from autograder.course.solution_styles import PLAIN
from autograder.diagnosis.naming.mistake_naming import SEVERAL_NAMES

Lookalikes = tuple[str, ...]
"""Ids of misconceptions, in the order of the catalogue."""


def find_differently_titled_lookalikes(graded_catalogue: DiagnosedCatalogue) -> list[Lookalikes]:
    """Return groups of misconceptions that are not named because they look the same in everything that is tried.

    A report names a mistake only if all misconceptions that look like it have the same title.
    """
    names_by_observed: dict[tuple[tuple[str, str], ...], list[str]] = {}
    title_by_id: dict[str, str] = {}
    for misconception in graded_catalogue.catalogue.misconceptions:
        title_by_id[misconception.id] = misconception.title
        observed = graded_catalogue.observed_misconceptions.get(misconception.id, {}).get(PLAIN)
        if observed and graded_catalogue.diagnoses[misconception.id].diagnosis.reason == SEVERAL_NAMES:
            names_by_observed.setdefault(tuple(sorted(observed.items())), []).append(misconception.id)
    return [tuple(group) for group in names_by_observed.values() if len({title_by_id[name] for name in group}) > 1]


def describe_lookalikes(group: Lookalikes) -> str:
    """Return a sentence on which misconceptions look the same, and what to do about it.

    >>> describe_lookalikes(("a", "b", "c"))
    'a, b and c look the same in all that is tried: give them one title, or add a test that tells them apart'
    """
    return (
        f"{', '.join(group[:-1])} and {group[-1]} look the same in all that is tried: give "
        f"{'both' if len(group) == 2 else 'them'} one title, or add a test that tells them apart"
    )

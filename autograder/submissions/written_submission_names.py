"""Find a submission by any name that people or the gradebook write for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from autograder.formula_injection import neutralize_formula
from autograder.safe_text import escape_name_unambiguously
from autograder.submissions.origin import SubmissionOrigin


class SubmissionWithOrigin(Protocol):
    """A submission, on the disk or in the store."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def path(self) -> Path:
        """Return where it lies."""

    @property
    def origin(self) -> SubmissionOrigin | None:
        """Return where it came from; None if that is unknown."""


S = TypeVar("S", bound=SubmissionWithOrigin)


def format_name_for_gradebook(name: str) -> str:
    r"""Return a name as the gradebook writes it.

    >>> format_name_for_gradebook("=a\nb")
    "'=a\\nb"
    """
    return neutralize_formula(escape_name_unambiguously(name))


def map_written_names_to_submissions(submissions: Sequence[S]) -> dict[str, S]:
    """Map every name that people may use for a submission to it; a submission's own name goes first."""
    ways: tuple[Callable[[S], str], ...] = (
        lambda one: one.name,
        lambda one: escape_name_unambiguously(one.name),
        lambda one: one.path.name,
        lambda one: format_name_for_gradebook(one.name),
    )
    found: dict[str, S] = {}
    for way in ways:
        for one in submissions:
            found.setdefault(way(one), one)
    return found


def map_written_forms_to_names(names: Sequence[str]) -> dict[str, str]:
    """Map every form in which one of these names may be written to the name; a name itself goes first."""
    found = {name: name for name in names}
    for form in (escape_name_unambiguously, format_name_for_gradebook):
        for name in names:
            found.setdefault(form(name), name)
    return found

"""Define one student's submission as text."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """A piece of source that runs as a whole: a Python file, or one code cell of a notebook."""

    name: str
    """What a message calls it: ``value.py``, or ``code cell 3`` for the third from the top, empty ones counted."""
    source: str
    has_solution_tag: bool = False
    """Whether it is a cell that its author tagged ``solution``."""
    given: bool = False
    """Whether it is the assignment's given code, and not the student's."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What one student handed in."""

    id: str
    """Names the submission within its batch."""
    sha256: str
    """Over the bytes handed in; what a result is keyed by."""
    files: tuple[str, ...]
    """What was read, relative to the submission."""
    units: tuple[SourceUnit, ...]
    """What is run, in this order."""
    modules: dict[str, str] = field(default_factory=dict)
    """Other Python files handed in beside it, importable by name."""
    notes: tuple[str, ...] = ()
    """What the student and the staff should know about how it was read."""
    given_names: tuple[str, ...] = ()
    """The classes and functions of the given code that runs with it."""


class UngradableSubmission(Exception):
    """A submission that cannot be graded as it is; the student's to mend.

    Attributes:
        reason: a stable key, such as ``not-a-notebook``.
        message: what is wrong and what to do, for the student.
        sha256: over the bytes handed in, as far as they could be read.
        files: the files that were looked at.
    """

    def __init__(self, reason: str, message: str, *, sha256: str = "", files: tuple[str, ...] = ()) -> None:
        super().__init__(reason, message)
        self.reason = reason
        self.message = message
        self.sha256 = sha256
        self.files = files

"""Define one student's submission as text."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SourceUnit:
    """A piece of source that runs as a whole: a Python file, or one code cell of a notebook."""

    name: str
    """The name in messages: ``value.py``, or ``code cell 3`` for the third from the top, including empty ones."""
    source: str
    has_solution_tag: bool = False
    """Whether it is a cell that its author tagged ``solution``."""
    given: bool = False
    """Whether it is the assignment's given code, and not the student's."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One student's or group's submission."""

    id: str
    """Names the submission within its batch."""
    sha256: str
    """The digest of the submitted bytes, by which results are found."""
    files: tuple[str, ...]
    """The files that were read, as paths within the submission."""
    units: tuple[SourceUnit, ...]
    """The source to run, in this order."""
    modules: dict[str, str] = field(default_factory=dict)
    """The other submitted Python files, which can be imported by name."""
    notes: tuple[str, ...] = ()
    """Notes for the student and the staff on how it was read."""
    unread_definitions: tuple[str, ...] = ()
    """Sentences on text cells that hold what the code cells should define."""
    given_names: tuple[str, ...] = ()
    """The classes and functions of the given code that runs with it."""


class UngradableSubmission(Exception):
    """A submission cannot be graded as it is; the student has to fix it.

    Attributes:
        reason: a stable key, such as ``not-a-notebook``.
        message: what is wrong and what to do, for the student.
        sha256: the digest of the submitted bytes, as far as they could be read.
        files: the files that were looked at.
    """

    def __init__(self, reason: str, message: str, *, sha256: str = "", files: tuple[str, ...] = ()) -> None:
        super().__init__(reason, message)
        self.reason = reason
        self.message = message
        self.sha256 = sha256
        self.files = files

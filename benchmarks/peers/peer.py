"""What the benchmark asks of a grader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from autograder.course import Assignment
from benchmarks.measure import Command

Kind = Literal["kit", "peer", "floor"]


@dataclass(frozen=True, slots=True)
class Job:
    """Submissions to grade."""

    assignment: Assignment
    course: Path
    """The folder that holds ``grading.yml``."""
    submissions: Sequence[Path]
    """All in one folder, and nothing else there."""
    scratch: Path
    """A folder of the peer's own; empty at first."""
    at_once: int
    """How many processors it may keep busy."""


class Peer(Protocol):
    """A grader that is measured.

    Attributes:
        name: for the table.
        kind: whether it is what the others are compared with.
        warm: whether one process grades many submissions; else there is one for each.
    """

    name: str
    kind: Kind
    warm: bool

    def commands(self, job: Job) -> Sequence[Command]:
        """What to run, ``at_once`` at a time; what is written beforehand is not measured."""

    def shares(self, job: Job) -> Sequence[float]:
        """The share of the full marks that each submission got; read afterwards."""

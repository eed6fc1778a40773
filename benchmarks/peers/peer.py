"""What the benchmark asks of a grader."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

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
    with_bonus: bool = True
    """Whether the tests of bonus concepts count in the shares."""


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
        """Return what to run, ``at_once`` at a time; what is written beforehand is not measured."""

    def shares(self, job: Job) -> Mapping[str, float]:
        """Return the share of the full marks that submissions got, by their names without ``.py``; read afterwards.

        Submissions without a result are left out.
        """


def read_result(path: Path) -> Any:
    """Return what a grader wrote as JSON, or None where it did not come to its end."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None

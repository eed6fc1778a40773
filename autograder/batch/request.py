"""Say how a class is to be graded: by what, where, with which workers, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.batch.local_workers import open_local_workers
from autograder.batch.location import BatchLocation
from autograder.batch.summary import Progress
from autograder.batch.tasks import OpenWorkers
from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.sandbox import Sandbox
from autograder.store.assignment_change import RegradePlan


@dataclass(frozen=True, slots=True)
class Regraded:
    """A submission with the report of an earlier version, and the new one, both as its student gets them."""

    name: str
    before: ScoreReport
    after: ScoreReport
    plan: RegradePlan
    """What was done anew, and why."""


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """How a class is graded, whoever belongs to it."""

    assignment: Assignment
    sandbox: Sandbox
    """Where the students' code runs."""
    place: BatchLocation
    """Gets ``reports/``, ``raw/`` and ``gradebook.csv``, and keeps the results."""
    open_workers: OpenWorkers = open_local_workers
    """Where to grade; one process a processor of this machine by default."""
    progress: Progress = lambda done: None
    """Told of every submission once."""
    regraded: Callable[[Regraded], None] = lambda one: None
    """Told of every new result of a submission that had an earlier one."""

"""Say how a class is to be graded: by what, where, with which workers, and who is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.batch.batch_location import BatchLocation
from autograder.batch.batch_summary import ResultCallback
from autograder.batch.mark_changes import RegradedReportPair
from autograder.course import Assignment
from autograder.sandbox import SandboxConfig
from autograder.workers.grading_tasks import OpenWorkers
from autograder.workers.local_workers import open_local_workers


@dataclass(frozen=True, slots=True)
class BatchSetup:
    """How a class is graded, whoever belongs to it."""

    assignment: Assignment
    sandbox: SandboxConfig
    """Where the students' code runs."""
    location: BatchLocation
    """Gets ``reports/``, ``raw/`` and ``gradebook.csv``, and keeps the results."""
    open_workers: OpenWorkers = open_local_workers
    """Where to grade; one process a processor of this machine by default."""
    on_result: ResultCallback = lambda done: None
    """Told of every submission once."""
    on_regraded: Callable[[RegradedReportPair], None] = lambda one: None
    """Told of every new result of a submission that had an earlier one."""

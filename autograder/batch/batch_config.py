"""Describe how to grade a class: assignment, sandbox, output location, workers and callbacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.batch.batch_location import BatchLocation
from autograder.batch.batch_summary import ResultCallback
from autograder.batch.class_explanations import ExplainedCallback
from autograder.batch.mark_changes import RegradedReportPair
from autograder.course import Assignment
from autograder.sandbox import SandboxConfig
from autograder.workers.grading_tasks import WorkersOpener
from autograder.workers.local_workers import open_local_workers


@dataclass(frozen=True, slots=True)
class BatchConfig:
    """How to grade a class, independent of its submissions."""

    assignment: Assignment
    sandbox: SandboxConfig
    """The sandbox for students' code."""
    location: BatchLocation
    """Gets ``reports/``, ``raw/`` and ``gradebook.csv``, and keeps the results."""
    open_workers: WorkersOpener = open_local_workers
    """Starts the workers; by default, one process per processor of this machine."""
    on_result: ResultCallback = lambda done: None
    """Called once for every submission."""
    on_regraded: Callable[[RegradedReportPair], None] = lambda one: None
    """Called for every submission that gets another result than the one that counted before, new or stored."""
    explains: bool = False
    """Whether the repairs of wrong submissions are looked for, once all have their marks."""
    on_explained: ExplainedCallback = lambda explained: None
    """Called for every submission whose repair was looked for."""

"""Define the tasks that go to workers, their results, and who takes them; a worker may be on another machine."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Assignment
from autograder.diagnosis.model import Diagnosis
from autograder.repair.sharing import SharedRepair
from autograder.reports import ScoreReport
from autograder.sandbox import SandboxConfig
from autograder.store.results.result_model import PackedResult
from autograder.submissions import UngradableSubmission
from autograder.submissions.submission_files import RawSubmission


@dataclass(frozen=True, slots=True)
class GradingExecutor:
    """An executor whose workers are ready to grade, and how many tasks to hand it at once.

    The function that opened it closes it.

    Local processes and a cluster have this interface in common: ``run_tasks`` submits
    ``grade_task`` and a task to the executor, and waits for the future.
    """

    executor: Executor
    get_concurrency: Callable[[], int]
    """How many tasks should be handed out at this moment; a cluster may grow."""


@dataclass(frozen=True, slots=True)
class GradingTask:
    """One submission to grade."""

    name: str
    path: Path
    problem: str = ""
    """Why nothing can be read there; see ``SubmissionEntry``."""
    raw_submission: RawSubmission | UngradableSubmission | None = None
    """The files, or why they could not be read, for a worker without access to ``path``; None if it has access."""
    runs_last_and_alone: bool = False
    """Whether to grade it after all others, alone, because it hit a wall-clock limit before."""
    explains: bool = False
    """Whether a repair is looked for later, once there are marks."""
    unexplained_report: bytes = b""
    """Its report, packed, if only its repair is to be looked for; empty if it is to be graded."""
    known_repair: SharedRepair | None = None
    """The repair of a program with the same code, which is tried first."""


@dataclass(frozen=True, slots=True)
class GradingTaskResult:
    """The outcome of a task."""

    name: str
    score: float = 0.0
    status: str = ""
    grader_errors: int = 0
    misconceptions: tuple[str, ...] = ()
    """Titles of the mistakes that are named."""
    seconds: float = 0.0
    """How long grading took."""
    was_reused: bool = False
    """Whether an earlier result was reused unchanged."""
    packed_result: PackedResult | None = None
    """The result in packed form, for the store; None if there is none."""
    kit_failure: str = ""
    """Set when the kit failed, and there is no report."""
    is_provisional: bool = False
    """Whether a wall-clock limit was hit while it was graded."""
    will_be_retried: bool = False
    """Whether it is graded once more in this batch, for that reason."""
    program_key: str = ""
    """The same for programs with the same code and outcomes; empty if no repair is looked for."""
    explained: Diagnosis | None = None
    """The diagnosis with its repair, if that was the task; None if the kit failed."""
    shared_repair: SharedRepair | None = None
    """The same, for programs with the same code."""
    course_problem: str = ""
    """Why the course's own files allowed no diagnosis; empty if they did."""


TaskFunction = Callable[[GradingTask], GradingTaskResult]
"""The function that processes a task; ``grade_task``, except in tests."""


WorkersOpener = Callable[[Assignment, SandboxConfig], AbstractContextManager[GradingExecutor]]
"""Starts workers for an assignment, and stops them at the end of the ``with``."""


def make_task_result(
    name: str,
    report: ScoreReport,
    seconds: float,
    packed_result: PackedResult | None = None,
    *,
    was_reused: bool = False,
) -> GradingTaskResult:
    """Return the task result for a report.

    Args:
        name: the name of the submission.
        report: its report.
        seconds: how long the task took.
        packed_result: the same result in packed form, for the store; None if it is stored already.
        was_reused: whether the report was there already.
    """
    return GradingTaskResult(
        name,
        report.score,
        report.status.outcome,
        report.grader_error_count,
        tuple(
            " or ".join(dict.fromkeys(misconception.title for misconception in cause.misconceptions))
            for cause in report.diagnosis.causes
        ),
        seconds,
        was_reused,
        packed_result,
        is_provisional=report.status.provisional,
    )


def sum_processing_seconds(report: ScoreReport) -> float:
    """Return how many seconds it took to grade and diagnose a submission, when that was done."""
    return report.timing.seconds.get("total", 0.0) + report.timing.seconds.get("diagnosis", 0.0)

"""Work for workers, other than grading: what a submission's grading might do to them. Imported by them too."""

from __future__ import annotations

import os
import signal
import time

from autograder.workers.grading_tasks import GradingTask, GradingTaskResult


def says_where(task: GradingTask) -> GradingTaskResult:
    """Take a moment, and name the Dask worker by its process id."""
    time.sleep(0.05)
    return GradingTaskResult(task.name, status=str(os.getppid()))


def ends_its_process(task: GradingTask) -> GradingTaskResult:
    """Harm the process that grades, if the task's name is ``killer``."""
    if task.name == "killer":
        os.kill(os.getpid(), signal.SIGKILL)
    return GradingTaskResult(task.name, status="graded")


def ends_its_worker(task: GradingTask) -> GradingTaskResult:
    """Harm the Dask worker, if the task's name is ``killer``."""
    if task.name == "killer":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(30)
    return GradingTaskResult(task.name, status="graded")


def never_ends(task: GradingTask) -> GradingTaskResult:
    """Hang, if the task's name is ``endless``."""
    if task.name == "endless":
        time.sleep(60)
    return GradingTaskResult(task.name, status="graded")


def breaks(task: GradingTask) -> GradingTaskResult:
    """A mistake of the kit's own."""
    raise ValueError("a mistake of the kit's own")

"""Work for workers, other than grading: what a submission's grading might do to them. Imported by them too."""

from __future__ import annotations

import os
import signal
import time

from autograder.batch.work import Done, Task


def says_where(task: Task) -> Done:
    """Take a moment, and name the Dask worker by its process id."""
    time.sleep(0.05)
    return Done(task.name, status=str(os.getppid()))


def ends_its_process(task: Task) -> Done:
    """Harm the process that grades, if the task's name is ``killer``."""
    if task.name == "killer":
        os.kill(os.getpid(), signal.SIGKILL)
    return Done(task.name, status="graded")


def ends_its_worker(task: Task) -> Done:
    """Harm the Dask worker, if the task's name is ``killer``."""
    if task.name == "killer":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(30)
    return Done(task.name, status="graded")


def never_ends(task: Task) -> Done:
    """Hang, if the task's name is ``endless``."""
    if task.name == "endless":
        time.sleep(60)
    return Done(task.name, status="graded")


def breaks(task: Task) -> Done:
    """A mistake of the kit's own."""
    raise ValueError("a mistake of the kit's own")

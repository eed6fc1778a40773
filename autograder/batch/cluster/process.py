"""Grade in a process beside a Dask worker, one submission at a time.

The Dask worker itself does not grade: pytest wants a main thread to itself, a grader hides its memory in a way that
Dask's own measuring cannot bear, and what kills a grader must not take the worker along. The process is not one of
``multiprocessing``'s either: under its nanny, a Dask worker is a process that may not have any of those.
"""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing.connection import Connection, Pipe
from typing import Any

from autograder.batch.cluster.standard import Standard, meet
from autograder.batch.local import SAFE_PATH
from autograder.batch.work import Done, Task, Work
from autograder.batch.worker import open_worker, opened
from autograder.faults import Fault, KitFault

IDLE_SECONDS = 600.0
"""After which a process without work ends: a coordinator that was killed leaves nothing behind for long."""
OPENING_SECONDS = 300.0


class Ended(Exception):
    """The process is gone, or was ended because it took too long; says how."""


class GradingProcess:
    """Grades here what it is handed, from any thread, one at a time; started when it is needed."""

    def __init__(self, standard: Standard, patience: float) -> None:
        """Prepare a process; do not start it yet.

        Args:
            standard: the standard that the process must meet.
            patience: seconds after which a submission's grading is given up.
        """
        self._standard = standard
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Connection[Any, Any] | None = None
        self._over = False

    def open(self) -> str:
        """Start the process, if there is none.

        Returns:
            Why the process must not grade; empty when it may.

        Raises:
            Ended: the process ended before it could say so.
        """
        if self._process is not None and self._process.poll() is None:
            return ""
        self._clear()
        if self._over:
            raise Ended("the batch is over")
        self._line, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-m", __name__, str(theirs.fileno())]
            environment = {**os.environ, SAFE_PATH: "1"}  # a worker may have been started among submissions
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], env=environment
            )
        refusal: str = self._answer(self._standard, OPENING_SECONDS)
        if refusal:
            self._clear()
        return refusal

    def grade(self, work: Work, task: Task) -> Done:
        """Let the process do ``work`` on ``task``.

        Raises:
            Ended: the process ended, and with it this attempt.
            KitFault: the process must not grade.
        """
        refusal = self.open()
        if refusal:
            raise KitFault(refusal)
        done: Done = self._answer((work, task), self._patience)
        return done

    def close(self) -> None:
        """End the process for good; a thread that waits for its answer is told that it ended."""
        self._over = True
        process = self._process  # another thread may be at it too
        if process is not None:
            process.kill()
            process.wait()

    def _clear(self) -> None:
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._line = self._process = None

    def _answer(self, message: object, seconds: float) -> Any:
        assert self._line is not None
        assert self._process is not None
        try:
            self._line.send(message)
            if self._line.poll(seconds):
                return self._line.recv()
            how = f"no answer in {seconds:g} s"
        except (EOFError, OSError):
            how = f"exit code {self._process.wait()}"
        self._clear()
        raise Ended(how)


def main() -> None:
    """Run the process: open the suite, say whether this process may grade, then grade what it is handed."""
    number = int(sys.argv[1])
    os.set_inheritable(number, False)
    line: Connection[Any, Any] = Connection(number)
    standard = line.recv()
    try:
        open_worker(*meet(standard), None)
        opened()
    except Fault as fault:
        line.send(str(fault))
        return
    line.send("")
    while line.poll(IDLE_SECONDS):
        try:
            work, task = line.recv()
        except EOFError:
            return
        line.send(_done(work, task))


def _done(work: Work, task: Task) -> Done:
    try:
        return work(task)
    except Exception as error:  # whatever it is, it is not the student's
        return Done(task.name, failure=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()

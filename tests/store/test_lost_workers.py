"""Workers of this machine end in the midst of a batch: whatever can be graded is, and as it would have been."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from autograder.batch.grading_tasks import GradingTask, GradingTaskResult, OpenWorkers, WorkerPool
from autograder.batch.local_workers import open_local_workers
from autograder.batch.task_scheduler import GIVEN_UP, run_tasks
from autograder.cli.shared_options import EXIT_INTERRUPTED
from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.sandbox import Sandbox
from tests.batch import calls
from tests.batch.gone import is_gone
from tests.store.conftest import RIGHT, Toy
from tests.store.test_accidents import AUTOGRADER, below

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 60


class _Deadly(Executor):
    """Passes tasks to workers, which end over some of them."""

    def __init__(self, workers: Executor, folder: Path, times: int) -> None:
        self._workers, self._folder, self._times = workers, folder, times

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return self._workers.submit(calls.grade_or_end, self._folder, self._times, function, *arguments)


@pytest.fixture
def ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], OpenWorkers]:
    """Opens two workers, which end over ``frank`` so many times."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for tests.batch.calls
    (tmp_path / "met").mkdir()

    def over(times: int) -> OpenWorkers:
        @contextmanager
        def opened(assignment: Assignment, sandbox: Sandbox) -> Iterator[WorkerPool]:
            with open_local_workers(assignment, sandbox, 2) as workers:
                yield WorkerPool(_Deadly(workers.executor, tmp_path / "met", times), workers.get_concurrency)

        return opened

    return over


def test_a_submission_whose_workers_are_killed_twice_gets_the_report_it_would_have_got(
    toy: Toy, ending: Callable[[int], OpenWorkers]
) -> None:
    summary = toy.batch("again", open_workers=ending(2))
    assert summary.failures == []
    assert toy.reports("again") == toy.reports("out")
    assert toy.gradebook("again") == toy.gradebook("out")


def test_a_submission_that_ends_three_workers_is_named_and_all_others_are_graded(
    toy: Toy, ending: Callable[[int], OpenWorkers]
) -> None:
    summary = toy.batch("again", open_workers=ending(3))
    assert [(done.name, done.kit_failure) for done in summary.failures] == [("frank", GIVEN_UP)]
    others = toy.reports("out")
    del others["frank"]
    assert toy.reports("again") == others


def test_where_workers_cannot_open_the_suite_the_batch_ends_and_says_so(toy: Toy) -> None:
    toy.change(toy.hidden / "test_counting.py", "import pytest\n", "import pytest\nimport nothing_of_that_name\n")
    open_workers = partial(open_local_workers, toy.assignment, toy.sandbox, 2)
    with pytest.raises(CourseFault, match="nothing_of_that_name"):
        list(run_tasks(iter([GradingTask("alice", toy.students / "alice.py")]), open_workers))


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_batch_that_is_asked_to_stop_leaves_no_worker_and_goes_on_where_it_was(toy: Toy, number: int) -> None:
    toy.hand_in(**{f"s{count:02}": f"import time; time.sleep(0.05)\n{RIGHT}# {count}\n" for count in range(40)})
    command: list[str | Path] = [AUTOGRADER, "batch", "counter", toy.students, "--out", toy.root / "stopped"]
    command += ["--course", toy.root, "--tier", toy.sandbox.tier, "--allow-unsafe"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + SECONDS
    while not any((toy.root / "stopped").glob("reports/*.json")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    started = below(running.pid)
    if number == signal.SIGINT:
        os.killpg(running.pid, number)  # as a terminal does
    else:
        running.send_signal(number)
    _, said = running.communicate(timeout=SECONDS)
    assert running.returncode == EXIT_INTERRUPTED
    assert b"Traceback" not in said
    while not all(is_gone(process) for process in started):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    told: list[GradingTaskResult] = []
    assert toy.batch("stopped", on_result=told.append).failures == []
    assert any(done.was_reused for done in told)

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

from autograder.cli.terminal import EXIT_INTERRUPTED
from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.sandbox import SandboxConfig
from autograder.workers.grading_tasks import GradingExecutor, GradingTask, GradingTaskResult, WorkersOpener
from autograder.workers.local_workers import open_local_workers
from autograder.workers.task_scheduler import GIVEN_UP, run_tasks
from tests.batch import calls
from tests.batch.gone import is_gone
from tests.store.conftest import RIGHT, CounterCourse
from tests.store.test_accidents import AUTOGRADER, below

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 300


class _Deadly(Executor):
    """Passes tasks to workers, which end over some of them."""

    def __init__(self, workers: Executor, folder: Path, times: int) -> None:
        self._workers, self._folder, self._times = workers, folder, times

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return self._workers.submit(calls.grade_or_end, self._folder, self._times, function, *arguments)


@pytest.fixture
def ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], WorkersOpener]:
    """Opens two workers, which end over ``frank`` so many times."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # for tests.batch.calls
    (tmp_path / "met").mkdir()

    def over(times: int) -> WorkersOpener:
        @contextmanager
        def opened(assignment: Assignment, sandbox: SandboxConfig) -> Iterator[GradingExecutor]:
            with open_local_workers(assignment, sandbox, 2) as workers:
                yield GradingExecutor(_Deadly(workers.executor, tmp_path / "met", times), workers.get_concurrency)

        return opened

    return over


def test_a_submission_whose_workers_are_killed_twice_gets_the_report_it_would_have_got(
    counter_course: CounterCourse, ending: Callable[[int], WorkersOpener]
) -> None:
    summary = counter_course.batch("again", open_workers=ending(2))
    assert summary.failures == []
    assert counter_course.reports("again") == counter_course.reports("out")
    assert counter_course.gradebook("again") == counter_course.gradebook("out")


@pytest.mark.thorough
def test_a_submission_that_ends_three_workers_is_named_and_all_others_are_graded(
    counter_course: CounterCourse, ending: Callable[[int], WorkersOpener]
) -> None:
    summary = counter_course.batch("again", open_workers=ending(3))
    assert [(done.name, done.kit_failure) for done in summary.failures] == [("frank", GIVEN_UP)]
    others = counter_course.reports("out")
    del others["frank"]
    assert counter_course.reports("again") == others


def test_where_workers_cannot_open_the_suite_the_batch_ends_and_says_so(counter_course: CounterCourse) -> None:
    counter_course.change(
        counter_course.hidden / "test_counting.py", "import pytest\n", "import pytest\nimport nothing_of_that_name\n"
    )
    open_workers = partial(open_local_workers, counter_course.assignment, counter_course.sandbox, 2)
    with pytest.raises(CourseFault, match="nothing_of_that_name"):
        list(run_tasks(iter([GradingTask("alice", counter_course.students / "alice.py")]), open_workers))


@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM])
def test_a_batch_that_is_asked_to_stop_leaves_no_worker_and_goes_on_where_it_was(
    counter_course: CounterCourse, number: int
) -> None:
    counter_course.hand_in(
        **{f"s{count:02}": f"import time; time.sleep(0.05)\n{RIGHT}# {count}\n" for count in range(20)}
    )
    command: list[str | Path] = [
        AUTOGRADER,
        "batch",
        "counter",
        counter_course.students,
        "--out",
        counter_course.root / "stopped",
    ]
    command += ["--course", counter_course.root, "--tier", counter_course.sandbox.tier, "--allow-unsafe"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + SECONDS
    while not any((counter_course.root / "stopped").glob("reports/*.json")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    started = below(running.pid)
    if number != signal.SIGTERM:
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
    assert counter_course.batch("stopped", on_result=told.append).failures == []
    assert any(done.was_reused for done in told)

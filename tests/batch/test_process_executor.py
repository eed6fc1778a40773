"""Workers share a queue: each call goes to an idle one, and only the call of a worker that ended fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from autograder.workers.worker_processes import (
    RestartingWorkerProcess,
    StartWorker,
    WorkerEnded,
    WorkerProcessExecutor,
)
from tests.batch import calls
from tests.batch.gone import is_gone
from tests.batch.worker_processes import ROOT, SECONDS, Make, both_ways
from tests.machine import until

pytestmark = pytest.mark.usefixtures("find_calls")


@pytest.fixture
def executor(make: Make) -> Iterator[WorkerProcessExecutor]:
    """Two workers with a queue before them."""
    with WorkerProcessExecutor([make(), make()]) as made:
        yield made


def test_a_worker_starts_when_there_is_a_call_for_it(start: StartWorker) -> None:
    counted = Mock(side_effect=start)
    with WorkerProcessExecutor([RestartingWorkerProcess(counted, calls.nothing) for _ in range(4)]) as executor:
        assert not counted.called
        executor.submit(calls.identify).result()
        assert counted.call_count == 1


def test_when_a_worker_is_killed_only_the_call_it_was_at_fails(executor: WorkerProcessExecutor) -> None:
    killed = executor.submit(calls.kill_oneself_after, 0.3)
    others = [executor.submit(calls.sleep, 0.05) for _ in range(20)]
    assert isinstance(killed.exception(SECONDS), BrokenExecutor)
    assert len({future.result(SECONDS) for future in others}) in (2, 3)


def test_calls_that_no_worker_has_begun_can_be_cancelled(executor: WorkerProcessExecutor) -> None:
    futures = [executor.submit(calls.sleep, 0.2) for _ in range(10)]
    executor.shutdown(cancel_futures=True)
    assert sum(future.cancelled() for future in futures) >= 8 - 2
    assert all(future.done() for future in futures)


def test_a_shutdown_that_does_not_wait_ends_calls_under_way(executor: WorkerProcessExecutor, tmp_path: Path) -> None:
    future = executor.submit(calls.note, tmp_path / "id", 60)
    until((tmp_path / "id").exists)
    executor.shutdown(wait=False)
    assert isinstance(future.exception(SECONDS), WorkerEnded)
    assert is_gone(int((tmp_path / "id").read_text()))


PARENT = """\
import sys, time
from pathlib import Path
from autograder.workers.worker_processes import {start}
from autograder.workers.worker_processes import WorkerProcessExecutor
from autograder.workers.worker_processes import RestartingWorkerProcess
from tests.batch import calls

executor = WorkerProcessExecutor([RestartingWorkerProcess({start}, calls.nothing)])
executor.submit(calls.note, Path(sys.argv[1]), {seconds}).result()
time.sleep(60)
"""


@both_ways
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_worker_ends_soon_after_its_parent_was_killed(start: StartWorker, tmp_path: Path) -> None:
    program = PARENT.format(start=start.__name__, seconds=1)
    parent = subprocess.Popen([sys.executable, "-c", program, tmp_path / "id"], cwd=ROOT)
    until((tmp_path / "id").exists)
    parent.kill()
    parent.wait()
    worker = int((tmp_path / "id").read_text())
    until(lambda: is_gone(worker))

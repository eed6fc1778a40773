"""A worker process does what it is called for; when it ends, the call it was at fails, and the next gets another."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autograder.faults import CallerFault
from autograder.workers.process_executor import WorkerProcessExecutor
from autograder.workers.restarting_worker_process import RestartingWorkerProcess, WorkerEnded
from autograder.workers.worker_launch import (
    PreforkedFirstWorkerStarter,
    ProcessHandle,
    StartedWorker,
    StartWorker,
    fork_worker,
    start_worker_interpreter,
)
from tests.batch import calls
from tests.batch.gone import is_gone

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 30

Make = Callable[..., RestartingWorkerProcess]


both_ways = pytest.mark.parametrize("start", [fork_worker, start_worker_interpreter], indirect=True)


@pytest.fixture(autouse=True)
def find_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let new interpreters find ``tests.batch.calls``."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def start(request: pytest.FixtureRequest) -> StartWorker:
    """How a worker starts."""
    way: StartWorker = getattr(request, "param", fork_worker)
    return way


@pytest.fixture
def make(start: StartWorker) -> Iterator[Make]:
    """Makes workers, and closes them."""
    made: list[RestartingWorkerProcess] = []

    def worker(
        opening: Callable[[], object] = calls.nothing, patience: float | None = None
    ) -> RestartingWorkerProcess:
        made.append(RestartingWorkerProcess(start, opening, patience))
        return made[-1]

    yield worker
    for one in made:
        one.close()


@pytest.fixture
def executor(make: Make) -> Iterator[WorkerProcessExecutor]:
    """Two workers with a queue before them."""
    with WorkerProcessExecutor([make(), make()]) as made:
        yield made


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# One worker


def test_a_worker_is_one_process_for_many_calls(make: Make) -> None:
    worker = make()
    worker.call(calls.remember, "a")
    assert worker.call(calls.remember, "b") == ["a", "b"]


@both_ways
def test_a_worker_ignores_ctrl_c_and_is_ended_by_a_signal_to_end(make: Make) -> None:
    worker = make()
    process = worker.call(calls.identify)
    os.kill(process, signal.SIGINT)
    assert worker.call(calls.identify) == process
    os.kill(process, signal.SIGTERM)
    until(lambda: is_gone(process))


def test_a_new_interpreter_finds_no_modules_in_the_current_folder() -> None:
    with closing(RestartingWorkerProcess(start_worker_interpreter, calls.nothing)) as worker:
        assert worker.call(calls.has_safe_path)


def test_what_a_call_raises_comes_back_with_its_traceback_and_the_process_stays(make: Make) -> None:
    worker = make()
    before = worker.call(calls.identify)
    with pytest.raises(ValueError, match="a mistake") as caught:
        worker.call(calls.break_down)
    assert "in break_down" in caught.value.__notes__[0]
    assert worker.call(calls.identify) == before


def test_a_result_that_cannot_be_sent_is_told_and_the_process_stays(make: Make) -> None:
    worker = make()
    before = worker.call(calls.identify)
    with pytest.raises(TypeError, match="cannot be sent"):
        worker.call(calls.return_what_cannot_be_sent)
    assert worker.call(calls.identify) == before


@both_ways
@pytest.mark.parametrize("end", [calls.kill_oneself, calls.kill_oneself_while_sending])
def test_a_worker_that_is_killed_fails_its_call_and_is_replaced(make: Make, end: Callable[[], None]) -> None:
    worker = make()
    before = worker.call(calls.identify)
    with pytest.raises(WorkerEnded, match="exit code -9"):
        worker.call(end)
    assert worker.call(calls.identify) != before


def test_a_worker_that_is_killed_between_two_calls_fails_neither(make: Make) -> None:
    worker = make()
    before = worker.call(calls.identify)
    os.kill(before, signal.SIGKILL)
    until(lambda: is_gone(before))
    assert worker.call(calls.identify) != before


def test_a_worker_that_is_killed_before_it_has_begun_a_call_does_not_fail_it(make: Make) -> None:
    worker = make()
    before = worker.call(calls.identify)
    os.kill(before, signal.SIGSTOP)  # so that the call stays in the pipe
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(worker.call, calls.identify)
        time.sleep(0.3)
        os.kill(before, signal.SIGKILL)
        assert answer.result(SECONDS) != before


def test_a_call_fails_when_three_processes_ended_before_they_could_begin_it(start: StartWorker) -> None:
    started: list[StartedWorker] = []

    def counted() -> StartedWorker:
        started.append(start())
        return started[-1]

    with (
        closing(RestartingWorkerProcess(counted, calls.end_at_once)) as worker,
        pytest.raises(WorkerEnded, match="exit code 7"),
    ):
        worker.call(calls.identify)
    assert len(started) == 3


def test_a_call_that_takes_too_long_is_given_up_and_the_next_gets_a_fresh_process(make: Make) -> None:
    worker = make(patience=0.5)
    with pytest.raises(WorkerEnded, match=r"no answer in 0\.5 s"):
        worker.call(calls.sleep, 60)
    assert worker.call(calls.sleep, 0)


@both_ways
def test_a_worker_that_cannot_get_ready_says_why_each_time(make: Make) -> None:
    worker = make(calls.refuse)
    for _ in range(2):
        with pytest.raises(CallerFault, match="tests: the suite cannot be opened"):
            worker.call(calls.identify)


def test_a_worker_that_ends_while_it_gets_ready_is_told_as_ended(make: Make) -> None:
    with pytest.raises(WorkerEnded, match="exit code 7"):
        make(calls.end_at_once).start_if_needed()


@both_ways
def test_a_worker_that_was_closed_does_not_start_again(make: Make) -> None:
    worker = make()
    process = worker.call(calls.identify)
    worker.close()
    assert is_gone(process)
    with pytest.raises(WorkerEnded):
        worker.call(calls.identify)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process has one thread, whatever other tests left behind."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


@pytest.fixture
def forked_ahead(alone: None) -> Iterator[RestartingWorkerProcess]:
    """A worker that is a fork at first."""
    with closing(RestartingWorkerProcess(PreforkedFirstWorkerStarter(), calls.nothing)) as worker:
        yield worker


def test_a_worker_that_was_forked_ahead_is_replaced_by_a_new_interpreter(
    forked_ahead: RestartingWorkerProcess,
) -> None:
    assert forked_ahead.call(calls.is_fork)
    with pytest.raises(WorkerEnded):
        forked_ahead.call(calls.kill_oneself)
    assert not forked_ahead.call(calls.is_fork)


def test_beside_another_thread_no_worker_is_forked() -> None:
    go_on = threading.Event()
    thread = threading.Thread(target=go_on.wait)
    thread.start()
    started = PreforkedFirstWorkerStarter()
    go_on.set()
    thread.join()
    with closing(RestartingWorkerProcess(started, calls.nothing)) as worker:
        assert not worker.call(calls.is_fork)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_fork_has_no_file_of_its_parents_open_and_reads_nothing_from_its_terminal(
    alone: None, tmp_path: Path
) -> None:
    with (
        (tmp_path / "open").open("w"),
        closing(RestartingWorkerProcess(PreforkedFirstWorkerStarter(), calls.nothing)) as worker,
    ):
        of_standard_input, _, _, *others = worker.call(calls.list_open_files)
    assert of_standard_input == os.devnull
    assert sorted({name.split(":")[0] for name in others}) == [os.devnull, "socket"]
    assert sum(name.startswith("socket") for name in others) == 1  # its own pipe


def test_a_fork_writes_into_no_file_that_an_object_of_its_parents_knows(alone: None, tmp_path: Path) -> None:
    with (
        (tmp_path / "log").open("w") as log,
        closing(RestartingWorkerProcess(PreforkedFirstWorkerStarter(), calls.nothing)) as worker,
    ):
        worker.call(calls.write_into_descriptor, log.fileno(), tmp_path / "another")
        assert (tmp_path / "another").read_text() == ""
    assert (tmp_path / "log").read_text() == ""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_a_fork_is_read_by_no_process_of_the_same_user_from_the_start(alone: None) -> None:
    with closing(RestartingWorkerProcess(PreforkedFirstWorkerStarter(), calls.nothing)) as worker:
        assert not worker.call(calls.is_readable_by_others_of_the_user)


def test_a_fork_that_ended_before_it_was_needed_costs_no_call(alone: None) -> None:
    starter = PreforkedFirstWorkerStarter()
    process, _ = forked(starter)
    process.kill()
    process.join(SECONDS)
    with closing(RestartingWorkerProcess(starter, calls.nothing)) as worker:
        assert not worker.call(calls.is_fork)


def test_a_fork_that_nobody_asked_for_ends_with_its_starter(alone: None) -> None:
    starter = PreforkedFirstWorkerStarter()
    process, _ = forked(starter)
    assert is_running(process)
    starter.close()
    assert process.exitcode == 0


def test_where_nothing_can_be_forked_a_worker_starts_when_it_is_needed(
    alone: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fail)
    with closing(RestartingWorkerProcess(PreforkedFirstWorkerStarter(), calls.nothing)) as worker:
        assert not worker.call(calls.is_fork)


def is_running(process: ProcessHandle) -> bool:
    return process.exitcode is None


def forked(starter: PreforkedFirstWorkerStarter) -> StartedWorker:
    assert starter._forked_worker is not None
    return starter._forked_worker


@both_ways
def test_a_worker_that_is_busy_is_waited_for_as_long_as_was_said(start: StartWorker) -> None:
    process, connection = start()
    connection.send((calls.sleep, (60,), {}))
    began = time.monotonic()
    process.join(0.2)
    assert 0.2 <= time.monotonic() - began < 10
    assert is_running(process)
    process.kill()
    process.join(SECONDS)
    assert process.exitcode == -signal.SIGKILL
    connection.close()


# Several, and a queue


def test_a_worker_starts_when_there_is_a_call_for_it(start: StartWorker) -> None:
    started: list[Any] = []

    def counted() -> Any:
        started.append(start())
        return started[-1]

    with WorkerProcessExecutor([RestartingWorkerProcess(counted, calls.nothing) for _ in range(4)]) as executor:
        assert not started
        executor.submit(calls.identify).result()
        assert len(started) == 1


def test_when_a_worker_is_killed_only_the_call_it_was_at_fails(executor: WorkerProcessExecutor) -> None:
    killed = executor.submit(calls.kill_oneself_after, 0.3)
    others = [executor.submit(calls.sleep, 0.05) for _ in range(20)]
    assert isinstance(killed.exception(SECONDS), BrokenExecutor)
    assert len({future.result(SECONDS) for future in others}) in (2, 3)


def test_a_worker_killed_from_outside_fails_only_the_call_it_was_at(
    executor: WorkerProcessExecutor, tmp_path: Path
) -> None:
    lost = executor.submit(calls.note, tmp_path / "id", 60)
    others = [executor.submit(calls.sleep, 0.05) for _ in range(10)]
    until((tmp_path / "id").exists)
    os.kill(int((tmp_path / "id").read_text()), signal.SIGKILL)
    assert isinstance(lost.exception(SECONDS), WorkerEnded)
    assert not wait_for(others, SECONDS).not_done
    assert all(future.exception() is None for future in others)


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
from autograder.workers.worker_launch import {start}
from autograder.workers.process_executor import WorkerProcessExecutor
from autograder.workers.restarting_worker_process import RestartingWorkerProcess
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

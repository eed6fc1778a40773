"""A worker process does what it is called for; when it ends, its call fails, and the next gets another."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest

from autograder.faults import CallerFault, KitFault
from autograder.workers import worker_processes
from autograder.workers.worker_processes import (
    RestartingWorkerProcess,
    StartWorker,
    WorkerEnded,
    start_worker_interpreter,
)
from tests.batch import calls
from tests.batch.gone import is_gone
from tests.batch.worker_processes import Make, both_ways
from tests.machine import until

pytestmark = pytest.mark.usefixtures("find_calls")


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


def test_a_new_interpreter_ignores_ctrl_c_from_its_start() -> None:
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    earlier = children.read_text(encoding="ascii").split()
    process, connection = start_worker_interpreter()
    (pid,) = (int(child) for child in children.read_text(encoding="ascii").split() if child not in earlier)
    os.kill(pid, signal.SIGINT)
    with connection:
        connection.send((calls.identify, (), {}))
        assert connection.recv() == (True, pid)
    process.wait()


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


@pytest.mark.first_cases(2)
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


def test_a_process_that_never_gets_ready_is_started_once_and_no_call_is_blamed(
    start: StartWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_processes, "OPENING_SECONDS", 0.5)
    counted = Mock(side_effect=start)
    with (
        closing(RestartingWorkerProcess(counted, partial(calls.sleep, 600))) as worker,
        pytest.raises(KitFault, match=r"a worker process was not ready after 0\.5 s"),
    ):
        worker.call(calls.identify)
    assert counted.call_count == 1


def test_a_call_that_takes_too_long_is_given_up_and_the_next_gets_a_fresh_process(make: Make) -> None:
    worker = make(patience=3.0)
    with pytest.raises(WorkerEnded, match=r"no answer in 3 s"):
        worker.call(calls.sleep, 600)
    assert worker.call(calls.sleep, 0)


@pytest.mark.first_cases(1)
@both_ways
def test_a_worker_that_cannot_get_ready_says_why_each_time(make: Make) -> None:
    worker = make(calls.refuse)
    for _ in range(2):
        with pytest.raises(CallerFault, match="tests: the suite cannot be opened"):
            worker.call(calls.identify)


def test_a_worker_that_ends_while_it_gets_ready_is_told_as_ended(make: Make) -> None:
    with pytest.raises(WorkerEnded, match="exit code 7"):
        make(calls.end_at_once).start_if_needed()


@pytest.mark.first_cases(1)
@both_ways
def test_a_worker_that_was_closed_does_not_start_again(make: Make) -> None:
    worker = make()
    process = worker.call(calls.identify)
    worker.close()
    assert is_gone(process)
    with pytest.raises(WorkerEnded):
        worker.call(calls.identify)

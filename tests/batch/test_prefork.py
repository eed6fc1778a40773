"""A worker that is forked ahead holds nothing of its parent's, and is replaced by a new interpreter."""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from autograder.workers.worker_processes import (
    PreforkedFirstWorkerStarter,
    RestartingWorkerProcess,
    StartedWorker,
    WorkerEnded,
)
from tests.batch import calls
from tests.batch.worker_processes import SECONDS

pytestmark = pytest.mark.usefixtures("find_calls")


@contextmanager
def open_prefork(starter: PreforkedFirstWorkerStarter | None = None) -> Iterator[RestartingWorkerProcess]:
    """A worker that is a fork at first, where one was possible."""
    with closing(RestartingWorkerProcess(starter or PreforkedFirstWorkerStarter(), calls.nothing)) as worker:
        yield worker


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process has one thread, whatever other tests left behind."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def test_a_worker_that_was_forked_ahead_is_replaced_by_a_new_interpreter(alone: None) -> None:
    with open_prefork() as worker:
        assert worker.call(calls.is_fork)
        with pytest.raises(WorkerEnded):
            worker.call(calls.kill_oneself)
        assert not worker.call(calls.is_fork)


def test_beside_another_thread_no_worker_is_forked() -> None:
    go_on = threading.Event()
    thread = threading.Thread(target=go_on.wait)
    thread.start()
    started = PreforkedFirstWorkerStarter()
    go_on.set()
    thread.join()
    with open_prefork(started) as worker:
        assert not worker.call(calls.is_fork)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_fork_has_no_file_of_its_parents_open_and_reads_nothing_from_its_terminal(
    alone: None, tmp_path: Path
) -> None:
    with (tmp_path / "open").open("w"), open_prefork() as worker:
        of_standard_input, _, _, *others = worker.call(calls.list_open_files)
    assert of_standard_input == os.devnull
    assert sorted({name.split(":")[0] for name in others}) == [os.devnull, "socket"]
    assert sum(name.startswith("socket") for name in others) == 1  # its own pipe


def test_a_fork_writes_into_no_file_that_an_object_of_its_parents_knows(alone: None, tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as log, open_prefork() as worker:
        worker.call(calls.write_into_descriptor, log.fileno(), tmp_path / "another")
        assert (tmp_path / "another").read_text() == ""
    assert (tmp_path / "log").read_text() == ""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_a_fork_is_read_by_no_process_of_the_same_user_from_the_start(alone: None) -> None:
    with open_prefork() as worker:
        assert not worker.call(calls.is_readable_by_others_of_the_user)


def test_a_fork_that_ended_before_it_was_needed_costs_no_call(alone: None) -> None:
    starter = PreforkedFirstWorkerStarter()
    process, _ = forked(starter)
    process.kill()
    process.wait(SECONDS)
    with open_prefork(starter) as worker:
        assert not worker.call(calls.is_fork)


def test_a_fork_that_nobody_asked_for_ends_with_its_starter(alone: None) -> None:
    starter = PreforkedFirstWorkerStarter()
    process, _ = forked(starter)
    assert process.poll() is None
    starter.close()
    assert process.poll() == 0


def test_where_nothing_can_be_forked_a_worker_starts_when_it_is_needed(
    alone: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fail)
    with open_prefork() as worker:
        assert not worker.call(calls.is_fork)


def forked(starter: PreforkedFirstWorkerStarter) -> StartedWorker:
    assert starter._forked_worker is not None
    return starter._forked_worker

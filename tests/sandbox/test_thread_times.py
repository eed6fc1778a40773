"""How long a thread ran is read from a file that stays open, and never from another thread's."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from autograder.sandbox.processor_time import (
    ThreadSchedstatReader,
    read_own_run_and_wait_seconds,
)

pytestmark = pytest.mark.skipif(
    not Path("/proc/thread-self/schedstat").exists(), reason="this kernel does not say how long a thread ran"
)


def burn(seconds: float) -> None:
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass


def test_time_goes_on_between_two_readings() -> None:
    before, _ = read_own_run_and_wait_seconds()
    burn(0.05)
    after, _ = read_own_run_and_wait_seconds()
    assert after - before == pytest.approx(0.05, abs=0.03)


def test_each_thread_reads_its_own_times() -> None:
    read_own_run_and_wait_seconds()
    burn(0.05)
    seen: list[float] = []

    def read() -> None:
        burn(0.02)
        seen.append(read_own_run_and_wait_seconds()[0])

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    assert seen[0] < read_own_run_and_wait_seconds()[0]
    assert 0 < seen[0] < 0.05


def test_a_fork_reads_its_own_times() -> None:
    burn(0.1)
    read_own_run_and_wait_seconds()
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        burn(0.02)
        os.write(send, b"%f" % read_own_run_and_wait_seconds()[0])
        os._exit(0)
    os.close(send)
    assert 0 < float(os.read(receive, 50)) < 0.1
    os.close(receive)
    os.waitpid(child, 0)


def test_nothing_is_known_of_a_process_that_is_gone_and_no_file_stays_open() -> None:
    files = len(os.listdir("/proc/self/fd"))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as sleeper:
        times = ThreadSchedstatReader(f"/proc/{sleeper.pid}/schedstat")
        try:
            assert wait_for_times(times) != (0.0, 0.0)
        finally:
            sleeper.kill()
    assert times.read_run_and_wait_seconds() == (0.0, 0.0)
    times.close()
    assert len(os.listdir("/proc/self/fd")) == files


def wait_for_times(times: ThreadSchedstatReader) -> tuple[float, float]:
    """Return the first times that are not zero: the kernel writes them at a clock tick, not before."""
    deadline = time.monotonic() + 300
    while (seen := times.read_run_and_wait_seconds()) == (0.0, 0.0) and time.monotonic() < deadline:
        time.sleep(0.001)
    return seen

"""What tests of worker processes share; their fixtures are in ``conftest``."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.workers.restarting_worker_process import RestartingWorkerProcess
from autograder.workers.worker_launch import fork_worker, start_worker_interpreter

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = 30
Make = Callable[..., RestartingWorkerProcess]
both_ways = pytest.mark.parametrize("start", [fork_worker, start_worker_interpreter], indirect=True)


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)

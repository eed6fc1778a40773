"""What tests of worker processes share; their fixtures are in ``conftest``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.workers.worker_processes import RestartingWorkerProcess, fork_worker, start_worker_interpreter
from tests.machine import PATIENCE

ROOT = Path(__file__).resolve().parent.parent.parent
SECONDS = PATIENCE
Make = Callable[..., RestartingWorkerProcess]
both_ways = pytest.mark.parametrize("start", [fork_worker, start_worker_interpreter], indirect=True)

"""Make folders that are expensive once in a run of the tests, whatever number of processes it has."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def make_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that the first process to need it has made; the others wait for it.

    Args:
        factory: of this process's folders.
        name: the folder's.
        make: fills it, in the place where it stays: a store names where hand-ins lie.
    """
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, complete = shared / name, shared / f"{name}.complete"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process that was ended
            folder.mkdir()
            make(folder)
            complete.touch()
    return folder

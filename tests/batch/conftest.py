"""A class of three, graded for the first time and again."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.sandbox import SandboxConfig
from autograder.workers.worker_processes import RestartingWorkerProcess, StartWorker, fork_worker
from tests.batch import calls
from tests.batch.classes import Batch, Grade, grade_all, write_class
from tests.batch.worker_processes import ROOT, Make


@pytest.fixture(scope="session")
def first(engine: Assignment, sandbox: SandboxConfig, tmp_path_factory: pytest.TempPathFactory) -> Batch:
    """The class, graded for the first time; not to be changed."""
    place = tmp_path_factory.mktemp("first")
    return grade_all(write_class(place / "class"), place / "out", engine, sandbox)


@pytest.fixture
def students(tmp_path: Path) -> Path:
    """The class, to be changed."""
    return write_class(tmp_path / "class")


@pytest.fixture
def grade(engine: Assignment, sandbox: SandboxConfig, tmp_path: Path) -> Grade:
    """Grade a folder or zip, into the same place each time."""

    def graded(source: Path, **settings: Any) -> Batch:
        return grade_all(source, tmp_path / "out", sandbox=sandbox, **{"assignment": engine, **settings})

    return graded


@pytest.fixture
def grade_again(first: Batch, grade: Grade, tmp_path: Path) -> Grade:
    """Grade a folder into a place where the class was graded before."""
    shutil.copytree(first.out, tmp_path / "out")
    return grade


# Worker processes


@pytest.fixture
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

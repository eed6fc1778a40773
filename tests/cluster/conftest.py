"""A Dask cluster of processes on this machine, and a small course for it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.sandbox import SandboxConfig
from autograder.workers.grading_tasks import GradingExecutor
from tests.toy import HALF, RIGHT, SUITE, TESTS, load_toy

ROOT = Path(__file__).resolve().parent.parent.parent
LIMITS = "{cpu_seconds: 0.5, wall_seconds: 2, import_seconds: 1, submission_seconds: 3, submission_mb: 1}"
ALLOWED_FAILURES = 1


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """An assignment of two hidden tests."""
    return load_toy(tmp_path_factory.mktemp("course"), f"    limits: {LIMITS}\n")


@pytest.fixture(scope="session")
def another(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    """The assignment in another version."""
    return load_toy(tmp_path_factory.mktemp("another"), f"    limits: {LIMITS}\n", {SUITE: TESTS.replace("5", "6")})


@dataclass
class Cluster:
    """A scheduler and its workers: processes, to be killed at will."""

    folder: Path
    address: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start_scheduler(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._start("scheduler", "--host", "127.0.0.1", "--port", str(port))
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError("no scheduler")

    def start_worker(self, folder: Path | None = None) -> subprocess.Popen[bytes]:
        """A worker without a nanny: its process is the one that is returned."""
        self.workers.append(self._start("worker", self.address, "--no-nanny", "--nthreads", "1", folder=folder))
        return self.workers[-1]

    def _start(self, command: str, *arguments: str, folder: Path | None = None) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),  # for tests.cluster.works
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(ALLOWED_FAILURES),
        }
        with (self.folder / f"{command}-{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{command}", "--no-dashboard", *arguments],
                cwd=folder or self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)
        return process

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler, and whatever workers tests start."""
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.start_scheduler()
        yield made
    finally:
        made.close()


@pytest.fixture
def cluster(scheduler: Cluster) -> Cluster:
    """A scheduler and two workers, whatever other tests did to theirs."""
    import distributed

    scheduler.workers = [worker for worker in scheduler.workers if worker.poll() is None]
    for worker in scheduler.workers[2:]:
        worker.kill()
        worker.wait()
    while len(scheduler.workers) < 2:
        scheduler.start_worker()
    del scheduler.workers[2:]
    with distributed.Client(scheduler.address, set_as_default=False) as client:
        while len(client.nthreads()) != 2:
            time.sleep(0.05)
    return scheduler


@pytest.fixture
def told_lines() -> list[str]:
    """What the caller was told."""
    return []


Open = Callable[[Assignment, SandboxConfig], AbstractContextManager[GradingExecutor]]


@pytest.fixture
def on_cluster(cluster: Cluster, told_lines: list[str]) -> Open:
    """Opens the cluster's workers."""
    from autograder.workers.cluster.dask_workers import open_dask_workers

    return partial(
        open_dask_workers,
        scheduler_address=cluster.address,
        course_path_on_worker=None,
        show_message=told_lines.append,
    )


@pytest.fixture
def students(tmp_path: Path) -> Path:
    """A class that hands in everything one can."""
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(8):
        program = HALF if number % 3 == 0 else RIGHT
        (folder / f"student{number}.py").write_text(f"{program}# {number}\n")
    (folder / "in a folder").mkdir()
    (folder / "in a folder" / "value.py").write_text(RIGHT)
    (folder / "in a folder" / "notes.txt").write_text("thoughts")
    shutil.make_archive(str(folder / "zipped"), "zip", folder / "in a folder")
    (folder / "broken.zip").write_bytes(b"PK\3\4")
    (folder / "link.py").symlink_to(folder / "student1.py")
    (folder / "large.py").touch()
    os.truncate(folder / "large.py", 5 << 20)
    (folder / "empty.py").touch()
    (folder / "syntax.py").write_text("def (:\n")
    return folder

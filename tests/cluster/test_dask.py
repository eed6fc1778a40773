"""Graded on other machines: the same results, whatever becomes of the workers meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import msgspec
import pytest

from autograder.batch import BatchConfig, BatchLocation, run_batch
from autograder.course import Assignment
from autograder.faults import CallerFault, KitFault
from autograder.reports import read_report_json
from autograder.sandbox import SandboxConfig
from autograder.submissions import open_submission_entries
from autograder.workers.grading_tasks import GradingExecutor, GradingTask, GradingTaskResult, TaskFunction
from autograder.workers.grading_worker import grade_task
from autograder.workers.local_workers import TASKS_QUEUED_PER_WORKER, open_local_workers
from autograder.workers.worker_processes import WorkerEnded
from tests.cluster import works
from tests.cluster.conftest import Cluster, Open
from tests.toy import RIGHT

module = pytest.importorskip("autograder.workers.cluster.dask_workers", reason="the extra dask is not installed")
dask_workers = module.open_dask_workers

AUTOGRADER = Path(sys.executable).with_name("autograder")
SECONDS = 300


def reports(out: Path) -> dict[str, bytes]:
    """Every report, byte for byte, but for its times."""
    found = {}
    for path in (out / "reports").iterdir():
        report = read_report_json(path)
        same = msgspec.structs.replace(report.timing, graded_at="", seconds={}, tests={}, processes=0)
        found[path.name] = msgspec.json.encode(msgspec.structs.replace(report, timing=same))
    return found


def graded_here(source: Path, out: Path, assignment: Assignment, sandbox: SandboxConfig) -> dict[str, bytes]:
    with open_submission_entries(source) as entries:
        run_batch(
            BatchConfig(assignment, sandbox, BatchLocation(out), partial(open_local_workers, worker_count=1)),
            entries,
        )
    return reports(out)


def tasks(count: int, *names: str) -> list[GradingTask]:
    return [GradingTask(name, Path(name), "nothing to read") for name in (*names, *map(str, range(count)))]


def done(workers: GradingExecutor, work: TaskFunction, what: Iterable[GradingTask]) -> dict[str, GradingTaskResult]:
    """Everything at once, and what came of it."""
    futures = submit_all(workers, work, what)
    return {future.result().name: future.result() for future in futures.values()}


def submit_all(
    workers: GradingExecutor, work: TaskFunction, what: Iterable[GradingTask]
) -> dict[str, Future[GradingTaskResult]]:
    futures = {task.name: workers.executor.submit(work, task) for task in what}
    assert not wait_for(futures.values(), SECONDS).not_done
    return futures


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.thorough
def test_a_cluster_gives_the_same_reports_byte_for_byte(
    cluster: Cluster, toy: Assignment, sandbox: SandboxConfig, students: Path, tmp_path: Path
) -> None:
    command: list[str | Path] = [AUTOGRADER, "batch", "toy", students, "--out", tmp_path / "out"]
    command += ["--executor", "dask", "--scheduler", cluster.address, "--course", toy.course_folder]
    command += ["--tier", sandbox.tier, "--allow-unsafe", "--no-explain"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert "15 submissions: 15 graded" in shown.stdout
    assert "left out" not in shown.stderr
    assert reports(tmp_path / "out") == graded_here(students, tmp_path / "here", toy, sandbox)


@pytest.mark.thorough
def test_workers_need_not_see_the_submissions(
    on_cluster: Open, toy: Assignment, sandbox: SandboxConfig, tmp_path: Path
) -> None:
    path = tmp_path / "alice.py"
    path.write_text(RIGHT)
    with on_cluster(toy, sandbox) as workers:
        future = workers.executor.submit(grade_task, GradingTask("alice", path))
        path.unlink()
        assert future.result(SECONDS).score == 10


@pytest.mark.thorough
def test_a_worker_that_is_killed_in_mid_batch_costs_nobody_anything(
    cluster: Cluster, on_cluster: Open, toy: Assignment, sandbox: SandboxConfig, tmp_path: Path
) -> None:
    (tmp_path / "class").mkdir()
    for number in range(12):
        (tmp_path / "class" / f"{number}.py").write_text(f"import time; time.sleep(0.2)\n{RIGHT}# {number}\n")
    victim = cluster.start_worker()
    results: list[GradingTaskResult | None] = []

    def kill(result: GradingTaskResult | None) -> None:
        results.append(result)
        if len(results) == 3:
            victim.kill()

    with on_cluster(toy, sandbox) as workers, open_submission_entries(tmp_path / "class") as entries:
        until(lambda: workers.get_concurrency() == 3 * 3)
        place = BatchLocation(tmp_path / "out")
        request = BatchConfig(toy, sandbox, place, lambda *_: nullcontext(workers), kill)
        summary = run_batch(request, entries)
    assert victim.wait() < 0
    assert (summary.failures, summary.score_counts) == ([], {10.0: 12})


def left_out(told: list[str]) -> list[str]:
    """Lines on workers that are left out; on a busy machine, a line on waiting stands before them."""
    return [line for line in told if line.startswith("worker tcp://") and " was rejected: " in line]


@pytest.mark.thorough
def test_a_worker_with_another_version_of_the_assignment_is_left_out_and_told(
    cluster: Cluster,
    toy: Assignment,
    another: Assignment,
    sandbox: SandboxConfig,
    told_lines: list[str],
    tmp_path: Path,
) -> None:
    (cluster.folder / "course").symlink_to(toy.course_folder)
    (tmp_path / "course").symlink_to(another.course_folder)
    stale = cluster.start_worker(folder=tmp_path)
    here = dask_workers(
        toy,
        sandbox,
        scheduler_address=cluster.address,
        course_path_on_worker=Path("course"),
        show_message=told_lines.append,
    )  # relative: each worker has its own
    with here as workers:
        until(lambda: left_out(told_lines))
        seen = {one.status for one in done(workers, works.says_where, tasks(12)).values()}
    assert str(stale.pid) not in seen
    (line,) = left_out(told_lines)
    assert another.version in line
    assert toy.version in line


@pytest.mark.thorough
def test_where_every_worker_has_another_version_the_batch_does_not_begin(
    on_cluster: Open, toy: Assignment, another: Assignment, sandbox: SandboxConfig
) -> None:
    stale = replace(
        another, course_folder=toy.course_folder
    )  # what workers find there is not what the coordinator read
    with pytest.raises(CallerFault, match="toy's version is") as caught, on_cluster(stale, sandbox):
        pass
    assert toy.version in caught.value.what
    assert another.version in caught.value.what


@pytest.mark.thorough
def test_a_submission_that_ends_its_process_is_told_as_that_and_the_others_are_graded(
    on_cluster: Open, toy: Assignment, sandbox: SandboxConfig
) -> None:
    with on_cluster(toy, sandbox) as workers:
        futures = submit_all(workers, works.ends_its_process, tasks(6, "killer"))
    with pytest.raises(WorkerEnded, match="exit code -9"):
        futures.pop("killer").result()
    assert {future.result().status for future in futures.values()} == {"graded"}


@pytest.mark.thorough
def test_a_submission_that_ends_workers_gets_a_failure_and_the_others_are_graded(
    cluster: Cluster, on_cluster: Open, toy: Assignment, sandbox: SandboxConfig
) -> None:
    with on_cluster(toy, sandbox) as workers:
        deadline = time.monotonic() + SECONDS
        while workers.get_concurrency() < 2 * (1 + TASKS_QUEUED_PER_WORKER) and time.monotonic() < deadline:
            time.sleep(0.05)  # until both of them are known: one that comes later counts deaths anew
        results = done(workers, works.ends_its_worker, tasks(0, "killer"))
        cluster.start_worker()  # nobody is left
        others = done(workers, works.ends_its_worker, tasks(4))
    assert results["killer"].kit_failure == "2 workers ended while they graded this submission"
    assert {one.status for one in others.values()} == {"graded"}


@pytest.mark.thorough
def test_when_the_scheduler_is_gone_the_batch_ends_and_says_how_to_go_on(
    toy: Assignment, sandbox: SandboxConfig, told_lines: list[str], tmp_path: Path
) -> None:
    cluster = Cluster(tmp_path)
    cluster.start_scheduler()
    cluster.start_worker()
    where = dask_workers(
        toy,
        sandbox,
        scheduler_address=cluster.address,
        course_path_on_worker=None,
        show_message=told_lines.append,
    )
    try:
        with where as workers:
            future = workers.executor.submit(works.never_ends, tasks(0, "endless")[0])
            cluster.processes[0].kill()
            with pytest.raises(KitFault, match=r"the cluster failed.*run the same command again"):
                future.result(SECONDS)
    finally:
        cluster.close()


@pytest.mark.thorough
def test_where_no_scheduler_answers_the_caller_is_told(
    toy: Assignment, sandbox: SandboxConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    with (
        pytest.raises(CallerFault, match="no Dask scheduler answers at this address"),
        dask_workers(
            toy, sandbox, scheduler_address="tcp://127.0.0.1:9", course_path_on_worker=None, show_message=print
        ),
    ):
        pass


@pytest.mark.thorough
def test_a_worker_without_the_kit_is_left_out_and_told(
    cluster: Cluster,
    on_cluster: Open,
    toy: Assignment,
    sandbox: SandboxConfig,
    told_lines: list[str],
    tmp_path: Path,
) -> None:
    (tmp_path / "autograder.py").write_text("raise ModuleNotFoundError('nothing of that name')\n")
    without = cluster.start_worker(folder=tmp_path)  # which is where it looks first
    with on_cluster(toy, sandbox) as workers:
        until(lambda: left_out(told_lines))
        seen = {one.status for one in done(workers, works.says_where, tasks(6)).values()}
    assert str(without.pid) not in seen
    assert "the worker cannot load the kit" in left_out(told_lines)[0]

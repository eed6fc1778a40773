"""How many results a second the coordinator of a batch can take: the limit that more workers do not move.

    python -m benchmarks.coordinator                 # run_batch alone, then over a Dask cluster on this machine
    python -m benchmarks.coordinator --profile       # where the time goes
    python -m benchmarks.coordinator --write         # the table of docs/scaling.md

Workers answer at once with the report of the reference solution, graded once, under each submission's own name. On a
machine that does other things besides, believe the processor's times.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from autograder.batch import BatchConfig, BatchLocation, run_batch
from autograder.course import Assignment, load_course
from autograder.sandbox import SandboxConfig, choose_strongest_sandbox
from autograder.submissions import open_submission_entries
from autograder.workers.grading_tasks import GradingExecutor, GradingTask, GradingTaskResult, WorkersOpener
from autograder.workers.grading_worker import grade_task
from autograder.workers.local_workers import open_local_workers
from benchmarks.classes import ROOT, make_copies
from benchmarks.ready import TEMPLATE, ready
from benchmarks.tables import put, table

MOST_AT_ONCE = 64


class Ready(Executor):
    """Answers with what was made before the clock started."""

    def __init__(self, results: dict[str, GradingTaskResult]) -> None:
        self._results = results

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """See ``Executor.submit``."""
        future: Future[GradingTaskResult] = Future()
        future.set_result(self._results[arguments[0].name])
        return future


class _Instead(Executor):
    """Another executor, with ``ready`` in place of grading."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """See ``Executor.submit``."""
        return self._executor.submit(ready, *arguments)


@contextmanager
def no_workers(paths: list[Path]) -> Iterator[tuple[WorkersOpener, int]]:
    """Everything is done already; there is no scheduler."""
    results = {path.stem: ready(GradingTask(path.stem, path)) for path in paths}

    @contextmanager
    def opened(assignment: Assignment, sandbox: SandboxConfig) -> Iterator[GradingExecutor]:
        yield GradingExecutor(Ready(results), lambda: MOST_AT_ONCE)

    yield opened, 0


@contextmanager
def dask(count: int) -> Iterator[tuple[WorkersOpener, int]]:
    """Start a scheduler and workers on this machine; give the scheduler's process id as well."""
    from autograder.workers.cluster.dask_workers import open_dask_workers

    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    host, port = address.removeprefix("tcp://").split(":")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m"]
    commands = [[*command, "distributed.cli.dask_scheduler", "--host", host, "--port", port, "--no-dashboard"]]
    commands += [
        [*command, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    ] * count
    processes = [subprocess.Popen(one, env=environment, stderr=subprocess.DEVNULL) for one in commands]
    time.sleep(5)

    @contextmanager
    def opened(assignment: Assignment, sandbox: SandboxConfig) -> Iterator[GradingExecutor]:
        with open_dask_workers(
            assignment, sandbox, scheduler_address=address, course_path_on_worker=None, show_message=print
        ) as workers:
            yield GradingExecutor(_Instead(workers.executor), lambda: MOST_AT_ONCE)

    try:
        yield opened, processes[0].pid
    finally:
        for process in processes:
            process.kill()
            process.wait()


class Clock:
    """Counts from the first result to the last: starting workers is not the coordinator's rate."""

    def __init__(self, scheduler: int = 0) -> None:
        self._scheduler = scheduler
        self._times: list[tuple[float, float, float]] = []

    def tick(self, done: GradingTaskResult | None) -> None:
        """Note the time of a result; of the scheduler, now and then."""
        known = self._times[-1][2] if self._times else 0.0
        seen = known if len(self._times) % 100 else processor_seconds(self._scheduler)
        self._times.append((time.perf_counter(), time.process_time(), seen))

    def each(self) -> Rate:
        """Return what one result costs."""
        count = (len(self._times) - 1) // 100 * 100  # the scheduler is read at every hundredth
        spent = [(last - first) / count for first, last in zip(self._times[0], self._times[count], strict=True)]
        return Rate(*spent)


@dataclass(frozen=True, slots=True)
class Rate:
    """Seconds a result: as they went by, of the coordinator's processor, and of the scheduler's."""

    wall: float
    coordinator: float
    scheduler: float

    @property
    def most(self) -> float:
        """Results a second that the busier of the two can take."""
        return 1 / max(self.coordinator, self.scheduler)


def processor_seconds(process: int) -> float:
    """Processor time that another process has used; none when there is no process."""
    if not process:
        return 0.0
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Measured:
    """One batch without grading."""

    rate: Rate
    ends: float
    """Seconds before the first result and after the last."""
    again: float
    """Seconds a submission when nothing has changed."""
    peak: float
    """Megabytes of the coordinator."""
    sizes: tuple[int, int]
    """Bytes of a report and of pytest's record, packed."""


def measure(
    assignment: Assignment, count: int, workers: int = 0, profile: cProfile.Profile | None = None
) -> Measured:
    """Run a batch without grading.

    Args:
        assignment: whose reports are made.
        count: how many.
        workers: of a Dask cluster on this machine; none when 0.
        profile: gets to know where the time goes.
    """
    sandbox = choose_strongest_sandbox("process")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with open_local_workers(assignment, sandbox, 1) as one:
            first = one.executor.submit(grade_task, GradingTask("reference", assignment.solution_file)).result()
        (folder / "result").write_bytes(msgspec.msgpack.encode(first))
        os.environ[TEMPLATE] = str(folder / "result")
        paths = make_copies(folder / "class", assignment.solution_file, count)
        way = dask(workers) if workers else no_workers(paths)
        with way as (open_workers, scheduler), open_submission_entries(folder / "class") as entries:
            clock = Clock(scheduler)
            request = BatchConfig(assignment, sandbox, BatchLocation(folder / "out"), open_workers)
            with profile or nullcontext():
                started = time.perf_counter()
                first_run = run_batch(replace(request, on_result=clock.tick), entries)
                whole = time.perf_counter() - started
            started = time.perf_counter()
            second_run = run_batch(request, entries)
            again = (time.perf_counter() - started) / count
    if first_run.failures or second_run.reused_count != count:
        raise SystemExit(f"not measured: {first_run.failures[:1]}, {second_run.reused_count} of {count} known again")
    rate = clock.each()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert first.packed_result is not None
    sizes = len(first.packed_result.packed_report), len(first.packed_result.packed_pytest_record)
    return Measured(rate, max(0.0, whole - rate.wall * count), again, peak, sizes)


HEAD = ["coordinator", "results", "ms each", "its processor, ms", "scheduler's processor, ms", "at most, a second",
        "at both ends, s", "run again, ms each", "peak, MB"]  # fmt: skip


def row(name: str, count: int, found: Measured) -> list[str]:
    """Return a line of the table."""
    rate = found.rate
    times = [f"{seconds * 1e3:.2f}" for seconds in (rate.wall, rate.coordinator, rate.scheduler)]
    rest = [f"{rate.most:.0f}", f"{found.ends:.1f}", f"{found.again * 1e3:.2f}", f"{found.peak:.0f}"]
    return [name, str(count), *times, *rest]


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--submissions", type=int, default=2000)
    parser.add_argument("--assignment", default="autograd-engine")
    parser.add_argument("--dask", type=int, default=2, metavar="WORKERS", help="0 leaves Dask out")
    parser.add_argument("--profile", action="store_true", help="say where the time goes, without Dask")
    parser.add_argument("--write", action="store_true", help="put the table into docs/scaling.md")
    options = parser.parse_args()
    assignment = next(one for one in load_course(ROOT).assignments if one.name == options.assignment)
    count = options.submissions
    alone = measure(assignment, count)
    rows = [row("`run_batch` alone", count, alone)]
    if options.dask:
        rows.append(row(f"over Dask, {options.dask} workers", count, measure(assignment, count, options.dask)))
    text = table(HEAD, rows)
    text += "\n\nA result is {:,} bytes of report and {:,} of pytest's record, packed.".format(*alone.sizes)
    print(text)
    if options.write:
        put("coordinator", text)
    if options.profile:
        profile = cProfile.Profile()
        measure(assignment, count, profile=profile)
        print(f"\n{_where(profile)}")


def _where(profile: cProfile.Profile) -> str:
    """List the kit's own functions that took longest, with what they called."""
    rows = []
    for (file, _, name), (_, calls, _, cumulative, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if "/autograder/" in file:
            rows.append((cumulative, calls, f"`{Path(file).parent.name}.{Path(file).stem}.{name}`"))
    shown = [[name, str(calls), f"{seconds:.2f}"] for seconds, calls, name in sorted(rows, reverse=True)[:14]]
    return table(["function, with all it calls", "calls", "s under the profiler"], shown)


if __name__ == "__main__":
    main()

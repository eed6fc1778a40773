"""How long a batch takes, from a class on a laptop to a million submissions on a cluster.

    python -m benchmarks.scaling            # measures here for a minute or two, then simulates
    python -m benchmarks.scaling --write    # ... and puts the tables into docs/scaling.md

Measured: what grading takes, of a class of which every other submission is wrong in a way of its own
(examples/submissions) and the others are right; what a result costs the coordinator, on this machine and over Dask;
and how long a worker takes to open the suite. Everything else is simulated from that: see benchmarks/simulation.py.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from autograder.course import Assignment, load_course
from autograder.sandbox import choose_strongest_sandbox
from autograder.store.results.result_model import unpack_report
from autograder.workers.grading_tasks import GradingTask
from autograder.workers.grading_worker import grade_task
from autograder.workers.local_workers import TASKS_QUEUED_PER_WORKER, open_local_workers
from benchmarks.classes import ROOT, make_copies
from benchmarks.coordinator import measure
from benchmarks.simulation import Plan, Simulation
from benchmarks.tables import put, table

RESULTS = 1000
HOUR = 3600.0
SIZES = (
    (100, 2),
    (1_000, 2),
    (1_000, 8),
    (10_000, 32),
    (100_000, 64),
    (100_000, 256),
    (1_000_000, 256),
    (1_000_000, 1024),
)
LIFETIMES = (float("inf"), 24 * HOUR, HOUR)


def service_times(assignment: Assignment, rounds: int) -> tuple[list[float], float]:
    """Seconds of grading each submission of a class by one worker, and seconds until it had opened the suite."""
    sandbox = choose_strongest_sandbox("restricted")
    with tempfile.TemporaryDirectory() as temporary:
        wrong = sorted((ROOT / "examples" / "submissions").iterdir())
        paths = [*wrong, *make_copies(Path(temporary) / "right", assignment.solution_file, len(wrong))] * rounds
        started = time.perf_counter()
        with open_local_workers(assignment, sandbox, 1) as workers:
            first = workers.executor.submit(grade_task, GradingTask("first", paths[-1])).result()
            opening = time.perf_counter() - started
            futures = [workers.executor.submit(grade_task, GradingTask(path.stem, path)) for path in paths]
            records = [future.result().packed_result for future in futures]
    spent = [unpack_report(record.packed_report).timing.seconds for record in records if record]
    assert first.packed_result is not None
    opening -= unpack_report(first.packed_result.packed_report).timing.seconds["total"]
    return [seconds["total"] + seconds.get("diagnosis", 0.0) for seconds in spent], opening


def measured(service: Sequence[float], opening: float, alone: float, dask: float, scheduler: float) -> str:
    """Show what was measured here as a table."""
    ordered = sorted(service)
    rows = [
        ["grading one submission, mean", f"{statistics.fmean(ordered) * 1e3:.0f} ms"],
        ["... median", f"{statistics.median(ordered) * 1e3:.0f} ms"],
        ["... the slowest of 20", f"{ordered[int(len(ordered) * 0.95)] * 1e3:.0f} ms"],
        ["submissions an hour and worker", f"{HOUR / statistics.fmean(ordered):,.0f}"],
        ["a worker's start", f"{opening:.1f} s"],
        ["one result, workers on this machine", f"{alone * 1e3:.1f} ms"],
        ["one result over Dask, coordinator", f"{dask * 1e3:.1f} ms"],
        ["one result over Dask, scheduler", f"{scheduler * 1e3:.1f} ms"],
    ]
    return table(["measured here", "each"], rows)


def simulated(service: Sequence[float], opening: float, alone: float, dask: float) -> str:
    """Show what follows from it as a table."""
    rows = []
    for submissions, workers in SIZES:
        local = workers <= 8
        for lifetime in LIFETIMES if workers >= 256 else LIFETIMES[:1]:
            plan = Plan(
                submissions,
                workers,
                service,
                alone if local else dask,
                opening,
                TASKS_QUEUED_PER_WORKER if local else 2,
                lifetime,
            )
            found = Simulation(plan).run()
            rows.append(
                [
                    f"{submissions:,}",
                    f"{workers:,}",
                    "never" if lifetime == float("inf") else f"{lifetime / HOUR:.0f} h",
                    f"{found.seconds / 60:,.1f}",
                    f"{submissions / found.seconds:,.0f}",
                    f"{100 * found.grading / workers / found.seconds:.0f} %",
                    f"{100 * found.coordinating / found.seconds:.0f} %",
                    f"{found.lost:,}",
                ]
            )
    head = ["submissions", "workers", "a worker is lost every", "minutes", "a second", "workers grade",
            "coordinator works", "graded again"]  # fmt: skip
    return table(head, rows)


def main() -> None:
    """Measure, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assignment", default="autograd-engine")
    parser.add_argument("--rounds", type=int, default=1, help="how often the class is graded")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/scaling.md")
    options = parser.parse_args()
    assignment = next(one for one in load_course(ROOT).assignments if one.name == options.assignment)
    service, opening = service_times(assignment, options.rounds)
    alone = measure(assignment, RESULTS).rate
    dask = measure(assignment, RESULTS, workers=2).rate
    first = measured(service, opening, alone.coordinator, dask.coordinator, dask.scheduler)
    second = simulated(service, opening, alone.coordinator, max(dask.coordinator, dask.scheduler))
    print(f"{first}\n\n{second}")
    if options.write:
        put("measured", first)
        put("simulated", second)


if __name__ == "__main__":
    main()

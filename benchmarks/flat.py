"""Whether the ten-thousandth submission costs what the first did, and the memory stays what it was.

    python -m benchmarks.flat                                           # 10,000, two tests each: some minutes
    python -m benchmarks.flat --assignment autograd-engine --copies 1000

Runs a batch and looks at the coordinator and its workers meanwhile. Says how the last tenth of the batch compares
with the first, draws benchmarks/flat.svg and writes the numbers into benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from autograder.batch import BatchConfig, BatchLocation, run_batch
from autograder.course import Assignment, load_course
from autograder.sandbox import choose_strongest_sandbox
from autograder.submissions import open_submission_entries
from autograder.workers.local_workers import open_local_workers
from benchmarks.classes import ROOT, make_copies, make_small_course
from benchmarks.readme import machine, put_between
from benchmarks.samples import Drift, Sample, Watch, drifts, for_one_more, look
from benchmarks.svg import Panel, svg

LOOKS = 100
SMALL = "doubles"
FOLDER = ROOT / "benchmarks"


def main(arguments: Sequence[str] | None = None) -> None:
    """Grade, print how much changed, draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--assignment", default=SMALL, help=f"{SMALL}, with two tests, or one of this course's")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where flat.svg and README.md are written")
    options = parser.parse_args(arguments)
    before = machine()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        course = make_small_course(place / "course") if options.assignment == SMALL else ROOT
        assignment = next(one for one in load_course(course).assignments if one.name == options.assignment)
        samples = watched(assignment, place, options.copies, options.workers)
    tests = f"{options.copies:,} submissions of `{assignment.name}`, {options.workers} workers"
    text = "\n\n".join([f"{before} {tests}.", table(drifts(samples[:-1])), at_the_end(samples)])
    print(text)
    put_between(options.folder / "README.md", "flat", text)
    (options.folder / "flat.svg").write_text(svg(panels(samples[:-1]), "submissions graded"), encoding="utf-8")


def watched(assignment: Assignment, place: Path, copies: int, workers: int) -> Sequence[Sample]:
    """Look while a class is graded; the last look comes when the gradebook is written."""
    make_copies(place / "submissions", assignment.solution_file, copies)
    watch = Watch(copies, LOOKS)
    with open_submission_entries(place / "submissions") as entries:
        sandbox = choose_strongest_sandbox("process", package_names=assignment.packages)
        open_workers = partial(open_local_workers, worker_count=workers)
        request = BatchConfig(
            assignment, sandbox, BatchLocation(place / "out"), open_workers, lambda _: watch.advance()
        )
        summary = run_batch(request, entries)
    if summary.report_count != copies or set(summary.score_counts) != {assignment.max_score}:
        raise SystemExit(
            f"{summary.report_count} of {copies} were graded, with scores {sorted(summary.score_counts)}"
        )
    return [*watch.samples, look(copies)]


def table(found: Sequence[Drift]) -> str:
    """Show the first tenth and the last side by side, as Markdown."""
    lines = ["| | first tenth | last tenth | ratio |", "| --- | ---: | ---: | ---: |"]
    lines += [f"| {one.name} | {one.first:.1f} | {one.last:.1f} | {one.ratio:.2f} |" for one in found]
    return "\n".join(lines)


def at_the_end(samples: Sequence[Sample]) -> str:
    """Write a sentence on the memory of the coordinator from first to last."""
    start, end, after = samples[0], samples[-2], samples[-1]
    return (
        f"The coordinator held {start.coordinator_mb:.1f} MB at the first result, {end.coordinator_mb:.1f} MB at the "
        f"last, and {after.coordinator_mb:.1f} MB when the gradebook was written."
    )


def panels(samples: Sequence[Sample]) -> Sequence[Panel]:
    """Three charts: memory, time and CPU time over the submissions."""

    def each(of: str) -> Sequence[tuple[float, float]]:
        pairs = pairwise(samples)
        return [(b.submissions, 1e3 * for_one_more(a, b, lambda sample: getattr(sample, of))) for a, b in pairs]

    memory = [
        ("coordinator", [(float(one.submissions), one.coordinator_mb) for one in samples]),
        ("a worker", [(float(one.submissions), one.worker_mb) for one in samples]),
    ]
    return [
        Panel("resident memory, MB", memory),
        Panel("time for one more, ms", [("whole batch", each("seconds"))]),
        Panel(
            "CPU time for one more, ms", [("coordinator", each("coordinator_cpu")), ("workers", each("workers_cpu"))]
        ),
    ]


if __name__ == "__main__":
    main()

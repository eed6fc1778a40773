"""What it costs the coordinator to keep a result and to show it.

python -m benchmarks.store                   # 2,000 results in SQLite
python -m benchmarks.store --store postgresql://kit@host/empty --results 500
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.batch.folder import Views
from autograder.batch.views import Terms
from autograder.course import load_course
from autograder.course.deadlines import Due
from autograder.grading import Grader
from autograder.reports import ScoreReport, report_of
from autograder.sandbox import choose_sandbox
from autograder.store import session
from autograder.store.connect import url_of
from autograder.store.database import Store, open_store
from autograder.store.keys import HandedIn, Rules, rules_of
from autograder.store.members import Member
from autograder.store.record import Record, kept_of, record_of, unpack

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Print a table: milliseconds for each of the coordinator's steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, default=2000)
    parser.add_argument("--store", default="")
    options = parser.parse_args()
    report, record, rules = one_result()
    print(f"a report of {len(report.tests)} tests: {len(record.report)} bytes packed, raw {len(record.raw)}")
    print("| step | ms a result |\n| --- | ---: |")
    names = [HandedIn(f"{number:064d}", "") for number in range(options.results)]
    for group in (1, session.MOST_UNWRITTEN):
        with TemporaryDirectory() as place, open_store(url_of(Path(place), options.store)) as store:
            session.MOST_UNWRITTEN = group
            fresh = Rules(*[*(getattr(rules, name) for name in Rules.__slots__[:3]), f"group {group}", rules.known])
            keep = per_result(names, lambda one: keep_one(store, one, fresh, report, record))  # noqa: B023
            print(f"| keep, {group} to a commit | {keep:.3f} |")
            find = per_result(names, lambda one: store.results.find(one.identity, fresh))  # noqa: B023
    print(f"| find | {find:.3f} |")
    with TemporaryDirectory() as place:
        views = Views(Path(place), [Member(one.identity, Path()) for one in names], Terms(Due()))
        for what in ("write report and record", "see that they are there"):
            shown = per_result(names, lambda one: show_one(views, one, report, record))
            print(f"| {what} | {shown:.3f} |")
    print(f"| unpack the report | {per_result(names, lambda _: unpack(record.report)):.3f} |")


def one_result() -> tuple[ScoreReport, Record, Rules]:
    """Return the result of a wrong engine."""
    engine = load_course(ROOT).assignments[0]
    sandbox = choose_sandbox("process")
    with Grader(engine, sandbox) as grader:
        graded = grader.grade(ROOT / "examples" / "submissions" / "overwrites.py")
    report = report_of(graded, engine)
    return report, record_of(report, graded.raw, kept_of(graded)), rules_of(engine, sandbox.tier)


def keep_one(store: Store, one: HandedIn, rules: Rules, report: ScoreReport, record: Record) -> None:
    """Keep a result."""
    store.results.put(one, rules, report, record)


def show_one(views: Views, one: HandedIn, report: ScoreReport, record: Record) -> None:
    """Write what a person reads, if it is not there."""
    views.show(one.identity, report, True, lambda: record.raw)


def per_result(names: list[HandedIn], step: Callable[[HandedIn], object]) -> float:
    """Milliseconds that a step takes."""
    started = time.perf_counter()
    for one in names:
        step(one)
    return (time.perf_counter() - started) * 1000 / len(names)


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        main()

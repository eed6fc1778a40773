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

from autograder.batch.output_files import StudentResultFilesWriter
from autograder.batch.personalized_reports import ReportPersonalizationContext
from autograder.course import load_course
from autograder.course.deadline_rules import DeadlineRules
from autograder.grading import Grader
from autograder.reports import ScoreReport, make_score_report
from autograder.sandbox import choose_strongest_sandbox
from autograder.store import session
from autograder.store.connection import make_store_url
from autograder.store.results.graded_class_table import StoredSubmissionEntry
from autograder.store.results.result_model import (
    GradingRules,
    PackedResult,
    SubmissionDigests,
    make_grading_rules,
    pack_anonymous_result,
    unpack_report,
)
from autograder.store.store import Store, open_or_create_store

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Print a table: milliseconds for each of the coordinator's steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=int, default=2000)
    parser.add_argument("--store", default="")
    options = parser.parse_args()
    report, record, rules = one_result()
    print(
        f"a report of {len(report.tests)} tests: {len(record.packed_report)} bytes packed, raw "
        f"{len(record.packed_pytest_record)}"
    )
    print("| step | ms a result |\n| --- | ---: |")
    names = [SubmissionDigests(f"{number:064d}", "") for number in range(options.results)]
    for group in (1, session.MAX_UNWRITTEN_ROWS):
        with TemporaryDirectory() as place, open_or_create_store(make_store_url(Path(place), options.store)) as store:
            session.MAX_UNWRITTEN_ROWS = group
            fresh = GradingRules(
                *[
                    *(getattr(rules, name) for name in GradingRules.__slots__[:3]),
                    f"group {group}",
                    rules.misconceptions_state,
                ]
            )
            keep = per_result(names, lambda one: keep_one(store, one, fresh, report, record))  # noqa: B023
            print(f"| keep, {group} to a commit | {keep:.3f} |")
            find = per_result(names, lambda one: store.results.find_result(one.identity, fresh))  # noqa: B023
    print(f"| find | {find:.3f} |")
    with TemporaryDirectory() as place:
        views = StudentResultFilesWriter(
            Path(place),
            [StoredSubmissionEntry(one.identity, Path()) for one in names],
            ReportPersonalizationContext(DeadlineRules()),
        )
        for what in ("write report and record", "see that they are there"):
            shown = per_result(names, lambda one: show_one(views, one, report, record))
            print(f"| {what} | {shown:.3f} |")
    print(f"| unpack the report | {per_result(names, lambda _: unpack_report(record.packed_report)):.3f} |")


def one_result() -> tuple[ScoreReport, PackedResult, GradingRules]:
    """Return the result of a wrong engine."""
    engine = load_course(ROOT).assignments[0]
    sandbox = choose_strongest_sandbox("process")
    with Grader(engine, sandbox) as grader:
        graded = grader.grade(ROOT / "examples" / "submissions" / "overwrites.py")
    report = make_score_report(graded, engine)
    return (
        report,
        pack_anonymous_result(report, graded.pytest_record),
        make_grading_rules(engine, sandbox.tier),
    )


def keep_one(
    store: Store, one: SubmissionDigests, rules: GradingRules, report: ScoreReport, record: PackedResult
) -> None:
    """Keep a result."""
    store.results.save_result_unless_final(one, rules, {}, report, record)


def show_one(
    views: StudentResultFilesWriter, one: SubmissionDigests, report: ScoreReport, record: PackedResult
) -> None:
    """Write what a person reads, if it is not there."""
    views.update_student_files(one.identity, report, True, lambda: record.packed_pytest_record)


def per_result(names: list[SubmissionDigests], step: Callable[[SubmissionDigests], object]) -> float:
    """Milliseconds that a step takes."""
    started = time.perf_counter()
    for one in names:
        step(one)
    return (time.perf_counter() - started) * 1000 / len(names)


if __name__ == "__main__":
    with suppress(BrokenPipeError):
        main()

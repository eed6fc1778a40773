"""Lateness is applied to what is shown: it changes what counts, and never what was reached or what is graded."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from autograder.batch import BatchConfig, BatchLocation, BatchSummary, run_batch
from autograder.course import Assignment, load_course
from autograder.course.deadline_rules import DeadlineRules, LatePolicy
from autograder.lateness import SubmissionTime, SubmissionTimes
from autograder.reports import ScoreReport, read_report_json
from autograder.sandbox import SandboxConfig
from autograder.submissions import open_submission_entries
from autograder.workers.local_workers import open_local_workers
from tests.toy import HALF, RIGHT, write_toy

DEADLINE = datetime(2025, 11, 21, 12, tzinfo=UTC)
DUE = DeadlineRules(
    deadline=DEADLINE, late_policy=LatePolicy(percent_per_day=10.0), extensions=(("bob", DEADLINE.replace(day=25)),)
)
HAND_INS = SubmissionTimes(
    {
        "ada1": SubmissionTime("ada", DEADLINE),
        "ada2": SubmissionTime("ada", DEADLINE.replace(hour=13)),
        "bob": SubmissionTime("bob", DEADLINE.replace(day=24)),
        "eve": SubmissionTime('=HYPERLINK("x")\n', DEADLINE.replace(day=23)),
    }
)
CLASS = {"ada1": HALF, "ada2": RIGHT, "bob": RIGHT, "carl": RIGHT, "eve": RIGHT}


@dataclass(frozen=True, slots=True)
class TimedBatch:
    out: Path
    summary: BatchSummary

    @property
    def gradebook(self) -> dict[str, dict[str, str]]:
        with (self.out / "gradebook.csv").open(encoding="utf-8", newline="") as file:
            return {row["submission"]: row for row in csv.DictReader(file)}

    def report(self, name: str) -> ScoreReport:
        return read_report_json(self.out / "reports" / f"{name}.json")


View = Callable[[DeadlineRules, SubmissionTimes | None], TimedBatch]


@pytest.fixture(scope="module")
def view(sandbox: SandboxConfig, tmp_path_factory: pytest.TempPathFactory) -> View:
    """Grade a small class, or look at it again under other rules."""
    place = tmp_path_factory.mktemp("late")
    toy: Assignment = load_course(write_toy(place)).assignments[0]
    (place / "class").mkdir()
    for name, source in CLASS.items():
        (place / "class" / f"{name}.py").write_text(f"{source}# {name}\n", encoding="utf-8")

    def viewed(due: DeadlineRules, hand_ins: SubmissionTimes | None) -> TimedBatch:
        with open_submission_entries(place / "class") as entries:
            one_worker = partial(open_local_workers, worker_count=1)
            request = BatchConfig(replace(toy, deadline_rules=due), sandbox, BatchLocation(place / "out"), one_worker)
            done = run_batch(request, entries, submission_times=hand_ins)
        return TimedBatch(place / "out", done)

    viewed(DeadlineRules(), None)
    return viewed


def test_a_late_report_has_what_counts_beside_what_was_reached(view: View) -> None:
    report = view(DUE, HAND_INS).report("ada2")
    assert (report.score, report.final.score, report.final.max_score) == (10, 9, 10)
    assert report.lateness is not None
    assert (report.lateness.percent_off, report.lateness.days_late, report.lateness.seconds_late) == (10, 1, 3600)


def test_the_gradebook_says_what_counts_and_why(view: View) -> None:
    row = view(DUE, HAND_INS).gradebook["ada2"]
    assert {name: row[name] for name in ("score", "final_score", "days_late", "percent_off", "handed_in")} == {
        "score": "10",
        "final_score": "9",
        "days_late": "1",
        "percent_off": "10",
        "handed_in": "2025-11-21T13:00:00+00:00",
    }


def test_who_has_an_extension_is_in_time(view: View) -> None:
    batch = view(DUE, HAND_INS)
    assert batch.gradebook["bob"]["percent_off"] == "0"
    assert batch.summary.late_count == 2


def test_a_group_has_its_members_latest_extension_and_the_gradebook_says_whose(view: View) -> None:
    due = replace(DUE, extensions=(("=bob", DEADLINE.replace(day=25)), ("carl@x", DEADLINE.replace(day=24))))
    group = SubmissionTime("the team", DEADLINE.replace(day=25), (("carl", "carl@x"), ("=bob",)))
    batch = view(due, SubmissionTimes({"carl": group, "ada1": SubmissionTime("ada", DEADLINE)}))
    row, report = batch.gradebook["carl"], batch.report("carl")
    assert (row["final_score"], row["student"], row["extension_of"]) == ("10", "the team", "'=bob")
    assert report.lateness is not None
    assert report.lateness.extension_of == "=bob"
    assert batch.gradebook["ada1"]["extension_of"] == ""


def test_who_stands_in_no_line_is_not_late_and_is_listed(view: View) -> None:
    batch = view(DUE, HAND_INS)
    row = batch.gradebook["carl"]
    assert (row["final_score"], row["days_late"], row["student"], row["counts"]) == ("10", "", "", "yes")
    assert (batch.summary.untimed_count, batch.summary.first_untimed_names) == (1, ["carl"])


def test_a_students_name_is_no_formula_and_one_line(view: View) -> None:
    assert view(DUE, HAND_INS).gradebook["eve"]["student"] == '\'=HYPERLINK("x")\\n'


def test_every_attempt_is_reported_and_one_counts(view: View) -> None:
    book = view(DUE, HAND_INS).gradebook
    assert [(name, row["counts"]) for name, row in book.items() if row["student"] == "ada"] == [
        ("ada1", "no"),
        ("ada2", "yes"),
    ]


def test_the_best_attempt_is_the_best_after_lateness(view: View) -> None:
    strict = replace(DUE, late_policy=LatePolicy(percent_per_hour=60.0))
    book = view(strict, HAND_INS).gradebook
    assert {name: (book[name]["final_score"], book[name]["counts"]) for name in ("ada1", "ada2")} == {
        "ada1": ("5", "yes"),
        "ada2": ("4", "no"),
    }
    assert view(replace(strict, which_attempt_counts="last"), HAND_INS).gradebook["ada2"]["counts"] == "yes"


def test_other_rules_are_another_view_and_nothing_is_graded_again(view: View) -> None:
    before = view(DUE, HAND_INS)
    graded_at = before.report("ada2").timing
    after = view(replace(DUE, late_policy=LatePolicy(percent_per_day=50.0)), HAND_INS)
    assert after.summary.reused_count == len(CLASS)
    assert (after.report("ada2").final.score, after.report("ada2").score) == (5, 10)
    assert after.report("ada2").timing == graded_at


def test_hand_ins_are_remembered_until_others_are_told(view: View) -> None:
    view(DUE, HAND_INS)
    assert view(DUE, None).report("ada2").lateness == view(DUE, HAND_INS).report("ada2").lateness
    nobody = view(DUE, SubmissionTimes())
    assert (nobody.report("ada2").final.score, nobody.report("ada2").lateness) == (10, None)
    assert {row["counts"] for row in nobody.gradebook.values()} == {"yes"}

"""Results by an earlier version of the kit stay as they are, and are told apart, until staff regrades."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from autograder.batch.batch_coordinator import OTHER_KIT
from autograder.batch.mark_changes import RegradedReportPair
from autograder.cli.batch_execution import iterate_batch_summary_lines as lines_of
from autograder.kit_version import get_kit_version_with_code_digest
from tests.store.conftest import RIGHT, CounterCourse

LATER = "9.0.0+0123456789ab"
BEFORE = get_kit_version_with_code_digest()


@pytest.fixture
def later(counter_course: CounterCourse, monkeypatch: pytest.MonkeyPatch) -> CounterCourse:
    """The class, graded by a kit, and now there is a later one."""
    monkeypatch.setattr("autograder.store.results.result_model.get_kit_version_with_code_digest", lambda: LATER)
    monkeypatch.setattr("autograder.reports.score_report_maker.get_kit_version_with_code_digest", lambda: LATER)
    return counter_course


def kits(counter_course: CounterCourse) -> dict[str, str]:
    """The kit of each result, as the gradebook has it."""
    rows = csv.DictReader(io.StringIO(counter_course.gradebook().decode()))
    return {row["submission"]: row["kit"] for row in rows}


def none(*_: object) -> None:
    raise AssertionError("workers were started")


def test_a_batch_leaves_them_as_they_are_and_counts_them(later: CounterCourse) -> None:
    before = later.reports()
    summary = later.batch(open_workers=none)
    assert (summary.reused_count, summary.other_kit_count, summary.outdated_count) == (6, 6, 0)
    assert later.reports() == before


def test_the_summary_tells_them_and_how_to_see_what_would_change(later: CounterCourse) -> None:
    summary = later.batch(open_workers=none)
    assert (
        "6 results are by an earlier version of the kit and stay as they are: "
        "`autograder regrade counter --out out --dry-run` lists what would change"
    ) in lines_of(summary, later.assignment, Path("out"), "namespaces")


def test_who_is_new_or_hands_in_something_else_is_graded_by_the_present_kit(later: CounterCourse) -> None:
    later.hand_in(gina=RIGHT + "\n", bob=RIGHT + "\n\n")
    summary = later.batch()
    assert (summary.reused_count, summary.newly_graded_count, summary.other_kit_count) == (5, 2, 5)
    assert kits(later) == {
        **dict.fromkeys(("alice", "carol", "dave", "erin", "frank"), BEFORE),
        **dict.fromkeys(("gina", "bob"), LATER),
    }
    assert later.reports()["gina"].kit_version == LATER


def test_they_stay_when_the_assignment_changed_as_well(later: CounterCourse) -> None:
    before = later.reports()
    later.change(later.root / "grading.yml", "counting: 10", "counting: 30")
    assert later.batch(open_workers=none).other_kit_count == 6
    assert later.reports() == before


def test_a_regrade_runs_everything_again_and_knows_what_was(
    later: CounterCourse, regraded_pairs: list[RegradedReportPair]
) -> None:
    before = later.reports()
    summary = later.regrade(on_regraded=regraded_pairs.append)
    assert {one.reason_to_run for one in regraded_pairs} == {OTHER_KIT}
    assert {one.submission_name: one.before.score for one in regraded_pairs} == {
        name: one.score for name, one in before.items()
    }
    assert (summary.newly_graded_count, summary.other_kit_count) == (6, 0)
    assert {*kits(later).values()} == {LATER}
    assert later.batch(open_workers=none).reused_count == 6


def test_the_earlier_kit_finds_its_own_results_again(later: CounterCourse, monkeypatch: pytest.MonkeyPatch) -> None:
    later.regrade()
    monkeypatch.setattr("autograder.store.results.result_model.get_kit_version_with_code_digest", lambda: BEFORE)
    summary = later.batch(open_workers=none)
    assert (summary.reused_count, summary.other_kit_count) == (6, 0)
    assert {*kits(later).values()} == {BEFORE}

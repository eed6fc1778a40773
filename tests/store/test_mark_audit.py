"""A batch or a regrade that changes a mark says so in the audit table, as decisions, exports and uploads do."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import partial
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner

from autograder.batch import BatchLocation
from autograder.batch.graded_class import RewriteOptions, rewrite_reports_and_gradebook
from autograder.batch.mark_changes import ClassMarkComparison, record_deadline_changes
from autograder.cli.main import main
from autograder.cli.regrade import iterate_mark_change_lines
from autograder.course.deadline_rules import DeadlineRules, LatePolicy
from autograder.lateness import SubmissionTime, SubmissionTimes
from autograder.store.audit import AuditAction, AuditRow, AuditState, get_os_user_name
from autograder.store.connection import DATABASE_FILE
from autograder.store.results.deadline_rules_snapshot import (
    iterate_rule_differences,
    make_stored_deadline_rules,
    serialize_deadline_rules,
    try_parse_deadline_rules,
)
from autograder.store.results.graded_class_table import GradedClassTables, StoredGradedClass
from autograder.workers.grading_tasks import GradingTaskResult
from tests.store.conftest import RIGHT, CounterCourse

STORE_PAGE = Path(__file__).parents[2] / "docs" / "store.md"
LATE = """
    deadline: 2025-11-21 12:00
    timezone: UTC
    late: {percent_per_day: 50}
"""


def rows(counter_course: CounterCourse) -> list[AuditRow]:
    location = BatchLocation(counter_course.root / "out")
    with location.open_existing_store(dry_run=True) as store:
        return store.audit.load_audit_rows(location.class_key_in_store, "counter")


def marks(counter_course: CounterCourse) -> list[tuple[str, str, str, str, str]]:
    return [
        (one.action.kind, one.event.changed_item, one.event.submission, one.event.before, one.event.after)
        for one in rows(counter_course)
    ]


def double_the_points(counter_course: CounterCourse) -> None:
    counter_course.change(counter_course.root / "grading.yml", "counting: 10", "counting: 20")


def test_a_first_grading_and_a_batch_that_changes_nothing_write_no_row(counter_course: CounterCourse) -> None:
    assert rows(counter_course) == []
    counter_course.batch()
    assert rows(counter_course) == []


def test_a_regrade_writes_a_row_for_each_mark_that_changes(counter_course: CounterCourse) -> None:
    before = counter_course.reports()
    double_the_points(counter_course)
    counter_course.regrade()
    after = counter_course.reports()
    changed = {name for name in before if before[name].final.score != after[name].final.score}
    assert {"alice", "dave"} <= changed < {*before}
    found = rows(counter_course)
    assert {one.event.submission for one in found} == changed
    assert len(found) == len(changed)
    (alice,) = (one for one in found if one.event.submission == "alice")
    assert (alice.event.changed_item, alice.event.before, alice.event.after) == ("mark", "10", "20")
    assert (alice.action.kind, alice.action.account, alice.state) == ("regrade", get_os_user_name(), "graded")
    assert alice.recorded_at.tzinfo == UTC
    assert len({one.action.run for one in found}) == 1
    counter_course.regrade()
    assert rows(counter_course) == found


def test_a_stopped_regrade_that_is_repeated_writes_a_row_for_each_of_several_equal_submissions(
    counter_course: CounterCourse,
) -> None:
    for name in ("yan", "zoe"):
        (counter_course.students / name).mkdir()
        (counter_course.students / name / "value.py").write_text(RIGHT, encoding="utf-8")
    counter_course.batch()
    double_the_points(counter_course)

    def stop(result: GradingTaskResult) -> None:
        if result.name == "yan":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        counter_course.regrade(on_result=stop)
    assert "zoe" not in {change[2] for change in marks(counter_course)}
    counter_course.regrade()
    equal = [change for change in marks(counter_course) if change[2] in ("yan", "zoe")]
    assert equal == [("regrade", "mark", name, "10", "20") for name in ("yan", "zoe")]


def test_a_batch_writes_a_row_for_whoever_handed_in_something_else_and_none_for_who_is_new(
    counter_course: CounterCourse,
) -> None:
    counter_course.hand_in(bob=RIGHT, zoe=RIGHT)
    before = counter_course.reports()["bob"].final.score
    counter_course.batch()
    assert marks(counter_course) == [("batch", "mark", "bob", f"{before:g}", "10")]


def test_a_batch_writes_a_row_where_a_student_gets_the_result_of_another(counter_course: CounterCourse) -> None:
    (counter_course.students / "alice.py").write_bytes((counter_course.students / "erin.py").read_bytes())
    counter_course.batch()
    ((kind, what, who, before, after),) = marks(counter_course)
    assert (kind, what, who) == ("batch", "mark", "alice")
    assert before != after


def test_a_batch_writes_a_row_where_a_hand_in_turns_out_to_be_late(counter_course: CounterCourse) -> None:
    counter_course.change(counter_course.root / "grading.yml", "    defines:", LATE.lstrip("\n") + "    defines:")
    times = SubmissionTimes({"alice": SubmissionTime("alice", datetime(2025, 11, 22, 11, tzinfo=UTC))})
    counter_course.batch(submission_times=times)
    deadline, late, row = marks(counter_course)
    assert deadline == ("deadlines", "deadline", "", "", "2025-11-21 12:00 UTC")
    assert late[:3] == ("deadlines", "late", "")
    assert row[:4] == ("batch", "mark", "alice", "10 + 4 bonus")
    until_then = rows(counter_course)
    earlier = SubmissionTimes({"alice": SubmissionTime("alice", datetime(2025, 11, 21, 11, tzinfo=UTC))})
    location, assignment = BatchLocation(counter_course.root / "out"), counter_course.assignment
    rewrite_reports_and_gradebook(location, "counter", lambda _: assignment, RewriteOptions("", lambda *_: earlier))
    assert marks(counter_course)[len(until_then) :] == [("report", "mark", "alice", row[4], row[3])]


def hand_in_late(counter_course: CounterCourse) -> list[tuple[str, str, str, str, str]]:
    """Let alice be late by a day of a class whose deadline costs nothing yet; return the rows until then."""
    counter_course.change(
        counter_course.root / "grading.yml",
        "    defines:",
        LATE.lstrip("\n").replace("percent_per_day: 50", "grace_minutes: 0") + "    defines:",
    )
    moment = datetime(2025, 11, 22, 11, tzinfo=UTC)
    names = ("alice", "dave")
    counter_course.batch(submission_times=SubmissionTimes({name: SubmissionTime(name, moment) for name in names}))
    return marks(counter_course)


def rewrite(counter_course: CounterCourse) -> None:
    location, assignment = BatchLocation(counter_course.root / "out"), counter_course.assignment
    rewrite_reports_and_gradebook(location, "counter", lambda _: assignment)


def call(counter_course: CounterCourse, *words: str) -> None:
    out = str(counter_course.root / "out")
    done = CliRunner().invoke(
        main, [*(word.replace("{out}", out) for word in words), "--course", str(counter_course.root)]
    )
    assert done.exit_code == 0, done.output


@pytest.mark.first_cases(2)
@pytest.mark.parametrize("command", ["batch", "regrade", "report", "export", "decide"])
def test_other_deadlines_in_the_course_write_a_row_and_one_for_each_mark_that_follows(
    command: str, counter_course: CounterCourse
) -> None:
    before = hand_in_late(counter_course)
    run: dict[str, Callable[[], object]] = {
        "batch": counter_course.batch,
        "regrade": counter_course.regrade,
        "report": partial(rewrite, counter_course),
        "export": partial(call, counter_course, "export", "junit", "--batch", "{out}", "--out", "{out}/upload"),
        "decide": partial(call, counter_course, "decide", "comment", "dave", "--text", "See me.", "--out", "{out}"),
    }
    counter_course.change(counter_course.root / "grading.yml", "grace_minutes: 0", "percent_per_day: 50")
    run[command]()
    late, *changed = (row for row in marks(counter_course)[len(before) :] if row[0] == "deadlines")
    assert late == ("deadlines", "late", "", "{}", '{"percent_per_day":50.0}')
    assert ("deadlines", "mark", "alice", "10 + 4 bonus", "5 + 2 bonus") in changed
    assert {row[2] for row in changed} == {"alice", "dave"}
    run[command]()
    assert [row[0] for row in marks(counter_course)].count("deadlines") == len(before) + 3


def test_an_extension_writes_a_row_for_its_student_and_names_them_nowhere_else(counter_course: CounterCourse) -> None:
    hand_in_late(counter_course)
    grading = counter_course.root / "grading.yml"
    counter_course.change(grading, "grace_minutes: 0", "percent_per_day: 50")
    counter_course.batch()
    before = marks(counter_course)
    counter_course.change(grading, "    late:", "    extensions: {alice: 2025-11-23 12:00}\n    late:")
    counter_course.batch()
    counter_course.change(grading, "2025-11-23", "2025-11-22")
    counter_course.batch()
    assert marks(counter_course)[len(before) :] == [
        ("deadlines", "extensions", "", "0", "1 (1 added, 0 moved, 0 removed)"),
        ("deadlines", "mark", "alice", "5 + 2 bonus", "10 + 4 bonus"),
        ("deadlines", "extensions", "", "1", "1 (0 added, 1 moved, 0 removed)"),
    ]
    location = BatchLocation(counter_course.root / "out")
    with location.open_existing_store(dry_run=True) as store:
        stored_class = location.get_stored_class(store, "counter")
        assert "alice" not in store.classes.load_deadline_rules_json(stored_class)


def test_a_mark_that_other_deadlines_and_new_times_leave_as_it_was_has_no_row(counter_course: CounterCourse) -> None:
    hand_in_late(counter_course)
    grading = counter_course.root / "grading.yml"
    counter_course.change(grading, "grace_minutes: 0", "percent_per_day: 50")
    counter_course.batch()
    before = marks(counter_course)
    counter_course.change(grading, "2025-11-21 12:00", "2025-11-22 12:00")
    times = {name: SubmissionTime(name, datetime(2025, 11, 23, 11, tzinfo=UTC)) for name in ("alice", "dave")}
    counter_course.batch(submission_times=SubmissionTimes(times))
    assert marks(counter_course)[len(before) :] == [
        ("deadlines", "deadline", "", "2025-11-21 12:00 UTC", "2025-11-22 12:00 UTC")
    ]


def test_of_two_processes_that_find_other_deadlines_one_writes_the_rows(
    counter_course: CounterCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = hand_in_late(counter_course)
    counter_course.change(counter_course.root / "grading.yml", "grace_minutes: 0", "percent_per_day: 50")
    location = BatchLocation(counter_course.root / "out")
    load = GradedClassTables.load_deadline_rules_json

    def load_and_let_another_process_go_first(table: GradedClassTables, stored_class: StoredGradedClass) -> str:
        monkeypatch.setattr(GradedClassTables, "load_deadline_rules_json", load)
        found = load(table, stored_class)
        rewrite(counter_course)
        return found

    monkeypatch.setattr(GradedClassTables, "load_deadline_rules_json", load_and_let_another_process_go_first)
    with location.open_existing_store() as store:
        record_deadline_changes(store, location.class_key_in_store, counter_course.assignment)
    assert len(marks(counter_course)) == len(before) + 3


def test_nobody_waits_for_a_report_that_found_other_deadlines(counter_course: CounterCourse) -> None:
    hand_in_late(counter_course)
    counter_course.change(counter_course.root / "grading.yml", "grace_minutes: 0", "percent_per_day: 50")
    location = BatchLocation(counter_course.root / "out")
    with location.open_existing_store() as store:
        record_deadline_changes(store, location.class_key_in_store, counter_course.assignment)
        with closing(sqlite3.connect(location.output_folder / DATABASE_FILE, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")


def test_a_trial_of_a_regrade_writes_no_row_about_deadlines(counter_course: CounterCourse) -> None:
    before = hand_in_late(counter_course)
    counter_course.change(counter_course.root / "grading.yml", "grace_minutes: 0", "percent_per_day: 50")
    counter_course.regrade(dry_run=True)
    assert marks(counter_course) == before


def regrade_and_list_changed_marks(counter_course: CounterCourse, *, dry_run: bool = False) -> list[str]:
    compared = ClassMarkComparison()
    summary = counter_course.regrade(on_regraded=compared.add_regraded_submission, dry_run=dry_run)
    return [*iterate_mark_change_lines(compared, summary.reused_count - summary.compared_reused_count)]


def test_a_regrade_lists_the_marks_that_another_late_penalty_changed(counter_course: CounterCourse) -> None:
    hand_in_late(counter_course)
    counter_course.change(counter_course.root / "grading.yml", "grace_minutes: 0", "percent_per_day: 50")
    tried = regrade_and_list_changed_marks(counter_course, dry_run=True)
    assert tried[0] == "2 marks go down:"
    assert "  alice: 10 + 4 bonus -> 5 + 2 bonus" in tried
    assert tried[-1] == "4 marks stay as they are"
    assert regrade_and_list_changed_marks(counter_course) == tried
    assert regrade_and_list_changed_marks(counter_course) == ["6 marks stay as they are"]


def test_a_regrade_after_other_deadlines_and_other_points_lists_the_whole_change_and_records_each_part_once(
    counter_course: CounterCourse,
) -> None:
    before = hand_in_late(counter_course)
    counter_course.change(counter_course.root / "grading.yml", "grace_minutes: 0", "percent_per_day: 50")
    double_the_points(counter_course)
    tried = regrade_and_list_changed_marks(counter_course, dry_run=True)
    assert "  alice: 10 + 4 bonus -> 10 + 2 bonus, counting +10" in tried
    assert regrade_and_list_changed_marks(counter_course) == tried
    of_alice = [(row[0], *row[3:]) for row in marks(counter_course)[len(before) :] if row[2] == "alice"]
    assert of_alice == [("deadlines", "10 + 4 bonus", "5 + 2 bonus"), ("regrade", "5", "10")]


def test_deadlines_that_are_the_same_moment_on_other_clocks_are_others() -> None:
    berlin = datetime(2025, 11, 21, 13, tzinfo=ZoneInfo("Europe/Berlin"))
    before, now = (make_stored_deadline_rules(DeadlineRules(moment)) for moment in (berlin, berlin.astimezone(UTC)))
    assert [*iterate_rule_differences(before, now)] == [("deadline", "2025-11-21 13:00 CET", "2025-11-21 12:00 UTC")]


@pytest.mark.parametrize("zone", [ZoneInfo("Europe/Berlin"), timezone(timedelta(hours=5, minutes=45))])
def test_deadlines_are_read_as_they_were_kept(zone: tzinfo) -> None:
    moment = datetime(2025, 10, 26, 2, 30, tzinfo=zone, fold=1)
    rules = DeadlineRules(moment, LatePolicy(percent_per_day=50), (("ada", moment),), which_attempt_counts="last")
    stored = make_stored_deadline_rules(rules)
    kept = try_parse_deadline_rules(serialize_deadline_rules(stored))
    assert kept == stored
    assert kept.restore(["ada", "bob"]) == rules
    assert kept.restore(["bob"]).extensions == ()
    assert kept.without_extensions_of(["Ada", "ada"]).extensions == ()
    restored = kept.restore([]).deadline
    assert restored is not None
    assert (restored.utcoffset(), str(restored.tzinfo)) == (moment.utcoffset(), str(zone))


@pytest.mark.parametrize("kept", ["", "{", "[]", '{"deadline": 3}'])
def test_deadlines_that_cannot_be_read_are_not_known(kept: str) -> None:
    assert try_parse_deadline_rules(kept) is None


def test_the_page_on_the_store_lists_every_action_and_every_state() -> None:
    _, _, section = STORE_PAGE.read_text(encoding="utf-8").partition("## Who changed a mark")
    section = section.partition("\n## ")[0]
    listed = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    assert listed == ["action", *get_args(AuditAction)]
    states = " ".join(section.split()).partition("`state` is ")[2].partition("`overwrote`")[0]
    assert {*re.findall(r"`([a-z]+)`", states)} == {*get_args(AuditState)}

"""``autograder decide``, as it is typed."""

from __future__ import annotations

import csv
import subprocess
import sys

import pytest

from tests.cli import commands
from tests.cli.commands import CALLERS_MISTAKE, succeeded, told
from tests.cli.commands import Run as Done
from tests.store.conftest import CounterCourse


def decide(counter_course: CounterCourse, *arguments: str) -> Done:
    return commands.run("decide", *arguments, "--out", "out", cwd=counter_course.root)


def lines(counter_course: CounterCourse, *arguments: str) -> list[str]:
    return succeeded(decide(counter_course, *arguments)).splitlines()


def gradebook(counter_course: CounterCourse) -> dict[str, dict[str, str]]:
    with (counter_course.root / "out" / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


def test_an_override_says_what_changes_and_is_in_the_gradebook(due_class: CounterCourse) -> None:
    shown = lines(due_class, "override", "bob", "--score", "7", "--reason", "appeal granted", "--by", "Kim")
    assert shown[:2] == ['decision 1: bob: score 7, "appeal granted" (Kim)', "  bob: 0 + 3.6 bonus -> 7 + 0 bonus"]
    assert gradebook(due_class)["bob"]["final_score"] == "7"


def test_a_dry_run_shows_the_marks_and_keeps_nothing(due_class: CounterCourse) -> None:
    shown = lines(due_class, "override", "bob", "--score", "7", "--reason", "appeal", "--dry-run")
    assert "  bob: 0 + 3.6 bonus -> 7 + 0 bonus" in shown
    assert shown[-1] == "nothing was written: this was a dry run"
    assert lines(due_class, "list") == ["nothing was decided"]


def test_points_beside_a_set_score_are_said_not_to_count(due_class: CounterCourse) -> None:
    lines(due_class, "override", "bob", "--score", "7", "--reason", "appeal")
    given = lines(due_class, "points", "bob", "--points", "2", "--for", "style")
    said = "not counted: the score that was set counts alone"
    assert said in given[0]
    assert [said in line for line in lines(due_class, "list")] == [False, True]


def test_a_student_may_be_named_who_has_one_submission(due_class: CounterCourse) -> None:
    lines(due_class, "comment", "bob@u", "--text", "See me.")
    assert "See me." in gradebook(due_class)["bob"]["decisions"]


def test_a_student_with_several_submissions_must_say_which(due_class: CounterCourse) -> None:
    assert "handed in 2 submissions (name one: erin, frank)" in told(
        decide(due_class, "comment", "erin@u", "--text", "x")
    )


def test_an_unknown_name_is_told_with_those_that_are_like_it(due_class: CounterCourse) -> None:
    assert "did you mean bob" in told(decide(due_class, "comment", "bobb", "--text", "x"))


def test_more_time_for_a_student_and_for_all(due_class: CounterCourse) -> None:
    assert "  bob: 0 + 3.6 bonus -> 0 + 4 bonus" in lines(
        due_class, "extend", "bob@u", "--days", "1", "--reason", "ill"
    )
    lines(due_class, "extend", "--all", "--hours", "48", "--reason", "outage")
    row = gradebook(due_class)["bob"]
    assert (row["percent_off"], row["extension_of"]) == ("0", "bob@u")


def test_an_extension_may_be_given_before_the_hand_in(due_class: CounterCourse) -> None:
    shown = lines(due_class, "extend", "zoe@u", "--days", "1", "--reason", "ill")
    assert "zoe@u has no submission yet: the decision applies to the first one under that name" in shown


def test_a_group_that_nobody_belongs_to_is_refused(due_class: CounterCourse) -> None:
    assert "unknown group" in told(decide(due_class, "extend", "--group", "red", "--days", "1", "--reason", "x"))


def test_a_group_of_the_roster_gets_more_time_before_anybody_of_it_handed_in(due_class: CounterCourse) -> None:
    roster = "email,group\nbob@u,Red\nzoe@u,red\nalice@u,blue\n"
    (due_class.root / "roster.csv").write_text(roster, encoding="utf-8")
    arguments = ("batch", "counter", "students", "--out", "out", "--roster", "roster.csv", "--allow-unsafe")
    succeeded(commands.run(*arguments, cwd=due_class.root))
    shown = lines(due_class, "extend", "--group", "RED", "--days", "1", "--reason", "lab closed")
    assert [line.split(": ")[1] for line in shown if line.startswith("decision")] == ["bob@u", "zoe@u"]
    assert "  bob: 0 + 3.6 bonus -> 0 + 4 bonus" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("extend", "--all", "--reason", "x"),
        ("extend", "bob", "--all", "--days", "1", "--reason", "x"),
        ("extend", "bob", "--days", "1", "--hours", "1", "--reason", "x"),
        ("exempt", "--test", "counting.it-goes-up", "--reason", "x"),
        ("override", "bob", "--score", "7"),
    ],
    ids=" ".join,
)
def test_half_a_wish_is_refused(due_class: CounterCourse, arguments: tuple[str, ...]) -> None:
    assert decide(due_class, *arguments).returncode == CALLERS_MISTAKE


def test_a_decision_is_undone_by_its_number(due_class: CounterCourse) -> None:
    lines(due_class, "override", "bob", "--score", "7", "--reason", "appeal")
    assert "  bob: 7 + 0 bonus -> 0 + 3.6 bonus" in lines(due_class, "undo", "1", "--reason", "wrong student")
    assert lines(due_class, "list") == ["nothing was decided"]
    assert "undone" in lines(due_class, "list", "--undone")[0]
    assert "was undone already" in told(decide(due_class, "undo", "1", "--reason", "x"))
    assert "this class has no decision 2" in told(decide(due_class, "undo", "2", "--reason", "x"))


def test_a_table_has_all_decisions_that_hold_and_no_choice_of_them(due_class: CounterCourse) -> None:
    for choice in ("bob", "--undone"):
        assert "leave out ID and --undone" in decide(due_class, "list", choice, "--csv", "d.csv").stderr
    assert not (due_class.root / "d.csv").exists()


def test_a_table_is_edited_and_read_back_whole_or_not_at_all(due_class: CounterCourse) -> None:
    lines(due_class, "override", "bob", "--score", "7", "--reason", "appeal")
    lines(due_class, "list", "--csv", "d.csv")
    table = due_class.root / "d.csv"
    edited = table.read_text(encoding="utf-8").replace("bob,,7", "bob,,8") + ",points,erin,style,1,,,,\n"
    table.write_text(edited + ",override,nobody,,1,x,,,\n", encoding="utf-8")
    assert "nobody" in told(decide(due_class, "read", "d.csv"))
    assert len(lines(due_class, "list")) == 1
    table.write_text(edited, encoding="utf-8")
    shown = lines(due_class, "read", "d.csv", "--by", "Kim")
    assert 'decision 2: bob: score 8, "appeal" (Kim)' in shown
    assert gradebook(due_class)["bob"]["final_score"] == "8"
    assert gradebook(due_class)["erin"]["final_score"] == "6"


def test_the_audit_log_has_every_step(due_class: CounterCourse) -> None:
    lines(due_class, "override", "bob", "--score", "7", "--reason", "appeal", "--by", "Kim")
    lines(due_class, "undo", "1", "--reason", "wrong student", "--by", "Lea")
    first, second = lines(due_class, "log")
    assert "Kim (" in first
    assert first.endswith('decide, override of bob: 0 -> 7 (decided, "appeal")')
    assert second.endswith('undo, override of bob: 7 -> nothing (decided, "wrong student")')


def test_an_export_takes_what_was_decided(due_class: CounterCourse) -> None:
    lines(due_class, "override", "carol", "--score", "6", "--reason", "graded by hand")
    shown = succeeded(commands.run("export", "otter", "--batch", "out", "--out", "grades.csv", cwd=due_class.root))
    assert "could not be graded" not in shown
    with (due_class.root / "grades.csv").open(encoding="utf-8", newline="") as file:
        totals = {row[0]: row[-3] for row in csv.reader(file)}
    assert totals["carol.py"] == "6.0"


@pytest.mark.thorough
def test_a_reader_that_leaves_early_stops_no_report_of_what_was_decided(due_class: CounterCourse) -> None:
    arguments = ("override", "bob", "--score", "2.5", "--reason", "r", "--by", "Kim", "--out", "out")
    command = [sys.executable, "-m", "autograder", "decide", *arguments]
    with open("/dev/full", "wb") as full:
        subprocess.run(command, cwd=due_class.root, stdout=full, stderr=subprocess.DEVNULL, check=False)
    rows = csv.DictReader(due_class.gradebook().decode().splitlines())
    assert [row["final_score"] for row in rows if row["submission"] == "bob"] == ["2.5"]

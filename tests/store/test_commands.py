"""``autograder report`` and ``autograder regrade``, as they are typed."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from autograder.reports.html_report import render_report_as_html
from tests.cli import commands
from tests.cli.commands import CALLERS_MISTAKE, DONE, Run
from tests.store.conftest import CounterCourse


def run_in_course(counter_course: CounterCourse, *arguments: str | Path) -> Run:
    return commands.run(*arguments, cwd=counter_course.root)


def succeeded(done: Run) -> list[str]:
    assert done.returncode == DONE, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def changed(counter_course: CounterCourse) -> CounterCourse:
    """The class, and a test that wants something else than before."""
    counter_course.batch()
    counter_course.change(counter_course.hidden / "test_counting.py", "assert got == 2", "assert got != 4")
    return counter_course


def test_a_regrade_explains_each_changed_mark_by_concept_and_test(changed: CounterCourse) -> None:
    shown = succeeded(
        run_in_course(changed, "regrade", "counter", "--out", "out", "--explain", "--workers", "1", "--allow-unsafe")
    )
    place = shown.index("1 mark goes up:")
    assert shown[place + 1 : place + 6] == [
        "  erin: 5 -> 10, counting +5",
        "    all of it was graded again: the hidden tests changed",
        "    counting +5",
        "      counting.it-goes-up-twice: failed -> passed, +5",
        "5 marks stay as they are",
    ]
    assert any(line.startswith("6 submissions: 6 graded") for line in shown)


def test_one_student_is_regraded_and_the_others_keep_their_results(changed: CounterCourse) -> None:
    before = changed.reports()
    arguments = ("regrade", "counter", "--out", "out", "--student", "erin", "--workers", "1", "--allow-unsafe")
    shown = succeeded(run_in_course(changed, *arguments))
    assert any(line.startswith("1 submission: 1 graded") for line in shown)
    after = changed.reports()
    assert after["erin"].score == 10
    assert {name: one for name, one in after.items() if name != "erin"} == {
        name: one for name, one in before.items() if name != "erin"
    }
    versions = {
        row["submission"]: row["version"] for row in csv.DictReader(changed.gradebook().decode().splitlines())
    }
    assert versions["erin"] != versions["bob"]


def test_a_student_whom_nobody_knows_is_told(changed: CounterCourse) -> None:
    done = run_in_course(changed, "regrade", "counter", "--out", "out", "--student", "zoe", "--allow-unsafe")
    assert done.returncode == CALLERS_MISTAKE
    assert "no submission or student matches 'zoe'" in done.stderr


def test_a_dry_run_lists_the_marks_that_would_change_and_writes_nothing(changed: CounterCourse) -> None:
    out = changed.root / "out"
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    shown = succeeded(
        run_in_course(changed, "regrade", "counter", "--out", "out", "--dry-run", "--workers", "1", "--allow-unsafe")
    )
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    place = shown.index("1 mark goes up:")
    assert shown[place + 1 : place + 3] == ["  erin: 5 -> 10, counting +5", "5 marks stay as they are"]
    assert shown[-1].startswith("nothing was written: out is as it was")


def test_a_regrade_finds_the_submissions_where_they_lay(changed: CounterCourse) -> None:
    (changed.students / "bob.py").unlink()
    shown = succeeded(
        run_in_course(changed, "regrade", "counter", "--out", "out", "--workers", "1", "--allow-unsafe")
    )
    assert "bob no longer exists as it was handed in: its earlier result stays" in shown


def test_a_regrade_without_the_submissions_counts_what_it_can(counter_course: CounterCourse) -> None:
    counter_course.batch()
    shutil.rmtree(counter_course.students)
    counter_course.change(counter_course.root / "grading.yml", "counting: 10", "counting: 30")
    done = run_in_course(counter_course, "regrade", "counter", "--out", "out", "--allow-unsafe")
    assert "no longer exists: only stored results can be rescored" in done.stderr
    assert counter_course.reports()["alice"].score == 30
    assert any("6 scored anew" in line for line in succeeded(done))


def test_pages_are_written_with_them_when_they_are_asked_for(counter_course: CounterCourse) -> None:
    succeeded(run_in_course(counter_course, "report", "--out", "out"))
    assert not (counter_course.root / "out" / "feedback").exists()
    succeeded(run_in_course(counter_course, "report", "--out", "out", "--pages"))
    pages = {path.stem: path.read_text() for path in (counter_course.root / "out" / "feedback").iterdir()}
    assert pages == {name: render_report_as_html(report) for name, report in counter_course.reports().items()}


@pytest.mark.parametrize("command", [["report"], ["regrade", "counter"]], ids=" ".join)
def test_a_folder_into_which_nothing_was_graded_is_told_in_one_line(
    counter_course: CounterCourse, command: list[str]
) -> None:
    done = run_in_course(counter_course, *command, "--out", "nowhere")
    assert done.returncode == CALLERS_MISTAKE
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: nowhere: the results folder has no results.sqlite")

"""``autograder show``: all that is known of one student, and nothing is written."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from autograder.text import escape_name_unambiguously
from tests.cli import commands
from tests.cli.commands import Run, succeeded, told
from tests.store.conftest import RIGHT, CounterCourse


def show(counter_course: CounterCourse, *arguments: str) -> Run:
    return commands.run("show", *arguments, "--out", "out", cwd=counter_course.root)


def read_output(counter_course: CounterCourse, *arguments: str) -> str:
    return succeeded(commands.run(*arguments, "--out", "out", cwd=counter_course.root))


def files(counter_course: CounterCourse) -> dict[Path, bytes]:
    """What people read of the present version."""
    out = counter_course.root / "out"
    paths = [out / "gradebook.csv", *(out / "reports").iterdir(), *(out / "raw").iterdir()]
    return {path: path.read_bytes() for path in paths}


def test_every_attempt_of_a_student_is_shown_and_which_counts(due_class: CounterCourse) -> None:
    rows = [line.split() for line in succeeded(show(due_class, "erin@u")).splitlines()]
    counts = {row[0]: row[-4] for row in rows if row and row[0] in ("erin", "frank")}
    assert counts == {"erin": "no", "frank": "yes"}


def test_versions_decisions_and_exports_are_shown(due_class: CounterCourse) -> None:
    read_output(due_class, "decide", "override", "bob", "--score", "7", "--reason", "appeal", "--by", "Kim")
    read_output(due_class, "export", "otter", "--batch", "out")
    due_class.change(due_class.root / "grading.yml", "counting: 10", "counting: 30")
    read_output(due_class, "regrade", "counter", "--allow-unsafe", "--workers", "1")
    shown = succeeded(show(due_class, "bob"))
    assert "results of bob:" in shown
    assert sum("points, graded" in line for line in shown.splitlines()) == 2
    assert 'bob: score 7, "appeal" (Kim)' in shown
    assert "export to otter, mark of bob: nothing -> 7 (written)" in shown


def test_an_old_version_is_shown_and_nothing_is_overwritten(due_class: CounterCourse) -> None:
    old = due_class.assignment.version
    due_class.change(due_class.root / "grading.yml", "counting: 10", "counting: 30")
    read_output(due_class, "regrade", "counter", "--allow-unsafe", "--workers", "1")
    before = files(due_class)
    assert "alice  counter  10 of 10 points" in succeeded(show(due_class, "alice", "--version", old[:6]))
    assert "alice  counter  30 of 30 points" in succeeded(
        show(due_class, "alice", "--version", due_class.assignment.version)
    )
    read_output(due_class, "report", "--version", old)
    assert files(due_class) == before
    assert (due_class.root / "out" / "versions" / old / "reports" / "alice.json").is_file()


def test_a_page_is_written_where_it_is_asked_for(due_class: CounterCourse) -> None:
    succeeded(show(due_class, "bob", "--page", "bob.html"))
    assert "<h1>counter" in (due_class.root / "bob.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("zoe",), "no submission or student matches 'zoe'"),
        (("bob", "--version", "zzz"), "submission bob has no result by version zzz (choose from "),
        (("erin@u", "--version", "0"), "handed in 2 submissions"),
    ],
)
def test_what_is_not_there_is_told(due_class: CounterCourse, arguments: tuple[str, ...], why: str) -> None:
    assert why in told(show(due_class, *arguments))


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("name", ["a\nb", "back\\slash", "=1+1", "'=1", "' quoted"])
def test_a_name_is_found_as_the_gradebook_writes_it(due_class: CounterCourse, name: str) -> None:
    for path in due_class.students.iterdir():
        path.unlink()
    due_class.hand_in(**{name: RIGHT})
    due_class.batch()
    with (due_class.root / "out" / "gradebook.csv").open(encoding="utf-8", newline="") as table:
        written = next(csv.DictReader(table))["submission"]
    shown = read_output(due_class, "show", written)
    assert shown.splitlines()[1].startswith(f"{escape_name_unambiguously(name)}  ")
    erased = read_output(due_class, "people", "erase", "--dry-run", written)
    assert "goes: 1 submission" in erased
    exported = read_output(due_class, "people", "export", "--to", "all.zip", written)
    assert exported == "wrote all.zip: 1 submission\n"

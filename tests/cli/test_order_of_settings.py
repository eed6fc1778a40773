"""What a batch is told, and in which order, makes no difference; what it was told once it knows."""

from __future__ import annotations

import csv
import shutil
from itertools import permutations
from pathlib import Path

import pytest
from sqlalchemy import make_url

from autograder.batch.batch_location import read_remembered_store_url, write_store_url_without_password
from tests.cli import commands
from tests.cli.commands import succeeded, told
from tests.store.conftest import CLASS, RIGHT, CounterCourse

ROSTER = "id,email\n1815,alice@u\n1816,bob@u\n1817,erin@u\n1899,gone@u\n"
TIMES = """\
submission,student,handed_in
alice,1815,2026-11-21T11:00+01:00
bob,bob@u,2026-11-21T11:00+01:00
erin,1817,2026-11-20T11:00+01:00
withdrawn,1899,2026-11-20T11:00+01:00
"""
EXTENSIONS = "    extensions: {alice@u: 3, '1816': 2}\n"
OPTIONS = {"roster": ("--roster", "roster.csv"), "times": ("--submission-times", "times.csv")}


@pytest.fixture
def course(due_class: CounterCourse) -> CounterCourse:
    """A class, all of it right, of which nobody has said who is who or when they handed in."""
    due_class.change(due_class.root / "grading.yml", "    defines:", f"{EXTENSIONS}    defines:")
    (due_class.root / "roster.csv").write_text(ROSTER, encoding="utf-8")
    (due_class.root / "times.csv").write_text(TIMES, encoding="utf-8")
    shutil.rmtree(due_class.root / "out")
    for name in CLASS:
        (due_class.students / name).unlink()
    due_class.hand_in(**{name: f"{RIGHT}# {name}\n" for name in ("alice", "bob", "erin")})
    return due_class


def batch(counter_course: CounterCourse, *options: str, out: str = "out") -> str:
    arguments = ("batch", "counter", "students", "--out", out, "--allow-unsafe", *options)
    return succeeded(commands.run(*arguments, cwd=counter_course.root))


def gradebook(counter_course: CounterCourse, out: str = "out") -> dict[str, tuple[str, str, str]]:
    with (counter_course.root / out / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["submission"]: (row["percent_off"], row["extension_of"], row["student"])
            for row in csv.DictReader(file)
        }


@pytest.mark.thorough
def test_roster_and_times_give_the_same_in_any_order(course: CounterCourse) -> None:
    batch(course, *OPTIONS["roster"], *OPTIONS["times"])
    together = gradebook(course)
    assert {name: row[:2] for name, row in together.items()} == {
        "alice": ("0", "alice@u"),
        "bob": ("0", "1816"),
        "erin": ("0", ""),
    }
    for number, order in enumerate(permutations(OPTIONS)):
        for name in order:
            batch(course, *OPTIONS[name], out=f"out{number}")
        assert gradebook(course, f"out{number}") == together


@pytest.mark.thorough
def test_a_run_that_is_told_nothing_knows_what_the_last_ones_were_told(course: CounterCourse) -> None:
    batch(course, *OPTIONS["roster"], *OPTIONS["times"])
    before = gradebook(course)
    shown = batch(course)
    assert gradebook(course) == before
    assert "on the roster, without a submission: 1815, 1816, 1817, 1899" in shown  # nobody is called as their file is


def test_times_that_are_read_again_are_read_with_the_roster(course: CounterCourse) -> None:
    batch(course, *OPTIONS["roster"], *OPTIONS["times"])
    before = gradebook(course)
    succeeded(commands.run("report", "--out", "out", "--submission-times", "times.csv", cwd=course.root))
    assert gradebook(course) == before


def test_a_student_who_withdrew_is_listed_and_stops_nobody(course: CounterCourse) -> None:
    shown = batch(course, *OPTIONS["times"])
    assert "submission times without a submission (withdrawn, or spelled differently): withdrawn" in shown


def test_a_table_about_another_class_is_refused(course: CounterCourse) -> None:
    (course.root / "times.csv").write_text(
        "submission,student,handed_in\nzoe,7,2026-11-20T11:00Z\n", encoding="utf-8"
    )
    done = commands.run(
        "batch", "counter", "students", "--out", "out", "--allow-unsafe", *OPTIONS["times"], cwd=course.root
    )
    assert "unknown submission 'zoe'" in told(done)


# The store


def test_a_store_is_named_once(course: CounterCourse) -> None:
    batch(course, "--store", "sqlite:///kept/../shared.sqlite")
    assert not (course.root / "out" / "results.sqlite").exists()
    assert "3 unchanged" in batch(course)
    elsewhere = course.root / "students"
    succeeded(commands.run("report", "--out", "../out", "--course", "..", cwd=elsewhere))
    succeeded(commands.run("export", "otter", "--batch", "out", "--dry-run", cwd=course.root))
    assert (course.root / "shared.sqlite").is_file()


@pytest.mark.thorough
def test_another_store_may_be_named_later(course: CounterCourse) -> None:
    batch(course, "--store", "sqlite:///one.sqlite")
    assert "3 graded" in batch(course, "--store", "sqlite:///two.sqlite")
    assert "3 unchanged" in batch(course)
    assert "two.sqlite" in (course.root / "out" / "store.url").read_text(encoding="utf-8")


def test_a_password_is_not_written_down(tmp_path: Path) -> None:
    write_store_url_without_password(tmp_path, make_url("postgresql+psycopg://kim:secret@host/course"))
    assert read_remembered_store_url(tmp_path) == "postgresql+psycopg://kim@host/course"


def test_a_hand_in_after_the_extension_is_late_for_whoever_has_none(course: CounterCourse) -> None:
    course.hand_in(zoe=RIGHT)
    (course.root / "times.csv").write_text(TIMES + "zoe,1820,2026-11-21T11:00+01:00\n", encoding="utf-8")
    batch(course, *OPTIONS["times"])
    assert gradebook(course)["zoe"][0] == "10"

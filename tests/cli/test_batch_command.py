"""``autograder batch``: what people and programs are told of a class, and of who was late."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run, succeeded, told
from tests.toy import HALF, RIGHT, SYNTAX, write_toy

LATE = """\
    deadline: 2025-11-21 12:00
    late: {percent_per_day: 10, grace_minutes: 5}
    extensions: {bob: 2, dora: 3}
"""
HAND_INS = """\
submission,student,handed_in
ada.py,ada,2025-11-21 12:30
bob,bob,2025-11-23 11:00
"""
CLASS = {"ada": RIGHT, "bob": HALF, "carl": RIGHT, **{f"x{n}": RIGHT for n in range(4)}, "zoe": SYNTAX}


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a deadline, a class, and its results; not to be changed."""
    place = write_toy(tmp_path_factory.mktemp("toy"), LATE)
    (place / "class").mkdir()
    for name, source in CLASS.items():
        (place / "class" / f"{name}.py").write_text(f"{source}# {name}\n", encoding="utf-8")
    (place / "hand-ins.csv").write_text(HAND_INS, encoding="utf-8")
    done = run("batch", "toy", "class", "--out", "out", "--submission-times", "hand-ins.csv", cwd=place)
    (place / "shown.txt").write_text(succeeded(done), encoding="utf-8")
    (place / "progress.txt").write_text(done.stderr, encoding="utf-8")
    return place


def shown(graded: Path) -> list[str]:
    return (graded / "shown.txt").read_text(encoding="utf-8").splitlines()


def events(place: Path, *more: str) -> list[dict[str, Any]]:
    lines = succeeded(run("batch", "toy", "class", "--out", "out", "--json-lines", *more, cwd=place)).splitlines()
    return [json.loads(line) for line in lines]


# For people


def test_the_summary_says_who_is_late_who_is_not_known_and_whose_extension_fits_nobody(graded_class: Path) -> None:
    assert "late: 1 submission" in shown(graded_class)
    assert "no submission time is known, so never late and always counted: carl, x0, x1, x2, x3, zoe" in shown(
        graded_class
    )
    assert "an extension, but no submission time: dora" in shown(graded_class)


def test_progress_is_told_on_standard_error(graded_class: Path) -> None:
    *_, marked, explained = (graded_class / "progress.txt").read_text(encoding="utf-8").splitlines()
    assert marked == "8 of 8 submissions"
    assert explained == "all marks are written; explained 1 of 1 wrong submission"


def test_without_hand_ins_it_is_said_once_that_nothing_is_late(class_copy: Path) -> None:
    done = succeeded(run("batch", "toy", "class", "--out", "without", cwd=class_copy))
    assert (
        done.count("lateness is not applied: say who handed in what and when with --submission-times FILE.csv") == 1
    )


def test_the_gradebook_says_what_counts(graded_class: Path) -> None:
    with (graded_class / "out" / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["submission"]: row for row in csv.DictReader(file)}
    assert (rows["ada"]["score"], rows["ada"]["final_score"], rows["ada"]["student"]) == ("10", "9", "ada")
    assert (rows["bob"]["score"], rows["bob"]["final_score"]) == ("5", "5")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("submission,student,handed_in\neve,eve,2025-11-21 12:00\n", "hand-ins.csv:2: unknown submission 'eve'"),
        ("submission,student,handed_in\nada,ada,2999-11-21 12:00\n", "hand-ins.csv:2: handed_in is in the future"),
        ("student,handed_in\n", "hand-ins.csv:1: the table has no column submission"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_before_anything_is_graded(
    class_copy: Path, table: str, says: str
) -> None:
    (class_copy / "hand-ins.csv").write_text(table, encoding="utf-8")
    assert says in told(
        run("batch", "toy", "class", "--out", "new", "--submission-times", "hand-ins.csv", cwd=class_copy)
    )
    assert not (class_copy / "new").exists()


def test_a_table_that_a_student_may_have_written_is_refused(class_copy: Path) -> None:
    (class_copy / "hand-ins.csv").rename(class_copy / "class" / "hand-ins.csv")
    line = told(
        run("batch", "toy", "class", "--out", "out", "--submission-times", "class/hand-ins.csv", cwd=class_copy)
    )
    assert "class/hand-ins.csv: the table lies among the submissions" in line


# For programs


def test_a_program_reads_a_start_one_line_a_submission_and_an_end(class_copy: Path) -> None:
    (class_copy / "class" / "new.py").write_text(HALF, encoding="utf-8")
    first, *middle, explained, last = events(class_copy)
    assert (explained["event"], explained["submission"]) == ("explained", "new")
    assert (first["event"], first["submissions"], first["max_score"]) == ("start", 9, 10)
    assert {one["event"] for one in middle} == {"done"}
    assert {one["submission"]: (one["status"], one["score"], one["reused"]) for one in middle} == {
        **dict.fromkeys(("ada", "carl", "x0", "x1", "x2", "x3"), ("graded", 10, True)),
        "bob": ("graded", 5, True),
        "new": ("graded", 5, False),
        "zoe": ("syntax-error", 0, True),
    }
    assert all(one["seconds"] > 0 for one in middle)
    assert (last["event"], last["graded"], last["reused"], last["score"]["median"]) == ("end", 1, 8, 10)


def test_a_program_is_told_how_many_are_late(class_copy: Path) -> None:
    last = events(class_copy, "--submission-times", "hand-ins.csv")[-1]
    assert (last["late"], last["without_hand_in"]) == (1, 6)


def test_a_mistake_of_the_callers_is_no_event(class_copy: Path) -> None:
    done = run("batch", "nothing", "class", "--out", "out", "--json-lines", cwd=class_copy)
    assert "unknown assignment" in told(done)
    assert done.stdout == ""


def test_every_key_that_a_program_is_told_is_explained(class_copy: Path, root: Path) -> None:
    rows = {
        row.split("`")[1]: row
        for row in (root / "docs" / "batch.md").read_text(encoding="utf-8").splitlines()
        if row.startswith("| `")
    }
    first, *middle, last = events(class_copy)
    for event in (first, middle[0], last):
        assert [key for key in event if key != "event" and f"`{key}`" not in rows[event["event"]]] == []

"""`autograder export canvas --upload`: a class goes to a service, and what it refuses is told."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import prepared_commands, run, succeeded, told
from tests.platforms.canvas_stand_in import TOKEN, Canvas, running
from tests.toy import HALF, RIGHT, write_toy


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class that Canvas packed, graded."""
    place = write_toy(tmp_path_factory.mktemp("toy"))
    (place / "class").mkdir()
    for name, source in (("adaa_11_67890", RIGHT), ("bobb_12_67891", HALF), ("lost_99_67892", RIGHT)):
        (place / "class" / f"{name}_value.py").write_text(f"{source}# {name}\n", encoding="utf-8")
    succeeded(run("batch", "toy", "class", "--from", "canvas", "--out", "out", "--workers", "1", cwd=place))
    return place


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[Canvas]:
    monkeypatch.setenv("CANVAS_TOKEN", TOKEN)
    held = Canvas()
    held.add(11, "Ada, A", 3.0)
    held.add(12, "Bob, B")
    with running(held):
        yield held


def upload(canvas: Canvas, *more: str) -> list[str]:
    settings = (f"url={canvas.url}", "course=101", "assignment=4711")
    return ["export", "canvas", "--batch", "out", "--upload", *(f"--set={one}" for one in settings), *more]


def test_scores_arrive_and_who_is_not_there_is_told(class_copy: Path, canvas: Canvas) -> None:
    shown = succeeded(run(*upload(canvas, "--overwrite", "Ada, A (11)"), cwd=class_copy))
    assert [canvas.students[one]["score"] for one in (11, 12)] == [20.0, 10.0]  # out of 20 there
    assert ["Ada,", "A", "(11)", "3.00", "20.00"] in [line.split() for line in shown.splitlines()]
    assert "1 submission matches no student in the platform's table:" in shown


def test_a_dry_run_sends_nothing(class_copy: Path, canvas: Canvas) -> None:
    shown = succeeded(run(*upload(canvas, "--dry-run"), cwd=class_copy))
    assert not canvas.puts
    assert "nothing was sent: this was a dry run" in shown


def test_a_service_that_does_not_let_us_in_is_told_in_one_line(
    class_copy: Path, canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANVAS_TOKEN", "wrong")
    assert "CANVAS_TOKEN" in told(run(*upload(canvas), cwd=class_copy))


def rows(place: Path) -> list[tuple[str, ...]]:
    columns = "action, student, changed_item, before, after, as_account, state"
    with sqlite3.connect(place / "out" / "results.sqlite") as database:
        return database.execute(f"SELECT {columns} FROM audit WHERE changed_item = 'mark' ORDER BY id").fetchall()


def test_every_score_that_is_sent_is_in_the_audit_table_with_the_answer(class_copy: Path, canvas: Canvas) -> None:
    canvas.refused[12] = (403, '{"errors":"closed grading period"}')
    run(*upload(canvas, "--overwrite", "all"), cwd=class_copy)
    assert rows(class_copy) == [
        ("upload", "11", "mark", "3.00", "20.00", "Kim Teacher (7)", "taken"),
        ("upload", "12", "mark", "", "10.00", "Kim Teacher (7)", "refused"),
    ]


def test_an_appeal_that_was_granted_survives_the_next_upload(class_copy: Path, canvas: Canvas) -> None:
    canvas.students[11].update(score=None, entered_score=None)
    succeeded(run(*upload(canvas), cwd=class_copy))
    canvas.students[12].update(score=17.0, entered_score=17.0)
    said = len(canvas.puts)
    shown = succeeded(run(*upload(canvas), cwd=class_copy))
    assert (canvas.students[12]["score"], len(canvas.puts)) == (17.0, said)
    assert "  Bob, B (12): 17.00 stays, results say 10.00, which is lower" in shown.splitlines()


def test_a_score_that_the_kit_sent_is_replaced_by_a_new_one_and_a_lower_one_told_first(
    class_copy: Path, canvas: Canvas
) -> None:
    canvas.students[11].update(score=None, entered_score=None)
    succeeded(run(*upload(canvas), cwd=class_copy))
    (class_copy / "class" / "adaa_11_67890_value.py").write_text(f"{HALF}# ada\n")
    succeeded(run("batch", "toy", "class", "--from", "canvas", "--out", "out", "--workers", "1", cwd=class_copy))
    shown = succeeded(run(*upload(canvas), cwd=class_copy))
    assert canvas.students[11]["score"] == 10.0
    assert shown.splitlines()[:2] == ["1 mark goes down:", "  Ada, A (11): 20.00 -> 10.00"]


def test_the_list_is_printed_before_anything_is_sent(class_copy: Path, canvas: Canvas) -> None:
    canvas.students[11].update(score=None, entered_score=None)
    succeeded(run(*upload(canvas), cwd=class_copy))
    (class_copy / "class" / "adaa_11_67890_value.py").write_text(f"{HALF}# ada\n")
    succeeded(run("batch", "toy", "class", "--from", "canvas", "--out", "out", "--workers", "1", cwd=class_copy))
    before, seen = len(canvas.puts), []
    canvas.meanwhile[11] = lambda: seen.append((len(canvas.puts), prepared_commands().printed_until_now()))
    shown = succeeded(run(*upload(canvas), cwd=class_copy))
    ((puts, printed),) = seen
    assert puts == before
    assert printed.splitlines()[:2] == ["1 mark goes down:", "  Ada, A (11): 20.00 -> 10.00"]
    assert shown.startswith(printed)
    assert shown.splitlines()[-1] == "1 mark taken by Canvas"


def test_a_mark_that_changes_between_the_list_and_the_upload_is_told(class_copy: Path, canvas: Canvas) -> None:
    listings = 0

    def list_again() -> None:
        nonlocal listings
        listings += 1
        if listings == 2:
            canvas.students[12].update(score=17.0, entered_score=17.0)

    canvas.before_listing = list_again
    shown = succeeded(run(*upload(canvas), cwd=class_copy))
    assert canvas.students[12]["score"] == 17.0
    lines = shown.splitlines()
    told_at = lines.index("1 mark changed on the platform since the list above:")
    assert lines[told_at + 1].startswith("  Bob, B (12): 17.00 -> 17.00, set by a person")


def test_a_name_that_is_nobodys_is_told_before_anything_is_sent(class_copy: Path, canvas: Canvas) -> None:
    assert "no student in this export matches" in told(run(*upload(canvas, "--overwrite", "zoe"), cwd=class_copy))
    assert not canvas.puts


def test_a_check_needs_no_class_and_sends_nothing(tmp_path: Path, canvas: Canvas) -> None:
    settings = (f"url={canvas.url}", "course=101", "assignment=4711")
    shown = succeeded(run("export", "canvas", "--check", *(f"--set={one}" for one in settings), cwd=tmp_path))
    assert "assignment: HW1 (4711), 20 points" in shown.splitlines()
    assert "nothing was sent: this was a check" in shown
    assert "has no access check" in told(run("export", "moodle", "--check", cwd=tmp_path))

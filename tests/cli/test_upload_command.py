"""`autograder export canvas --upload`: a class goes to a service, and what it refuses is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded, told
from tests.platforms.canvas_stand_in import TOKEN, Canvas, running
from tests.toy import HALF, RIGHT, write_toy


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def test_scores_arrive_and_who_is_not_there_is_told(place: Path, canvas: Canvas) -> None:
    shown = succeeded(run(*upload(canvas), cwd=place))
    assert [canvas.students[one]["score"] for one in (11, 12)] == [20.0, 10.0]  # out of 20 there
    assert ["Ada,", "A", "(11)", "3.00", "20.00"] in [line.split() for line in shown.splitlines()]
    assert "1 submission of nobody there:" in shown


def test_a_dry_run_sends_nothing(place: Path, canvas: Canvas) -> None:
    shown = succeeded(run(*upload(canvas, "--dry-run"), cwd=place))
    assert not canvas.puts
    assert "nothing was sent: this was a dry run" in shown


def test_a_service_that_does_not_let_us_in_is_told_in_one_line(
    place: Path, canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANVAS_TOKEN", "wrong")
    assert "CANVAS_TOKEN" in told(run(*upload(canvas), cwd=place))

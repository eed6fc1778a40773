"""``autograder grade`` looks for what has to change, and nothing that happens there costs the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from autograder.cli import grade as grade_command
from autograder.cli.main import main
from autograder.faults import KitFault
from tests.cli.commands import DONE
from tests.toy import HALF, write_toy


@pytest.fixture
def course(tmp_path: Path) -> Path:
    return write_toy(tmp_path / "course")


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    path = tmp_path / "value.py"
    path.write_text(HALF, encoding="utf-8")
    return path


def grade(course: Path, submission: Path, *options: str) -> tuple[Result, dict[str, Any]]:
    """Grade; return what was printed, and the diagnosis of the report."""
    report = submission.with_suffix(".json")
    places = [str(submission), "--course", str(course), "--report", str(report)]
    done = CliRunner().invoke(main, ["grade", "toy", *places, "--allow-unsafe", "--tier", "process", *options])
    assert done.exit_code == DONE
    assert "5 of 10" in done.stdout
    diagnosis: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))["diagnosis"]
    return done, diagnosis


def test_a_wrong_submission_is_told_what_has_to_change(course: Path, submission: Path) -> None:
    done, diagnosis = grade(course, submission)
    assert diagnosis["repair"]["proven"]
    assert "return x + x" in done.stdout
    assert "looking for" not in done.stderr  # a progress line is for a terminal alone


def test_it_is_not_looked_for_where_that_is_not_wanted(course: Path, submission: Path) -> None:
    assert grade(course, submission, "--no-explain")[1]["repair"] is None
    with (course / "grading.yml").open("a", encoding="utf-8") as config:
        config.write("    feedback: {repair_candidates: 0}\n")
    assert grade(course, submission)[1]["repair"] is None


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KitFault("no process can be started"), "no process can be started"),
        (RuntimeError("what a test holds"), "internal error, RuntimeError"),
        (KeyboardInterrupt(), "it was stopped"),
    ],
)
def test_what_fails_costs_the_repair_alone(
    monkeypatch: pytest.MonkeyPatch, course: Path, submission: Path, error: BaseException, reason: str
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(grade_command, "find_repair_of_graded", fail)
    done, diagnosis = grade(course, submission)
    assert diagnosis["repair"] is None
    assert f"the smallest change that makes it right is not in the report: {reason}\n" in done.stderr

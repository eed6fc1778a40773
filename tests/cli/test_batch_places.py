"""``autograder batch``: where submissions are read and where results are written; what is no place for either."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded, told, unwrapped


def test_a_batch_prints_how_it_went_and_where_its_results_are(root: Path, tmp_path: Path, solution: Path) -> None:
    (tmp_path / "class").mkdir()
    shutil.copy(solution, tmp_path / "class" / "alice.py")
    (tmp_path / "class" / "bob.py").touch()
    arguments = ("batch", "autograd-engine", tmp_path / "class", "--out", tmp_path / "out")
    shown = succeeded(run(*arguments, "--course", root))
    assert "2 submissions: 2 graded" in shown
    assert "could not be graded: 1 empty" in shown
    assert unwrapped(str(tmp_path / "out" / "gradebook.csv")) in unwrapped(shown)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "gradebook.csv",
        "raw",
        "reports",
        "results.sqlite",
    }


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("nowhere", "does not exist"),
        ("nowhere" * 50, "nowhere"),
        ("empty", "holds no submissions"),
        ("bad.zip", "this file is not an intact zip"),
        ("alice.py", "name a folder or a zip of submissions"),
    ],
)
def test_a_batch_that_is_none_is_refused(root: Path, tmp_path: Path, solution: Path, source: str, says: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.zip").write_bytes(b"no zip")
    shutil.copy(solution, tmp_path / "alice.py")
    arguments = ("batch", "autograd-engine", tmp_path / source, "--out", tmp_path / "out")
    assert says in told(run(*arguments, "--course", root))


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("file", "file: this path is a file, not a folder"),
        ("file/below", "file: this path is a file, not a folder"),
        ("x" * 300, "cannot write to this folder"),
        ("taken", "taken/reports: this path is a file, not a folder"),
    ],
)
def test_a_place_for_results_that_cannot_be_written_is_told(
    root: Path, tmp_path: Path, solution: Path, out: str, said: str
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "reports").touch()
    arguments = ("batch", "autograd-engine", solution.parent, "--out", tmp_path / out)
    line = told(run(*arguments, "--course", root))
    assert said in line
    assert "name another folder with --out" in line


def test_results_are_not_written_among_the_submissions(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alice.py").touch()
    arguments = ("batch", "autograd-engine", tmp_path, "--out", tmp_path / "results")
    assert "lies among the submissions" in told(run(*arguments, "--course", root))
    assert not (tmp_path / "results").exists()

"""What a careless command does not cost: a hand-in, the files of the folder here, an answer that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli import commands
from tests.cli.commands import CALLERS_MISTAKE, DONE, Run


def run_in(root: Path, *arguments: str | Path, **environment: str) -> Run:
    return commands.run(*arguments, cwd=root, environment=environment)


@pytest.fixture
def handed_in(root: Path, tmp_path: Path) -> Path:
    """A folder with one submission."""
    path = tmp_path / "alice" / "value.py"
    path.parent.mkdir()
    path.write_bytes((root / "solutions" / "autograd-engine" / "value.py").read_bytes())
    return path


@pytest.mark.parametrize("option", ["--report", "--page"])
@pytest.mark.parametrize("folder", [False, True], ids=["file", "folder"])
def test_no_result_is_written_over_what_was_handed_in(root: Path, handed_in: Path, option: str, folder: bool) -> None:
    before = handed_in.read_bytes()
    done = run_in(root, "grade", "autograd-engine", handed_in.parent if folder else handed_in, option, handed_in)
    assert (done.returncode, done.stderr) == (
        CALLERS_MISTAKE,
        f"error: {handed_in}: this file is the submission itself (write the result to another file)\n",
    )
    assert handed_in.read_bytes() == before


def test_a_report_beside_a_hand_in_is_written_and_written_again(root: Path, handed_in: Path) -> None:
    report = handed_in.parent / "report.json"
    for _ in range(2):
        done = run_in(root, "grade", "autograd-engine", handed_in.parent, "--report", report)
        assert (done.returncode, report.is_file()) == (DONE, True), done.stderr


def test_two_results_do_not_share_a_file(root: Path, handed_in: Path, tmp_path: Path) -> None:
    where = ("--report", tmp_path / "r.json", "--page", tmp_path / "r.pytest.json")
    done = run_in(root, "grade", "autograd-engine", handed_in, *where)
    assert done.returncode == CALLERS_MISTAKE
    assert "two results would go to this file (name another file with --page)" in done.stderr
    assert not (tmp_path / "r.json").exists()


def test_an_empty_path_of_submissions_is_not_the_folder_here(root: Path) -> None:
    done = run_in(root, "batch", "autograd-engine", "", "--out", "x")
    assert done.returncode == CALLERS_MISTAKE
    assert "the path of the submissions is empty" in done.stderr


@pytest.mark.parametrize("command", [("batch", "autograd-engine", "x"), ("regrade", "autograd-engine"), ("report",)])
def test_an_empty_out_is_not_the_folder_here(root: Path, command: tuple[str, ...]) -> None:
    done = run_in(root, *command, "--out", "")
    assert done.returncode == CALLERS_MISTAKE
    assert "the path is empty (use . for the current folder)" in done.stderr


@pytest.mark.thorough
def test_what_a_terminal_cannot_show_is_written_by_number(root: Path) -> None:
    done = run_in(root, "doctor", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert "\\u2713" in done.stdout

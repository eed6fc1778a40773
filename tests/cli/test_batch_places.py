"""``autograder batch``: where submissions are read and where results are written; what is no place for either."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.commands import Run, run, succeeded, told, unwrapped
from tests.toy import HALF, RIGHT, write_toy


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


@pytest.mark.first_cases(1)
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


@pytest.fixture
def two_assignments(tmp_path: Path) -> Path:
    """A course of two assignments with a class each; that of ``toy`` was graded into ``out``."""
    course = write_toy(tmp_path)
    for folder in ("assignments", "solutions"):
        shutil.copytree(course / folder / "toy", course / folder / "other")
    with (course / "grading.yml").open("a", encoding="utf-8") as config:
        config.write("  other:\n    defines: [double]\n    concepts: {doubling: 10}\n")
    for name, source in (("toy", RIGHT), ("other", HALF)):
        (course / f"{name}-class").mkdir()
        (course / f"{name}-class" / f"{name}-student.py").write_text(source, encoding="utf-8")
    succeeded(batch(course, "toy"))
    return course


def batch(course: Path, name: str) -> Run:
    return run("batch", name, f"{name}-class", "--out", "out", "--allow-unsafe", cwd=course)


def results(course: Path) -> dict[str, bytes]:
    out = course / "out"
    return {path.name: path.read_bytes() for path in (out / "gradebook.csv", *(out / "reports").iterdir())}


def test_results_of_another_assignment_are_not_replaced(two_assignments: Path) -> None:
    before = results(two_assignments)
    assert told(batch(two_assignments, "other")) == (
        "error: out: this folder holds the results of toy, which those of other would replace (name another folder "
        "with --out)"
    )
    assert results(two_assignments) == before
    assert "toy-student" in succeeded(run("show", "toy-student", "--out", "out", cwd=two_assignments))
    succeeded(batch(two_assignments, "toy"))


def test_a_servers_folder_takes_several_assignments_and_says_how_to_get_files_back(two_assignments: Path) -> None:
    (two_assignments / "out" / "handed-in").mkdir()
    before = results(two_assignments)
    done = batch(two_assignments, "other")
    succeeded(done)
    assert done.stderr.count("warning: out: gradebook and reports of toy are replaced by those of other") == 1
    assert b"other-student" in results(two_assignments)["gradebook.csv"]
    assert "`autograder report toy --out out` writes them again" in done.stderr
    succeeded(run("report", "toy", "--out", "out", cwd=two_assignments))
    assert results(two_assignments).items() >= before.items()


@pytest.mark.thorough
def test_a_folder_that_holds_several_assignments_already_goes_on(two_assignments: Path) -> None:
    (two_assignments / "out" / "handed-in").mkdir()  # as a batch of an earlier version left it
    succeeded(batch(two_assignments, "other"))
    (two_assignments / "out" / "handed-in").rmdir()
    done = batch(two_assignments, "toy")
    succeeded(done)
    assert "gradebook and reports of other are replaced by those of toy" in done.stderr

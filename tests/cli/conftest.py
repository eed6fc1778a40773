"""What commands are given: a right submission, a wrong one, and a course to be changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autograder.sandbox import SandboxConfig
from tests.cli import commands
from tests.cli.commands import Copy, succeeded
from tests.made_once import make_once
from tests.store.conftest import CounterCourse, make_counter_course

DUE = "    deadline: 2026-11-20T12:00:00+01:00\n    late: {percent_per_day: 10}\n"
TIMES = """\
submission,student,handed_in
alice,alice@u,2026-11-20T11:00+01:00
bob,bob@u,2026-11-21T11:00+01:00
erin,erin@u,2026-11-20T11:00+01:00
frank,erin@u,2026-11-20T10:00+01:00
"""


@pytest.fixture
def class_copy(graded_class: Path, tmp_path: Path) -> Path:
    """A copy, to be changed, of the class that the module's own fixture ``graded_class`` made once."""
    return shutil.copytree(graded_class, tmp_path / "place")


@pytest.fixture
def solution(root: Path) -> Path:
    """The reference solution of the engine."""
    return root / "solutions" / "autograd-engine" / "value.py"


@pytest.fixture
def wrong(solution: Path, tmp_path: Path) -> Path:
    """A submission that overwrites gradients."""
    path = tmp_path / "wrong.py"
    path.write_text(solution.read_text(encoding="utf-8").replace(".grad += ", ".grad = "), encoding="utf-8")
    return path


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Copy:
    """Copy the course, to be changed."""

    def copied() -> Path:
        folder = tmp_path / "course"
        folder.mkdir()
        shutil.copy(root / "grading.yml", folder)
        for name in ("assignments", "solutions", "student_template"):
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
        return folder

    return copied


@pytest.fixture(scope="session")
def graded_due_class(sandbox: SandboxConfig, tmp_path_factory: pytest.TempPathFactory) -> CounterCourse:
    """A small class with a deadline and times, graded once; not to be changed."""

    def make(root: Path) -> None:
        due = make_counter_course(root, sandbox)
        due.change(root / "grading.yml", "    defines: [Counter]", f"{DUE}    defines: [Counter]")
        (root / "times.csv").write_text(TIMES, encoding="utf-8")
        arguments = ("batch", "counter", "students", "--out", "out", "--submission-times", "times.csv")
        succeeded(commands.run(*arguments, "--allow-unsafe", cwd=root))

    return CounterCourse(make_once(tmp_path_factory, "graded-due-class", make), sandbox)


@pytest.fixture
def due_class(graded_due_class: CounterCourse, tmp_path: Path) -> CounterCourse:
    """A small class with a deadline and times, graded once; to be changed."""
    root = tmp_path / "course"
    shutil.copytree(graded_due_class.root, root, ignore=shutil.ignore_patterns("__pycache__"))
    return CounterCourse(root, graded_due_class.sandbox)

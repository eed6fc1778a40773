"""What commands are given: a right submission, a wrong one, and a course to be changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.commands import Copy


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

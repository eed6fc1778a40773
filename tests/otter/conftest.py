"""Otter as a course runs it: its commands, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.course import Assignment, Course
from autograder.template import write_otter_master_files

SECONDS = 300
PLUGIN = "autograder.platforms.otter.plugin.IsolatedMarks"

Otter = Callable[..., str]
Assigned = Callable[[str], Path]
Marks = Callable[..., dict[str, Any]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without Otter these tests say how to get it."""
    if any(found.name == "otter-grader" for found in distributions()):
        return
    missing = pytest.mark.skip(reason="Otter is not installed here: make otter runs these tests where it is")
    for item in items:
        if item.nodeid.startswith("tests/otter/"):
            item.add_marker(missing)


@pytest.fixture(scope="session")
def otter(tmp_path_factory: pytest.TempPathFactory) -> Otter:
    """Run ``otter`` in a folder; gives what it prints."""
    own = {name: str(tmp_path_factory.mktemp(name)) for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR")}
    bin_folder = str(Path(sys.executable).parent)
    environment = {**os.environ, **own, "PATH": f"{bin_folder}{os.pathsep}{os.environ.get('PATH', '')}"}

    def run(folder: Path, *arguments: object) -> str:
        command = [sys.executable, "-P", "-m", "otter", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def assigned(course: Course, otter: Otter, tmp_path_factory: pytest.TempPathFactory) -> Assigned:
    """What ``otter assign`` makes of an assignment's master notebook: ``student/`` and ``autograder/``."""

    @cache
    def made(name: str) -> Path:
        folder = tmp_path_factory.mktemp("master")
        write_otter_master_files(find(course, name), folder)
        otter(folder, "assign", "value.ipynb", "dist")
        return folder / "dist"

    return made


@pytest.fixture
def marks(otter: Otter, assigned: Assigned, course: Course, tmp_path: Path) -> Marks:
    """Run ``otter run`` on a submission, with the kit's plugin or without: results.json, and what was printed."""

    def run(submission: Path, *, plugin: bool) -> dict[str, Any]:
        (archive,) = (assigned("autograd-engine") / "autograder").glob("*.zip")
        settings = {"course": str(course.folder), "assignment": "autograd-engine"}
        used = with_plugins(archive, tmp_path / "autograder.zip", [{PLUGIN: settings}] if plugin else [])
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        printed = otter(out, "run", "-a", used, submission)
        return {**json.loads((out / "results.json").read_text(encoding="utf-8")), "printed": printed}

    return run


def with_plugins(archive: Path, path: Path, plugins: list[Any]) -> Path:
    """A copy of an autograder zip that names these plugins."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "otter_config.json":
                content = json.dumps({**json.loads(content), "plugins": plugins}).encode()
            new.writestr(name, content)
    return path


def find(course: Course, name: str) -> Assignment:
    return next(one for one in course.assignments if one.name == name)


def solved(student: Path, written: str, path: Path, *more: str) -> Path:
    """A student's notebook with this code in the cell to fill in, and more cells below it."""
    notebook = nbformat.read(student / "value.ipynb", as_version=4)
    code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    cells = [cell for cell in code if "raise NotImplementedError(" in cell["source"]]
    assert len(cells) == 1
    cells[0]["source"] = written
    place = notebook["cells"].index(cells[0]) + 1
    notebook["cells"][place:place] = [nbformat.v4.new_code_cell(text) for text in more]
    nbformat.write(notebook, path)
    return path

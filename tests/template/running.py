"""The public suite in a folder like a student's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from autograder.course import Assignment
from autograder.template import render_student_template_files
from tests.cli.commands import clean_environment, prepared_commands

OWN_PLUGINS_ALONE = "--disable-plugin-autoload"


def unpack_template(assignment: Assignment, folder: Path) -> Path:
    """Write what students get into a folder, and return it."""
    for name, text in render_student_template_files(assignment).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def run_pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``python -m pytest`` in a folder, with no plugin of anybody's, in a process forked from a prepared one."""
    return prepared_commands().run(
        [OWN_PLUGINS_ALONE, *arguments], folder.absolute(), clean_environment(), program="pytest"
    )


def run_anew(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The same in a new interpreter, as students do."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", OWN_PLUGINS_ALONE, *arguments],
        cwd=folder, env=clean_environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip

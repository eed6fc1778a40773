"""A course of one of this course's assignments, to be changed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path


def copy_one_assignment(root: Path, name: str, to: Path, folders: Iterable[str]) -> Path:
    """Copy an assignment with its settings, and return the folder of the course that it makes.

    Args:
        root: the course.
        name: the assignment.
        to: the new course; made.
        folders: those that are copied, such as ``assignments``.
    """
    for folder in folders:
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / folder / name, to / folder / name, ignore=unwanted)
    head, _, assignments = (root / "grading.yml").read_text(encoding="utf-8").partition("assignments:\n")
    sections = re.split(r"^(?=  [a-z-]+:$)", assignments, flags=re.MULTILINE)
    (own,) = (one for one in sections if one.startswith(f"  {name}:"))
    (to / "grading.yml").write_text(f"{head}assignments:\n{own}", encoding="utf-8")
    return to

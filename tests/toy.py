"""A course of two quick tests, for what does not depend on how much is tested."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from autograder.course import Assignment, load_course

TESTS = '''\
import pytest

pytestmark = pytest.mark.concept("doubling")


@pytest.mark.parametrize("number", [3, 5])
def test_double(student, number):
    """double(x) is x twice."""
    got = student.get("double")(number)
    assert got == 2 * number, f"double gave {got}"
'''
RIGHT = "def double(x):\n    return x + x\n"
HALF = "def double(x):\n    return 6\n"
SYNTAX = "def (:\n"


SUITE, SOLUTION = "assignments/toy/hidden/test_double.py", "solutions/toy/value.py"


def write_toy(root: Path, more: str = "", files: Mapping[str, str] = {}, defines: str = "double") -> Path:
    """Write the course: assignment ``toy``, 10 points for ``double``.

    Args:
        root: gets ``grading.yml`` and the folders beside it.
        more: lines of the assignment in ``grading.yml``, each indented by four spaces.
        files: further files by their paths, or others in the place of ``SUITE`` and ``SOLUTION``.
        defines: what a submission defines.
    """
    settings = f"    defines: [{defines}]\n    concepts: {{doubling: 10}}\n{more}"
    config = f"timezone: Europe/Berlin\nassignments:\n  toy:\n{settings}"
    for path, text in {"grading.yml": config, SUITE: TESTS, SOLUTION: RIGHT, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def load_toy(root: Path, more: str = "", files: Mapping[str, str] = {}, defines: str = "double") -> Assignment:
    """Write the course, and load its assignment."""
    return load_course(write_toy(root, more, files, defines)).assignments[0]

"""What the benchmarks grade: classes of right submissions, and courses so small that grading is mostly overhead."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AUTOGRADER = Path(sys.executable).with_name("autograder")
ENGINE = "autograd-engine"

SUITE = '''"""Two tests, as quick as tests can be."""

import pytest

pytestmark = [pytest.mark.concept("numbers"), pytest.mark.needs("double"), pytest.mark.hint("Add it to itself.")]


def test_of_one_number(student):
    """double(3) is 6."""
    assert student.get("double")(3) == 6


def test_of_a_negative_number(student):
    """double(-2) is -4."""
    assert student.get("double")(-2) == -4
'''
SOLUTION = '"""Doubles."""\n\n\ndef double(number):\n    """Twice a number."""\n    return number + number\n'
COURSE = "assignments: {doubles: {defines: [double], concepts: {numbers: 1}}}\n"


def make_copies(folder: Path, solution: Path, count: int) -> list[Path]:
    """Make copies of a reference solution, no two alike, so that nothing can be cached.

    Args:
        folder: where to; made, with the folders above it.
        solution: what to copy.
        count: how many.
    """
    folder.mkdir(parents=True)
    source = solution.read_text(encoding="utf-8")
    paths = [folder / f"student{number:05}.py" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_text(f"{source}\n# student {number}\n", encoding="utf-8")
    return paths


def make_small_course(folder: Path) -> Path:
    """Make a course with one assignment, ``doubles``, and two hidden tests.

    Args:
        folder: where to; made, with the folders above it.

    Returns:
        The folder.
    """
    hidden, solutions = folder / "assignments" / "doubles" / "hidden", folder / "solutions" / "doubles"
    for made in (hidden, solutions):
        made.mkdir(parents=True)
    (folder / "grading.yml").write_text(COURSE, encoding="utf-8")
    (hidden / "test_doubles.py").write_text(SUITE, encoding="utf-8")
    (solutions / "value.py").write_text(SOLUTION, encoding="utf-8")
    return folder

"""A course of two quick tests, for what does not depend on how much is tested."""

from __future__ import annotations

from pathlib import Path

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


def write_toy(root: Path, more: str = "") -> Path:
    """Write the course: assignment ``toy``, 10 points for ``double``.

    Args:
        root: gets ``grading.yml`` and the folders beside it.
        more: lines of the assignment in ``grading.yml``, each indented by four spaces.
    """
    hidden, solution = root / "assignments" / "toy" / "hidden", root / "solutions" / "toy" / "value.py"
    hidden.mkdir(parents=True)
    solution.parent.mkdir(parents=True)
    (hidden / "test_double.py").write_text(TESTS, encoding="utf-8")
    solution.write_text(RIGHT, encoding="utf-8")
    (root / "grading.yml").write_text(
        "timezone: Europe/Berlin\nassignments:\n  toy:\n    defines: [double]\n"
        f"    concepts: {{doubling: 10}}\n{more}",
        encoding="utf-8",
    )
    return root

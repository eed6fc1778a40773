"""Where the reference solution cannot be graded, the message says whether a limit or the solution is to blame."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import load_course
from autograder.faults import CourseFault
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.toy import write_toy


def refuse(root: Path, sandbox: SandboxConfig) -> CourseFault:
    """Return the fault for which the toy course cannot be graded."""
    with pytest.raises(CourseFault) as caught:
        Grader(load_course(root).assignments[0], sandbox).close()
    return caught.value


WORKS = "def double(x):\n    for _ in range(20_000_000): pass\n    return x + x\n"


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("submission_seconds: 0.01", "needs more than `submission_seconds: 0.01` allows in 2 of 2 hidden tests"),
        ("messages: 1", "needs more than `messages: 1` allows in 2 of 2 hidden tests"),
    ],
)
def test_a_limit_that_is_too_small_is_named(tmp_path: Path, sandbox: SandboxConfig, limit: str, said: str) -> None:
    write_toy(tmp_path, f"    limits: {{{limit}}}\n")
    (tmp_path / "solutions" / "toy" / "value.py").write_text(WORKS, encoding="utf-8")
    fault = refuse(tmp_path, sandbox)
    assert said in fault.what
    assert fault.where == str(tmp_path / "grading.yml")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "cannot grade the reference solution: value.py is empty (correct the solution)"),
        ("import os\nos._exit(0)\n", "define in it what grading.yml lists under `defines`"),
        ("def double(x)\n", "nothing of it could be run"),
    ],
)
def test_a_solution_that_cannot_be_graded_is_told_to_its_author(
    tmp_path: Path, sandbox: SandboxConfig, source: str, said: str
) -> None:
    solution = write_toy(tmp_path) / "solutions" / "toy" / "value.py"
    solution.write_text(source, encoding="utf-8")
    fault = refuse(tmp_path, sandbox)
    assert said in str(fault)
    assert fault.where == str(solution)
    assert "hand" not in fault.what
    assert "Save" not in fault.what

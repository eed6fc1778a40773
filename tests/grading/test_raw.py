"""The record of a run is what pytest-json-report writes itself, although passed tests are entered without reports."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig

SUITE = """
def test_up(Counter):
    '`up()` counts.'
    assert Counter(3).up() == 4

@pytest.mark.weight(2)
def test_up_twice(Counter):
    'A second `up()` counts on.'
    counter = Counter(3)
    counter.up()
    value = counter.up()
    assert value == 5, f"it is at {value}"
"""
COUNTS = "class Counter:\n    def __init__(self, n=0): self.n = n\n    def up(self): self.n += 1; return self.n\n"
COUNTS_ONCE = "class Counter:\n    def __init__(self, n=0): self.n = n\n    def up(self): return self.n + 1\n"


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("source", [COUNTS, COUNTS_ONCE], ids=["all passed", "one failed"])
def test_the_record_is_what_the_package_writes(
    make_course: Callable[..., Assignment], sandbox: SandboxConfig, tmp_path: Path, source: str
) -> None:
    assignment = make_course(SUITE)
    submission = tmp_path / "value.py"
    submission.write_text(source)
    with Grader(assignment, sandbox) as grader:
        ours = grader.grade(submission).pytest_record
    file = tmp_path / "theirs.json"
    options = ["--json-report", f"--json-report-file={file}", "-p", "no:cacheprovider", "--assert=plain"]
    by_hand = [
        sys.executable,
        "-m",
        "pytest",
        str(assignment.hidden_suite_folder),
        "--submission",
        str(submission),
        *options,
    ]
    subprocess.run(by_hand, capture_output=True, check=False)
    theirs = json.loads(file.read_text())
    assert ours["summary"] == theirs["summary"]
    assert [record_facts(test) for test in ours["tests"]] == [record_facts(test) for test in theirs["tests"]]


def record_facts(test: dict[str, Any]) -> dict[str, Any]:
    """What a record says of a test, apart from times, paths, and words that pytest's way to run adds."""
    phases = {
        phase: (test[phase]["outcome"], test[phase].get("crash", {}).get("lineno"))
        for phase in ("setup", "call", "teardown")
    }
    name = test["nodeid"].partition("::")[2]

    return {
        "name": name,
        "line": test["lineno"],
        "outcome": test["outcome"],
        "is a keyword": name in test["keywords"],
        **phases,
    }

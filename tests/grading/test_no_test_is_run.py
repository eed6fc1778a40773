"""An engine that answers as the reference does needs none of the tests to be run."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path
from typing import Any

import pytest

from autograder.author_checks.grading_pool import make_submission_from_source
from autograder.bridge.handle_table import HARMLESS
from autograder.course import Assignment
from autograder.grading import Grader
from autograder.grading.prefetching_runner import PrefetchingTestRunner
from autograder.grading.pytest_phases import SingleTestOutcome

INSIDE = Path(__file__).parents[2] / "autograder" / "bridge" / "inside"


def test_a_right_engine_needs_no_test_to_be_run(
    grader: Grader, engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    run: list[str] = []
    run_on = PrefetchingTestRunner._run_with_transcript

    def count(runner: PrefetchingTestRunner, test: str, *arguments: Any, **options: Any) -> SingleTestOutcome:
        run.append(test)
        return run_on(runner, test, *arguments, **options)

    monkeypatch.setattr(PrefetchingTestRunner, "_run_with_transcript", count)
    source = engine.solution_file.read_text(encoding="utf-8")

    grader.grade_submission(make_submission_from_source("first.py", source))
    run.clear()
    grader.grade_submission(make_submission_from_source("second.py", f"# mine\n{source}"))

    assert run == []


def test_every_class_that_is_nobodys_own_is_python_s_or_the_kit_s() -> None:
    kits = {
        node.name
        for path in INSIDE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    python_s = {type(test_every_class_that_is_nobodys_own_is_python_s_or_the_kit_s), type(INSIDE.glob), type(None)}

    assert kits | {one.__name__ for one in python_s} | set(dir(builtins)) >= HARMLESS

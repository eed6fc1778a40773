"""An engine that answers as the reference does needs none of the tests to be run."""

from __future__ import annotations

import ast
import builtins
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from autograder.author_checks.catalogue import make_submission_from_source
from autograder.bridge.objects import HARMLESS
from autograder.course import Assignment, Course
from autograder.grading import Grader
from autograder.grading.runnable_test import RawTestRun, RunnableTest
from autograder.sandbox import SandboxConfig

INSIDE = Path(__file__).parents[2] / "autograder" / "bridge" / "inside"


@pytest.fixture
def run_test_ids(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tests that were run."""
    found: list[str] = []
    run = RunnableTest.run

    def count(test: RunnableTest, *arguments: Any) -> RawTestRun:
        found.append(test.node)
        return run(test, *arguments)

    monkeypatch.setattr(RunnableTest, "run", count)
    return found


def test_a_right_engine_needs_no_test_to_be_run(grader: Grader, engine: Assignment, run_test_ids: list[str]) -> None:
    source = engine.solution_file.read_text(encoding="utf-8")

    grader.grade_submission(make_submission_from_source("first.py", source))
    run_test_ids.clear()
    grader.grade_submission(make_submission_from_source("second.py", f"# mine\n{source}"))

    assert run_test_ids == []


@pytest.mark.thorough
def test_verdicts_on_a_program_around_given_code_are_remembered_too(
    course: Course, sandbox: SandboxConfig, run_test_ids: list[str]
) -> None:
    network = course.find_assignment("neural-network")
    assert network is not None
    source = network.solution_file.read_text(encoding="utf-8")
    with closing(Grader(network, sandbox)) as grader:
        grader.grade_submission(make_submission_from_source("first.py", source))
        run_test_ids.clear()
        grader.grade_submission(make_submission_from_source("second.py", f"# mine\n{source}"))

    assert run_test_ids == []


def test_every_class_that_is_nobodys_own_is_python_s_or_the_kit_s() -> None:
    kits = {
        node.name
        for path in INSIDE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    function = test_every_class_that_is_nobodys_own_is_python_s_or_the_kit_s
    iterators = {type(digit for digit in "1"), type(reversed([]))}
    python_s = {type(function), type(len), type(INSIDE.glob), type(None), *iterators}

    assert kits | {one.__name__ for one in python_s} | set(dir(builtins)) >= HARMLESS

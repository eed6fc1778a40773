"""Where experiments see nothing wrong, a diagnosis ends soon and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.author_checks.grading_pool import make_submission_from_source
from autograder.course import Assignment, load_course
from autograder.diagnosis import search_smallest_failing_program, shared_diagnosis_tools, submission_examination
from autograder.diagnosis.diagnosis_model import Diagnosis
from autograder.diagnosis.naming.finding_groups import group_parts_by_merged_finding
from autograder.diagnosis.naming.general_mistake_texts import GeneralMistakeTemplate
from autograder.diagnosis.part_experiment_log import ExperimentFinding
from autograder.diagnosis.submission_diagnoser import NO_NAME, SubmissionDiagnoser
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from autograder.starter import write_and_load_starter_assignment
from tests.toy import write_toy

LOOKS_RIGHT = """
class Vector:
    def __init__(self, numbers):
        self.numbers = list(numbers)

    def __add__(self, other):
        return Vector(a + b for a, b in zip(self.numbers, other.numbers))

    def dot(self, other):
        return sum(a * b for a, b in list(zip(self.numbers, other.numbers))[:2])
"""
"""Wrong for vectors of three numbers, which the experiments of the starter's diagnosis do not make."""


@pytest.fixture
def vectors(tmp_path: Path) -> Assignment:
    return write_and_load_starter_assignment(load_course(write_toy(tmp_path)), "vectors")


@pytest.fixture
def diagnose(vectors: Assignment, sandbox: SandboxConfig) -> Callable[[], Diagnosis]:
    def run() -> Diagnosis:
        with Grader(vectors, sandbox) as grader:
            graded = grader.grade_submission(make_submission_from_source("s", LOOKS_RIGHT))
            return SubmissionDiagnoser(grader).diagnose(graded)

    return run


def test_the_known_mistakes_are_not_observed_where_nothing_differs(
    diagnose: Callable[[], Diagnosis], monkeypatch: pytest.MonkeyPatch
) -> None:
    observed: list[Any] = []

    def note(*arguments: Any) -> dict[str, Any]:
        observed.append(arguments)
        return {}

    monkeypatch.setattr(shared_diagnosis_tools, "try_observe_misconceptions", note)
    found = diagnose()
    assert (found.verdict, found.reason, found.counterexample) == ("unknown", NO_NAME, None)
    assert observed == []


def test_few_programs_are_tried_where_nothing_differs(
    diagnose: Callable[[], Diagnosis], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []
    search = search_smallest_failing_program

    def note(family: Any, run: Any, fresh_run: Any, limit: int, **more: Any) -> Any:
        limits.append(limit)
        return search(family, run, fresh_run, limit, **more)

    monkeypatch.setattr(submission_examination, "search_smallest_failing_program", note)
    diagnose()
    assert limits == [submission_examination.MOST_SENT_ALONE]


@pytest.mark.thorough
def test_where_there_is_one_function_nothing_is_said_of_parts_that_meet(
    vectors: Assignment, diagnose: Callable[[], Diagnosis]
) -> None:
    (vectors.folder / "diagnosis.py").write_text(
        "from autograder.diagnosis import Operation, make_call_diagnosis\n\n"
        "diagnosis = make_call_diagnosis(\n"
        '    values={"numbers": [[2.0, 3.0], [4.0, -1.0]]},\n'
        '    operations=[Operation("Vector({numbers}).dot(Vector({numbers}))", about=("dot",))],\n'
        ")\n",
        encoding="utf-8",
    )
    assert diagnose().reason == NO_NAME


def test_operations_that_give_something_else_need_not_share_a_reason() -> None:
    findings = [
        (name, ExperimentFinding("gives-something-else", {"op": f"`{name}(a)`"})) for name in ("softmax", "entropy")
    ]
    ((parts, finding),) = group_parts_by_merged_finding(findings, {})
    named = GeneralMistakeTemplate("gives-something-else", "{op} is wrong", "See below.", ("", "", ""))
    told = named.make_named_mistake(finding.quoted_values)
    assert parts == ("softmax", "entropy")
    assert told.title == "`softmax(a)` is wrong"
    assert told.explanation == "See below. Something is wrong with `entropy(a)` as well, perhaps for another reason."

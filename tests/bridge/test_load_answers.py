"""What a process says of how it was loaded is believed as far as its source shows it."""

from __future__ import annotations

import pytest

from autograder.bridge.loading import MOST_PROBLEMS, LoadResultFilter
from autograder.bridge.submission_program import LoadProblem, ReportedLoadResult, SubmissionProgram

SOURCE = "a = 1\n\n\ndef f(): return a\n"
PROGRAM = SubmissionProgram((("value.py", SOURCE), ("more", "x = 1; y = 2\n" * 5000)), ("f", "Value"))


def believed(*problems: LoadProblem, **settings: object) -> ReportedLoadResult:
    values = {"defined": {}, "features": {}, "missing": [], "late": [], **settings}
    told = ReportedLoadResult(problems=[*problems], **values)  # type: ignore[arg-type]
    return LoadResultFilter(PROGRAM).copy_without_impossible_parts(told)


def problem(kind: str = "failed", unit: int = 0, statement: int = 0, line: int = 1, error: str = "E") -> LoadProblem:
    return LoadProblem(kind, unit, statement, line, error, "m")


@pytest.mark.parametrize(
    "possible", [problem("broken", 0, -1, 4), problem("failed", 0, 1, 4), problem("timed out", 0, 1, 4)]
)
def test_a_process_may_say_what_it_can_know(possible: LoadProblem) -> None:
    assert believed(possible).problems == [possible]


@pytest.mark.parametrize("kind", ["stopped", "", "Failed", "0.48151623421"])
def test_a_process_cannot_say_that_it_was_stopped_or_anything_else(kind: str) -> None:
    assert believed(problem(kind)).problems == []


@pytest.mark.parametrize(
    ("unit", "statement"), [(-1, 0), (2, 0), (1 << 62, 0), (0, 2), (0, -2), (0, 1 << 62), (1, 10_002), (1, -5)]
)
def test_a_problem_in_a_place_that_does_not_exist_is_dropped(unit: int, statement: int) -> None:
    assert believed(problem(unit=unit, statement=statement)).problems == []


@pytest.mark.parametrize("line", [-1, 6, 48151623421])
def test_a_line_that_does_not_exist_is_no_line(line: int) -> None:
    assert believed(problem(line=line)).problems == [problem(line=0)]


def test_problems_are_few_and_one_for_each_statement() -> None:
    assert believed(problem(error="A"), problem(error="B"), problem("timed out")).problems == [problem(error="A")]
    assert len(believed(*(problem(unit=1, statement=number) for number in range(9000))).problems) == MOST_PROBLEMS


def test_names_that_nobody_asked_for_and_statements_that_do_not_exist_are_left_out() -> None:
    answer = believed(
        defined={"f": "function", "g": ""}, features={"g": ["h"]}, late=[(0, 1), (0, 2), (7, 0), (-1, 0)]
    )
    assert (answer.defined, answer.features, answer.late) == ({"f": "function"}, {}, [(0, 1)])

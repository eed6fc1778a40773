"""What a process says of how it was loaded is believed as far as its source shows it, and of the first load alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge.loading import MOST_PROBLEMS, LoadResultFilter, LoadRetryState
from autograder.bridge.student_exceptions import StudentStopped
from autograder.bridge.submission_program import LoadProblem, ReportedLoadResult, SubmissionProgram

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

SOURCE = "a = 1\n\n\ndef f(): return a\n"
LONG = "x = 1; y = 2\n" * 5000
PROGRAM = SubmissionProgram((("value.py", SOURCE), ("more", LONG)), ("f", "Value"))


def checked(*problems: LoadProblem, **settings: object) -> ReportedLoadResult:
    values = {"defined": {}, "features": {}, "missing": [], "late": [], **settings}
    return CHECKER.copy_without_impossible_parts(ReportedLoadResult(problems=[*problems], **values))  # type: ignore[arg-type]


CHECKER = LoadResultFilter(PROGRAM)


def problem(kind: str = "failed", unit: int = 0, statement: int = 0, line: int = 1, error: str = "E") -> LoadProblem:
    return LoadProblem(kind, unit, statement, line, error, "m")


@pytest.mark.parametrize("kind", ["broken", "failed", "timed out"])
def test_a_process_may_say_what_it_can_know(kind: str) -> None:
    statement = -1 if kind == "broken" else 1
    assert checked(problem(kind, 0, statement, 4)).problems == [problem(kind, 0, statement, 4)]


@pytest.mark.parametrize("kind", ["stopped", "", "Failed", "0.48151623421"])
def test_a_process_cannot_say_that_it_was_stopped_or_anything_else(kind: str) -> None:
    assert checked(problem(kind)).problems == []


@pytest.mark.parametrize("unit", [-1, 2, 1 << 62])
@pytest.mark.parametrize("kind", ["failed", "broken"])
def test_a_problem_in_a_file_that_does_not_exist_is_dropped(kind: str, unit: int) -> None:
    assert checked(problem(kind, unit)).problems == []


@pytest.mark.parametrize(("unit", "statement"), [(0, 2), (0, -2), (0, 1 << 62), (1, 10_002), (1, -5)])
def test_a_problem_on_a_statement_that_does_not_exist_is_dropped(unit: int, statement: int) -> None:
    assert checked(problem(unit=unit, statement=statement)).problems == []


@pytest.mark.parametrize("line", [-1, 6, 48151623421])
def test_a_line_that_does_not_exist_is_no_line(line: int) -> None:
    assert checked(problem(line=line)).problems == [problem(line=0)]


def test_of_several_problems_on_one_statement_the_first_counts() -> None:
    assert checked(problem(error="A"), problem(error="B"), problem("timed out")).problems == [problem(error="A")]


def test_problems_are_few() -> None:
    assert len(checked(*(problem(unit=1, statement=number) for number in range(9000))).problems) == MOST_PROBLEMS


def test_names_that_nobody_asked_for_and_statements_that_do_not_exist_are_left_out() -> None:
    answer = checked(
        defined={"f": "function", "g": ""}, features={"g": ["h"]}, late=[(0, 1), (0, 2), (7, 0), (-1, 0)]
    )
    assert (answer.defined, answer.features, answer.late) == ({"f": "function"}, {}, [(0, 1)])


@pytest.mark.parametrize("place", [(9, 0, 1), (0, 9, 1), (1 << 62, 0, 5)])
def test_a_place_that_does_not_exist_is_not_where_loading_was_stopped(place: tuple[int, int, int]) -> None:
    loading = LoadRetryState(PROGRAM, 1.0)
    loading.prepare_retry_after_stop(StudentStopped("wall", "it took too long"), place)
    assert loading.make_failed_load_result().problems == ()
    assert loading.program.skipped_statements == frozenset()


def test_that_loading_was_stopped_is_said_by_this_side_whatever_the_process_says_of_that_statement() -> None:
    loading = LoadRetryState(PROGRAM, 1.0)
    loading.prepare_retry_after_stop(StudentStopped("wall", "it took too long"), (0, 0, 48151623421))
    answer = ReportedLoadResult({}, {}, [], [problem("failed"), problem("stopped", 0, 1, error="wall")], [])
    loaded = loading.finish_or_prepare_retry(answer)
    assert loaded is not None
    assert loaded.problems == (LoadProblem("stopped", 0, 0, 0, "wall", "it took too long"),)


def test_problems_on_a_later_load_are_dropped(hand_in: HandIn) -> None:
    lines = "\n".join(f"if chosen == {number}: raise ValueError(chosen)" for number in range(100))
    source = f"import os, time\nchosen = time.time_ns() // 1000 % 100\ndef which(): return chosen\n{lines}"
    submission = hand_in(source)
    (first,) = submission.loaded.problems
    seen = set()
    for _ in range(8):
        submission.bridge.end_process()
        with submission.test() as student:
            seen.add(student.get("which")())
    assert len(seen) > 1
    assert submission.loaded.problems == (first,)
    assert submission.bridge.program.skipped_statements == frozenset()


def test_long_messages_of_many_statements_do_not_keep_a_submission_from_being_loaded(hand_in: HandIn) -> None:
    source = "".join(f"raise ValueError('\u00e9{'x' * 900}')\n" for _ in range(40)) + "def f(): return 2\n"
    submission = hand_in(source)
    with submission.test() as student:
        assert student.get("f")() == 2

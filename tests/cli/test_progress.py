"""How far a batch has come: a line now and then where there is no terminal."""

from __future__ import annotations

import pytest

from autograder.cli.progress import open_grading_progress_display
from autograder.workers.grading_tasks import GradingTaskResult

FRESH, REUSED = GradingTaskResult("a"), GradingTaskResult("a", was_reused=True)


@pytest.mark.parametrize(
    ("every", "lines"),
    [
        (60, ["2 of 2 submissions (1 graded already)"]),
        (0, ["1 of 2 submissions", "2 of 2 submissions (1 graded already)"]),
    ],
)
def test_where_there_is_no_terminal_there_is_a_line_now_and_then_and_a_last_one(
    capsys: pytest.CaptureFixture[str], every: float, lines: list[str]
) -> None:
    with open_grading_progress_display(2, seconds_between_lines=every) as told:
        told.show_result(FRESH)
        told.show_result(REUSED)
    shown = capsys.readouterr()
    assert shown.err.splitlines() == lines
    assert shown.out == ""


def stopped() -> None:
    with open_grading_progress_display(2, seconds_between_lines=60) as told:
        told.show_result(FRESH)
        raise KeyboardInterrupt


def test_of_a_batch_that_was_stopped_there_is_no_last_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert capsys.readouterr().err == ""

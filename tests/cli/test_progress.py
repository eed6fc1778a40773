"""How far a batch has come: how fast it really grades, and a line now and then where there is no terminal."""

from __future__ import annotations

import time

import pytest

from autograder.cli.progress import (
    RECENT,
    GradingProgress,
    format_duration_with_colons,
    open_grading_progress_display,
)
from autograder.workers.grading_tasks import GradingTaskResult

FRESH, REUSED = GradingTaskResult("a"), GradingTaskResult("a", was_reused=True)


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def paced(total: int, *steps: tuple[float, GradingTaskResult]) -> GradingProgress:
    """A pace that was told of submissions, each at its second."""
    clock = Clock()
    pace = GradingProgress(total, clock)
    for clock.now, done in steps:
        pace.add_result(done)
    return pace


@pytest.mark.parametrize(
    ("pace", "shown"),
    [
        (paced(10), "0 of 10 submissions"),
        (paced(10, (1, FRESH), (2, FRESH), (4, FRESH)), "3 of 10 submissions, 0.8 a second, 0:09 left"),
        (
            paced(10, (1, REUSED), (20, REUSED), (21, FRESH), (22, FRESH), (22, REUSED)),
            "5 of 10 submissions (3 graded already), 1.0 a second, 0:05 left",
        ),
        (paced(2, (1, REUSED), (2, REUSED)), "2 of 2 submissions (2 graded already)"),
    ],
    ids=lambda case: str(case).partition(",")[0],
)
def test_the_rate_is_of_what_was_graded_anew_and_of_nothing_else(pace: GradingProgress, shown: str) -> None:
    assert str(pace) == shown


def test_the_rate_is_that_of_lately() -> None:
    slow = [(float(n), FRESH) for n in range(1, 101)]
    fast = [(100 + n / 10, FRESH) for n in range(1, 2 * RECENT)]
    assert paced(10_000, *slow, *fast).submissions_per_second_or_zero == pytest.approx(10)


@pytest.mark.parametrize(("seconds", "shown"), [(0.4, "0:00"), (67, "1:07"), (3723, "1:02:03")])
def test_a_time_is_shown_as_on_a_clock(seconds: float, shown: str) -> None:
    assert format_duration_with_colons(seconds) == shown


def a_line(capsys: pytest.CaptureFixture[str]) -> str:
    """The next line on standard error; a busy machine may take its time."""
    until = time.monotonic() + 300
    shown = ""
    while "\n" not in shown and time.monotonic() < until:
        time.sleep(0.01)
        shown += capsys.readouterr().err
    return shown.partition("\n")[0]


def test_where_there_is_no_terminal_there_is_a_line_now_and_then_and_a_last_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with open_grading_progress_display(2, seconds_between_lines=0.05) as told:
        told.show_result(FRESH)
        assert a_line(capsys).startswith("1 of 2 submissions, ")
        assert a_line(capsys).startswith("1 of 2 submissions, ")
        told.show_result(FRESH)
    shown = capsys.readouterr()
    assert shown.err.splitlines()[-1].startswith("2 of 2 submissions, ")
    assert shown.out == ""


def stopped() -> None:
    with open_grading_progress_display(2, seconds_between_lines=60) as told:
        told.show_result(FRESH)
        raise KeyboardInterrupt


def test_of_a_batch_that_was_stopped_there_is_no_last_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert capsys.readouterr().err == ""

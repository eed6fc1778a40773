"""Canvas is waited for while it is busy, but neither for ever nor at other students' cost."""

from __future__ import annotations

from threading import Event

import pytest
import requests

from autograder.faults import CallerFault
from autograder.platforms.canvas import assignment_service, timed_requests
from tests.platforms.canvas_stand_in import Canvas
from tests.platforms.canvas_uploads import ADA, BOB, EVE, MAX, THROTTLED, upload
from tests.platforms.classes import Told


def test_too_many_requests_are_waited_for(canvas: Canvas, waits: list[float]) -> None:
    canvas.answers = [THROTTLED, THROTTLED, (429, {"Retry-After": "7"}, "")]
    assert not upload(canvas, ADA).failed
    assert waits == [1, 2, 7]
    assert canvas.students[11]["score"] == 10.0


@pytest.mark.parametrize(
    "answer",
    [
        (403, {}, "403 Forbidden (Rate Limit Exceeded)"),
        (403, {"X-Rate-Limit-Remaining": "-12.5"}, ""),
        (403, {"X-Rate-Limit-Remaining": "0"}, ""),
    ],
)
def test_every_way_to_say_too_many_is_understood(
    canvas: Canvas, waits: list[float], answer: tuple[int, dict[str, str], str]
) -> None:
    canvas.puts_answers = [answer]
    assert not upload(canvas, ADA).failed
    assert waits == [1]


def test_a_score_is_not_sent_twice_because_canvas_is_busy(canvas: Canvas, waits: list[float]) -> None:
    canvas.puts_answers = [(503, {}, "busy")]
    assert "upload once more" in upload(canvas, ADA).failed[0]
    assert len(canvas.puts) == 1
    assert waits == []


def test_a_score_that_was_throttled_is_sent_once(canvas: Canvas, waits: list[float]) -> None:
    canvas.puts_answers = [THROTTLED]
    assert not upload(canvas, ADA).failed
    assert len(waits) == 1
    assert len(canvas.comments(11)) == 1


def test_canvas_is_waited_for_a_few_times_and_then_given_up(canvas: Canvas, waits: list[float]) -> None:
    canvas.answers = [THROTTLED] * 20
    with pytest.raises(CallerFault, match=r"Canvas rejected the request: .*Rate Limit.*try again later"):
        upload(canvas, ADA)
    assert len(waits) == len(timed_requests.WAIT_SECONDS)


def test_reading_is_tried_again_while_canvas_is_busy(canvas: Canvas, waits: list[float]) -> None:
    canvas.answers = [(503, {}, "busy")]
    assert not upload(canvas, ADA).failed
    assert waits == [1]


def test_one_student_whose_answer_never_comes_does_not_hold_up_the_others(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assignment_service, "SECONDS_FOR_A_STUDENT", 1.0)
    canvas.silent.add(11)
    told = Told()
    made = upload(canvas, ADA, EVE, settings={"comment": "no"}, told=told)
    assert "Canvas did not confirm the change" in made.failed[0]
    assert canvas.students[13]["score"] == 7.5
    assert [row[5] for row in told.rows] == ["unknown", "taken"]


def test_what_comes_byte_by_byte_is_not_waited_for() -> None:
    never = Event()
    with pytest.raises(TimeoutError, match=r"no answer within 0\.05 seconds"):
        timed_requests.run_in_thread_with_timeout(0.05, never.wait)
    never.set()


def test_a_score_whose_time_is_over_is_not_sent_later(canvas: Canvas) -> None:
    session = requests.Session()
    session.mount("http://", timed_requests.BusyRetryAdapter())

    def late() -> None:
        timed_requests.TIME_LIMIT.over = 0.0
        session.put(f"{canvas.url}/api/v1/x")

    with pytest.raises(requests.Timeout, match="the time limit passed"):
        timed_requests.run_in_thread_with_timeout(60, late)
    assert not canvas.requests


def test_a_wait_that_is_longer_than_a_students_time_is_a_refusal(canvas: Canvas, waits: list[float]) -> None:
    canvas.puts_answers = [(429, {"Retry-After": "120"}, "")]
    told = Told()
    made = upload(canvas, ADA, EVE, settings={"comment": "no"}, told=told)
    assert "Canvas received too many requests" in made.failed[0]
    assert waits == []
    assert [row[5] for row in told.rows] == ["refused", "taken"]


def test_after_three_students_for_whom_canvas_was_busy_it_ends(canvas: Canvas, waits: list[float]) -> None:
    canvas.puts_answers = [(429, {"Retry-After": "120"}, "")] * 4
    made = upload(canvas, ADA, BOB, EVE, MAX)
    assert made.failed[-1] == "1 more were not sent; upload once more"

"""What is done about a mark next, whatever a platform, a network and people do meanwhile."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from autograder.web.lti.mark_sender import (
    MarkSendingStep,
    decide_first_step,
    decide_step_after_reading,
    decide_step_after_sending,
)
from autograder.web.lti.results import (
    MOST_TRIES,
    MOST_TRIES_OF_500,
    PlatformAnswer,
    parse_retry_after_seconds_or_none,
)
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from tests.web.lti.outbox_marks import HALF, NOW, mark, shown


def sent(found: OutboxMark, now: datetime = NOW) -> MarkSendingStep:
    """The step at which a mark is sent, when nothing stands there."""
    step = decide_step_after_reading(decide_first_step(found, now, can_read=True), None, now)
    assert step.action == "send"
    return step


def test_timestamps_are_those_of_sending_in_milliseconds() -> None:
    assert sent(mark(), NOW.replace(microsecond=327_999)).mark.last_timestamp == NOW.replace(microsecond=327_000)


def test_clashes_without_end_wait_like_other_failures() -> None:
    step = sent(mark())
    for _ in range(3):
        step = decide_step_after_reading(decide_step_after_sending(step, PlatformAnswer(409), NOW, 0.5), None, NOW)
    assert decide_step_after_sending(step, PlatformAnswer(409), NOW, 0.5).mark.state == "queued"


@pytest.mark.parametrize("status", [0, 401, 408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again_and_given_up_in_the_end(status: int) -> None:
    found, tries = mark(), 0
    while found.state in ("queued", "sending"):
        found = decide_step_after_sending(sent(found), PlatformAnswer(status, "busy"), NOW, 0.5).mark
        tries += 1
    assert (found.state, tries) == ("rejected", MOST_TRIES_OF_500 if status == 500 else MOST_TRIES)
    assert "busy" in found.answer


@pytest.mark.parametrize("status", [400, 403, 404, 412, 422, 302])
def test_what_will_not_pass_is_shown_to_the_staff_at_once(status: int) -> None:
    done = decide_step_after_sending(sent(mark()), PlatformAnswer(status, "[]"), NOW, 0.5)
    assert (done.mark.state, done.mark.answer) == ("rejected", f"status {status}: []")


def test_a_platform_that_asks_for_time_gets_it() -> None:
    waiting = decide_step_after_sending(sent(mark()), PlatformAnswer(429, "", retry_after=120), NOW, 0.5)
    assert waiting.mark.next_try == NOW + timedelta(seconds=120)


@pytest.mark.parametrize(
    ("text", "seconds"), [("7", 7.0), ("", None), ("soon", None), ("-3", None), ("9" * 400, 1e9 - 1)]
)
def test_a_time_to_wait_is_read_or_left_out(text: str, seconds: float | None) -> None:
    assert parse_retry_after_seconds_or_none(text, NOW) == seconds


def test_a_changed_comment_is_sent_although_the_points_are_the_same() -> None:
    other = replace_comment(HALF, "Look again.")
    found = mark(confirmed=HALF, value=other)
    assert decide_step_after_reading(decide_first_step(found, NOW, can_read=True), shown(HALF), NOW).action == "send"
    assert (
        decide_step_after_reading(decide_first_step(found, NOW, can_read=True), shown(HALF, comment=None), NOW).action
        == "send"
    )
    told = shown(other, comment="  Look\r\n again. ")
    assert decide_step_after_reading(decide_first_step(found, NOW, can_read=True), told, NOW).mark.state == "sent"


def replace_comment(value: MarkWithComment, comment: str) -> MarkWithComment:
    return MarkWithComment(value.points, value.maximum, comment, value.submitted_at)

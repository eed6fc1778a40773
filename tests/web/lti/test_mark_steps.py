"""What is done about a mark next, whatever a platform, a network and people do meanwhile."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.web.lti.mark_sender import (
    MarkSendingStep,
    decide_first_step,
    decide_step_after_failure,
    decide_step_after_reading,
    decide_step_after_sending,
)
from autograder.web.lti.results import (
    LONGEST_SECONDS,
    MOST_TRIES,
    MOST_TRIES_OF_500,
    PlatformAnswer,
    PlatformResult,
    compute_retry_delay,
    parse_retry_after_seconds_or_none,
)
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from tests.web.lti.outbox_marks import FULL, HALF, LOST, NOW, mark, shown


def sent(found: OutboxMark, now: datetime = NOW) -> MarkSendingStep:
    """The step at which a mark is sent, when nothing stands there."""
    step = decide_step_after_reading(decide_first_step(found, now, can_read=True), None, now)
    assert step.action == "send"
    return step


def test_a_platform_is_asked_before_anything_is_sent() -> None:
    assert decide_first_step(mark(), NOW, can_read=True).action == "read"


def test_a_platform_that_lets_nobody_read_is_sent_the_mark_at_once() -> None:
    assert decide_first_step(mark(), NOW, can_read=False).action == "send"


def test_a_mark_that_the_platform_took_is_sent() -> None:
    done = decide_step_after_sending(sent(mark(tries=3)), PlatformAnswer(200), NOW, 0.5)
    assert (done.action, done.mark.state, done.mark.confirmed, done.mark.in_doubt) == ("rest", "sent", HALF, ())
    assert done.mark.tries == 0


def test_a_lost_answer_is_followed_by_a_question_and_not_by_another_message() -> None:
    waiting = decide_step_after_sending(sent(mark()), LOST, NOW, 0.5)
    assert (waiting.action, waiting.mark.state, waiting.mark.in_doubt) == ("rest", "queued", (HALF,))
    assert waiting.mark.next_try > NOW
    again = decide_first_step(waiting.mark, waiting.mark.next_try, can_read=True)
    assert again.action == "read"
    assert decide_step_after_reading(again, shown(HALF), NOW).mark.state == "sent"


def test_an_earlier_message_that_may_still_arrive_is_outdone_by_a_later_one() -> None:
    step = decide_first_step(mark(confirmed=HALF, in_doubt=(FULL,), last_timestamp=NOW), NOW, can_read=True)
    again = decide_step_after_reading(step, shown(HALF), NOW)
    assert again.action == "send"
    assert again.mark.last_timestamp == NOW + timedelta(seconds=1)


def test_timestamps_are_those_of_sending_in_milliseconds() -> None:
    assert sent(mark(), NOW.replace(microsecond=327_999)).mark.last_timestamp == NOW.replace(microsecond=327_000)


@pytest.mark.parametrize(
    "answer", [PlatformAnswer(409), PlatformAnswer(400, '{"timestamp":["Score already exists"]}')]
)
def test_a_clash_is_followed_by_a_question_and_then_by_a_timestamp_after_the_platforms(
    answer: PlatformAnswer,
) -> None:
    clashed = decide_step_after_sending(sent(mark()), answer, NOW, 0.5)
    assert clashed.action == "read"
    ahead = (NOW + timedelta(seconds=60)).isoformat()
    again = decide_step_after_reading(clashed, shown(FULL, result_score=None, timestamp=ahead), NOW)
    assert again.action == "send"
    assert again.mark.last_timestamp == NOW + timedelta(seconds=61)
    assert decide_step_after_reading(clashed, shown(HALF), NOW).mark.state == "sent"


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


def test_canvas_says_403_when_it_is_asked_too_often() -> None:
    answer = PlatformAnswer(403, "403 Forbidden (Rate Limit Exceeded)")
    assert decide_step_after_sending(sent(mark()), answer, NOW, 0.5).mark.state == "queued"


def test_a_platform_that_asks_for_time_gets_it() -> None:
    waiting = decide_step_after_sending(sent(mark()), PlatformAnswer(429, "", retry_after=120), NOW, 0.5)
    assert waiting.mark.next_try == NOW + timedelta(seconds=120)


@pytest.mark.parametrize(
    ("text", "seconds"), [("7", 7.0), ("", None), ("soon", None), ("-3", None), ("9" * 400, 1e9 - 1)]
)
def test_a_time_to_wait_is_read_or_left_out(text: str, seconds: float | None) -> None:
    assert parse_retry_after_seconds_or_none(text, NOW) == seconds


@given(tries=st.integers(1, MOST_TRIES), jitter=st.floats(0, 1))
def test_waits_grow_from_two_seconds_to_an_hour(tries: int, jitter: float) -> None:
    found = compute_retry_delay(tries, jitter).total_seconds()
    assert 2 <= found <= LONGEST_SECONDS
    assert found <= compute_retry_delay(tries + 2, jitter).total_seconds()


def test_a_mark_that_a_person_set_there_stays_until_staff_says_otherwise() -> None:
    theirs = PlatformResult("7", 90.0, 100, "")
    first = mark(confirmed=HALF, value=FULL)
    kept = decide_step_after_reading(decide_first_step(first, NOW, can_read=True), theirs, NOW)
    assert (kept.action, kept.mark.state) == ("rest", "kept")
    assert kept.mark.answer == "a person set 90 of 100 on the platform; last sent: 10 of 20"
    assert decide_step_after_reading(decide_first_step(mark(), NOW, can_read=True), theirs, NOW).mark.state == "kept"
    replaced = decide_step_after_reading(
        decide_first_step(replace(first, overwrites=True), NOW, can_read=True), theirs, NOW
    )
    assert replaced.action == "send"


def test_a_platform_that_says_yes_and_keeps_a_persons_mark_is_not_believed() -> None:
    theirs = PlatformResult("7", 90.0, 100, "")
    step = decide_step_after_reading(decide_first_step(mark(overwrites=True), NOW, can_read=True), theirs, NOW)
    asked = decide_step_after_sending(step, PlatformAnswer(200), NOW, 0.5)
    assert asked.action == "read"
    assert decide_step_after_reading(asked, theirs, NOW).mark.state == "rejected"
    assert decide_step_after_reading(asked, shown(HALF), NOW).mark.state == "sent"


def test_where_a_platform_does_not_say_what_stands_there_nothing_is_sent() -> None:
    step = decide_first_step(mark(), NOW, can_read=True)
    assert decide_step_after_failure(step, PlatformAnswer(503), NOW, 0.5).mark.state == "queued"
    assert decide_step_after_failure(step, PlatformAnswer(403), NOW, 0.5).mark.state == "rejected"


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

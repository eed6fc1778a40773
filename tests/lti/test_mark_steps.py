"""What is done about a mark next, whatever a platform, a network and people do meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.lti.next_mark_sending_step import (
    MarkSendingStep,
    decide_first_step,
    decide_step_after_failure,
    decide_step_after_reading,
    decide_step_after_sending,
)
from autograder.lti.platform_results import PlatformResult
from autograder.lti.platform_retry_policy import (
    LONGEST_SECONDS,
    MOST_TRIES,
    MOST_TRIES_OF_500,
    PlatformAnswer,
    compute_retry_delay,
    parse_retry_after_seconds_or_none,
)
from autograder.store.lti.outbox_mark import MarkWithComment, OutboxMark

NOW = datetime(2026, 11, 24, 2, 0, 0, 500_000, tzinfo=UTC)
HALF = MarkWithComment(10.0, 20.0, "Half of it.", "2026-11-20T13:58:00+00:00")
FULL = MarkWithComment(20.0, 20.0, "All of it.")
LOST = PlatformAnswer(0, "does not answer in time")


def mark(**values: object) -> OutboxMark:
    made = OutboxMark(
        1,
        1,
        1,
        "https://lms.example/items/2/lineitem?type_id=1",
        1,
        HALF,
        "sending",
        None,
        (),
        None,
        False,
        0,
        NOW,
        "",
    )
    return replace(made, **values)  # type: ignore[arg-type]


def shown(value: MarkWithComment, **more: object) -> PlatformResult:
    """What Moodle shows of a mark: out of its own maximum."""
    found = PlatformResult("7", value.points / value.maximum * 100, 100, value.comment)
    return PlatformResult(**{**{name: getattr(found, name) for name in found.__struct_fields__}, **more})


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


# A platform and a network that do what they like

Rule = Literal["last sent", "last write"]


@dataclass
class Model:
    """A gradebook by the rules of Open edX and Canvas (``last sent``) or Moodle's activities (``last write``)."""

    rule: Rule
    ahead: float
    """Seconds by which its clock is ahead of the tool's."""
    value: MarkWithComment | None = None
    last: datetime | None = None
    by_person: bool = False
    late: list[tuple[MarkWithComment, datetime]] = field(default_factory=list)
    """Messages that are still on the way."""

    def take(self, value: MarkWithComment, timestamp: datetime, now: datetime) -> PlatformAnswer:
        here = now + timedelta(seconds=self.ahead)
        compared = timestamp.replace(microsecond=0) if self.rule == "last write" else timestamp
        if self.last is not None and compared <= self.last:
            return PlatformAnswer(409, "[]")
        self.last = here.replace(microsecond=0) if self.rule == "last write" else timestamp
        if not self.by_person:
            self.value = value
        return PlatformAnswer(200)

    def show(self) -> PlatformResult | None:
        if self.value is None:
            return None
        written = self.last.isoformat() if self.rule == "last write" and self.last else None
        return shown(self.value, timestamp=written)


EVENTS = st.sampled_from(
    ["fine", "lost before", "lost after", "late", "killed", "busy", "changed", "arrives", "unread"]
)
VALUES = st.builds(
    MarkWithComment, st.sampled_from([0.0, 5.0, 10.0, 20.0]), st.just(20.0), st.sampled_from(["a", "b"])
)


@settings(max_examples=600)
@given(
    rule=st.sampled_from(["last sent", "last write"]),
    ahead=st.sampled_from([0.0, 60.0, -60.0]),
    events=st.lists(st.tuples(EVENTS, VALUES, st.sampled_from([0.01, 0.6, 3.0, 100.0])), max_size=14),
)
def test_whatever_gets_lost_the_latest_mark_stands_there_in_the_end(
    rule: Rule, ahead: float, events: list[tuple[str, MarkWithComment, float]]
) -> None:
    platform, found, now = Model(rule, ahead), mark(), NOW
    for event, value, seconds in events:
        now += timedelta(seconds=seconds)
        if event == "changed":
            found = replace(found, value=value, version=found.version + 1, state="queued", tries=0)
        elif event == "arrives" and platform.late:
            platform.take(*platform.late.pop(0), now)
        else:
            found = replace(send_until_rest(found, platform, event, now), tries=0)
            check(found)
    for _ in range(30):
        now += timedelta(seconds=100)
        found = send_until_rest(replace(found, state="queued"), platform, "fine", now)
        if found.state == "sent":
            break
    assert found.state == "sent", found
    if not (rule == "last write" and ahead < 0):  # such a platform takes an old message for a new one
        while platform.late:
            platform.take(*platform.late.pop(0), now)
    assert platform.value is not None
    assert (platform.value.points, platform.value.comment) == (found.value.points, found.value.comment)


def send_until_rest(found: OutboxMark, platform: Model, event: str, now: datetime) -> OutboxMark:
    """Bring a mark as far as it goes, as the sender does; return what is on the disk then."""
    step = decide_first_step(found, now, can_read=True)
    asked, earlier = False, found.last_timestamp
    while step.action != "rest":
        if step.action == "read":
            asked = True
            if event == "unread":
                step = decide_step_after_failure(step, PlatformAnswer(503), now, 0.5)
            else:
                step = decide_step_after_reading(step, platform.show(), now)
            continue
        assert asked, "sent without a question"
        assert step.mark.last_timestamp is not None
        assert earlier is None or step.mark.last_timestamp - earlier >= timedelta(seconds=1)
        earlier = step.mark.last_timestamp
        message = step.mark.value, step.mark.last_timestamp
        if event == "late":
            platform.late.append(message)
        if event == "busy":
            answer = PlatformAnswer(503)
        elif event in ("lost before", "late"):
            answer = LOST
        else:
            answer = platform.take(*message, now)
        if event == "killed":
            return step.mark
        step = decide_step_after_sending(step, LOST if event == "lost after" else answer, now, 0.5)
    return step.mark


def check(found: OutboxMark) -> None:
    assert found.state in ("queued", "sending", "sent"), found
    if found.state == "sent":
        assert found.confirmed == found.value
        assert found.in_doubt == ()

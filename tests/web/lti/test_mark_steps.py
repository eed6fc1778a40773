"""What is done about a mark next, whatever a platform, a network and people do meanwhile."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from autograder.web.lti.mark_sender import bring_mark_to_gradebook
from autograder.web.lti.results import (
    MOST_TRIES,
    MOST_TRIES_OF_500,
    PlatformAnswer,
    PlatformResult,
    parse_retry_after_seconds_or_none,
)
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from tests.web.lti.outbox_marks import HALF, NOW, mark, shown

TAKEN = PlatformAnswer(200)


@dataclass
class Answering:
    """A gradebook that always answers the same."""

    answer: PlatformAnswer = TAKEN
    there: PlatformResult | None = None
    sent: list[OutboxMark] = field(default_factory=list)
    can_read: bool = True

    def read_mark(self, mark: OutboxMark) -> tuple[PlatformAnswer, PlatformResult | None]:
        return TAKEN, self.there

    def send_mark(self, mark: OutboxMark) -> PlatformAnswer:
        self.sent.append(mark)
        return self.answer

    def is_column_deleted(self, answer: PlatformAnswer) -> bool:
        return False

    def take(self, found: OutboxMark, now: datetime = NOW) -> OutboxMark:
        return bring_mark_to_gradebook(found, self, lambda: now, 0.5)


def test_timestamps_are_those_of_sending_in_milliseconds() -> None:
    taken = Answering().take(mark(), NOW.replace(microsecond=327_999))
    assert taken.last_timestamp == NOW.replace(microsecond=327_000)


def test_clashes_without_end_wait_like_other_failures() -> None:
    refusing = Answering(PlatformAnswer(409))
    assert refusing.take(mark()).state == "queued"
    assert len(refusing.sent) == 4


@pytest.mark.parametrize("status", [0, 401, 408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again_and_given_up_in_the_end(status: int) -> None:
    found, tries = mark(), 0
    while found.state in ("queued", "sending"):
        found = Answering(PlatformAnswer(status, "busy")).take(found)
        tries += 1
    assert (found.state, tries) == ("rejected", MOST_TRIES_OF_500 if status == 500 else MOST_TRIES)
    assert "busy" in found.answer


@pytest.mark.parametrize("status", [400, 403, 404, 412, 422, 302])
def test_what_will_not_pass_is_shown_to_the_staff_at_once(status: int) -> None:
    done = Answering(PlatformAnswer(status, "[]")).take(mark())
    assert (done.state, done.answer) == ("rejected", f"status {status}: []")


def test_a_platform_that_asks_for_time_gets_it() -> None:
    waiting = Answering(PlatformAnswer(429, "", retry_after=120)).take(mark())
    assert waiting.next_try == NOW + timedelta(seconds=120)


@pytest.mark.parametrize(
    ("text", "seconds"), [("7", 7.0), ("", None), ("soon", None), ("-3", None), ("9" * 400, 1e9 - 1)]
)
def test_a_time_to_wait_is_read_or_left_out(text: str, seconds: float | None) -> None:
    assert parse_retry_after_seconds_or_none(text, NOW) == seconds


@pytest.mark.parametrize(("comment", "is_sent"), [("Half of it.", True), (None, True), ("  Look\r\n again. ", False)])
def test_a_changed_comment_is_sent_although_the_points_are_the_same(comment: str | None, is_sent: bool) -> None:
    other = MarkWithComment(HALF.points, HALF.maximum, "Look again.", HALF.submitted_at)
    gradebook = Answering(there=shown(HALF, comment=comment))
    assert gradebook.take(mark(confirmed=HALF, value=other)).state == "sent"
    assert bool(gradebook.sent) == is_sent

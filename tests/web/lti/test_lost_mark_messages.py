"""Whatever a platform and a network do to messages, the latest mark stands there in the end."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.web.lti.mark_sender import bring_mark_to_gradebook
from autograder.web.lti.results import PlatformAnswer, PlatformResult
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark
from tests.web.lti.outbox_marks import LOST, NOW, mark, shown

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


class Killed(Exception):
    """The sender was killed when a message was on its way; the mark is as the disk has it."""


@dataclass
class Sending:
    """One try to send a mark, in which something happens."""

    platform: Model
    event: str
    now: datetime
    earlier: datetime | None
    can_read: bool = True
    was_asked: bool = False

    def read_mark(self, found: OutboxMark) -> tuple[PlatformAnswer, PlatformResult | None]:
        self.was_asked = True
        return (PlatformAnswer(503), None) if self.event == "unread" else (PlatformAnswer(200), self.platform.show())

    def send_mark(self, found: OutboxMark) -> PlatformAnswer:
        assert self.was_asked, "sent without a question"
        assert found.last_timestamp is not None
        assert self.earlier is None or found.last_timestamp - self.earlier >= timedelta(seconds=1)
        self.earlier = found.last_timestamp
        message = found.value, found.last_timestamp
        if self.event == "late":
            self.platform.late.append(message)
        if self.event == "busy":
            return PlatformAnswer(503)
        answer = LOST if self.event in ("lost before", "late") else self.platform.take(*message, self.now)
        if self.event == "killed":
            raise Killed(found)
        return LOST if self.event == "lost after" else answer

    def is_column_deleted(self, answer: PlatformAnswer) -> bool:
        return False


def send_until_rest(found: OutboxMark, platform: Model, event: str, now: datetime) -> OutboxMark:
    """Bring a mark as far as it goes, as the sender does; return what is on the disk then."""
    try:
        return bring_mark_to_gradebook(found, Sending(platform, event, now, found.last_timestamp), lambda: now, 0.5)
    except Killed as killed:
        on_disk: OutboxMark = killed.args[0]
        return on_disk


def check(found: OutboxMark) -> None:
    assert found.state in ("queued", "sending", "sent"), found
    if found.state == "sent":
        assert found.confirmed == found.value
        assert found.in_doubt == ()

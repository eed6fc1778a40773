"""Whatever a platform and a network do to messages, the latest mark stands there in the end."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.web.lti.mark_sender import (
    decide_first_step,
    decide_step_after_failure,
    decide_step_after_reading,
    decide_step_after_sending,
)
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

"""A mark in the outbox, and what a platform shows of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from autograder.web.lti.results import PlatformAnswer, PlatformResult
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark

NOW = datetime(2026, 11, 24, 2, 0, 0, 500_000, tzinfo=UTC)
HALF = MarkWithComment(10.0, 20.0, "Half of it.", "2026-11-20T13:58:00+00:00")
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

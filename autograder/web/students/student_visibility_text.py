"""Say in words what students see of their results, and since when: for the staff, and for the students themselves."""

from __future__ import annotations

from collections.abc import Iterator

from autograder.course.model import FeedbackSettings, Visibility
from autograder.reports.report_visibility import FIRST_STAGE, Stage, is_visible_at

WAITS: dict[Stage, str] = {
    "due": "until the last deadline of the class, extensions included",
    "published": "until the staff publishes it",
}


def list_visible_parts(feedback: FeedbackSettings, stage: Stage) -> list[str]:
    """Return the parts of a result that students see at a stage; none if the result itself is not shown."""
    if not is_visible_at(feedback.results, stage):
        return []
    return ["points and comments", *(name for name, one in _parts(feedback) if is_visible_at(one, stage))]


def list_withheld_parts(feedback: FeedbackSettings, stage: Stage) -> list[tuple[str, str]]:
    """Return what students do not see yet, each with what it waits for; what they never see is left out."""
    parts: list[tuple[str, Visibility]] = [*_parts(feedback)]
    if not is_visible_at(feedback.results, stage):
        parts = [("the result", feedback.results)]
    return [
        (name, WAITS[start])
        for name, visibility in parts
        if (start := FIRST_STAGE[visibility]) and not is_visible_at(visibility, stage)
    ]


def _parts(feedback: FeedbackSettings) -> Iterator[tuple[str, Visibility]]:
    yield "what each test says", feedback.hidden_tests
    yield "the mistake behind failed tests", feedback.diagnosis

"""Trouble between two functions that must both work afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.bridge import LoadResult
from autograder.course import Limits

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

BEFORE = "def before(): return 'before'"
AFTER = "def after(): return 'after'"


def loaded_around(hand_in: HandIn, trouble: str, limits: Limits = Limits()) -> LoadResult:  # noqa: B008
    """Load trouble between two functions, in one file, which must both work afterwards."""
    submission = hand_in(f"{BEFORE}\n{trouble}\n{AFTER}", limits=limits)
    with submission.test() as student:
        assert student.get("before")() == "before"
        assert student.get("after")() == "after"
    return submission.loaded

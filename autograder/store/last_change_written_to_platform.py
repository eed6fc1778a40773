"""Describe what the kit wrote last for a student: to a platform's table, or to the platform itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LastChangeWrittenToPlatform:
    """One mark or comment, as the kit wrote it last."""

    before: str
    """What stood there; empty for nothing."""
    after: str
    platform_state_before: str = ""
    """The state of the platform or of its table in which ``before`` stood there; empty where it is not known."""
    was_confirmed: bool = False
    """Whether the platform itself said that it took it; a file may never have been uploaded."""
    overwrote_decision: bool = False
    """Whether ``before`` was a person's, and staff said that it may be replaced."""


WrittenKey = tuple[str, str, str]
"""What (``mark`` or ``comment``), the place on the platform (such as a column's id), the student's id there."""

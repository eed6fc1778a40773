"""Describe the last mark or comment that the kit wrote for a student, to a platform or to its table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LastExportedValue:
    """One mark or comment, as the kit wrote it last."""

    before: str
    """The value before; empty for none."""
    after: str
    platform_state_before: str = ""
    """The state of the platform or its table when it held ``before``; empty if unknown."""
    was_confirmed: bool = False
    """Whether the platform confirmed that it accepted the value; a written file may never have been uploaded."""
    overwrote_decision: bool = False
    """Whether ``before`` was set by a person, and the staff allowed replacing it."""


WrittenKey = tuple[str, str, str]
"""What (``mark`` or ``comment``), the place on the platform (such as a column's id), the student's id there."""

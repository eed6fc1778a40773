"""Define when an assignment is due, what being late costs, and which attempts there are and count.

This is what ``grading.yml`` says, frozen and typed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Annotated, Literal

from msgspec import Meta, Struct

Percent = Annotated[float, Meta(ge=0, le=100)]
Days = Annotated[int, Meta(gt=0, le=3650)]
Attempts = Literal["best", "last"]
"""Which of a student's submissions counts."""
RATES = ("percent_per_day", "percent_per_hour", "table")
"""The ways to say what being late costs; one of them at a time."""


class LatePolicyStep(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of a table: up to so late, so much is taken off."""

    up_to_hours: Annotated[int, Meta(gt=0, le=87_600)] | None = None
    up_to_days: Days | None = None
    percent: Percent

    def __post_init__(self) -> None:
        if (self.up_to_hours is None) == (self.up_to_days is None):
            raise ValueError("a step says up_to_hours or up_to_days, and not both")

    @property
    def end_in_hours_late(self) -> int:
        """Return the hours late at which this step ends; steps of a table are ordered by them."""
        return self.up_to_hours or 24 * (self.up_to_days or 0)


class LatePolicy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What being late costs, in percent of the points. Nothing, unless one of the three ways says so."""

    grace_minutes: Annotated[float, Meta(ge=0, le=10_080)] = 0.0
    """Up to so late, nothing is taken off."""
    percent_per_day: Percent | None = None
    """For each day that has begun, of which the first begins with the deadline."""
    percent_per_hour: Percent | None = None
    """The same for hours."""
    table: tuple[LatePolicyStep, ...] = ()
    """The step that ends first of those that have not ended; after the last, nothing is left."""
    cap_percent: Percent = 100.0
    """The most that is taken off."""
    latest_days: Days | None = None
    """Nothing is left for what comes later than so many days, whatever the cap."""

    def __post_init__(self) -> None:
        ways = [name for name in RATES if getattr(self, name) not in (None, ())]
        if len(ways) > 1:
            raise ValueError(f"{ways[1]} does not go together with {ways[0]}")
        steps = sorted(self.table, key=lambda step: step.end_in_hours_late)
        for before, after in pairwise(steps):
            if before.end_in_hours_late == after.end_in_hours_late:
                raise ValueError(f"table has two steps that end after {before.end_in_hours_late} hours")
            if before.percent > after.percent:
                raise ValueError(
                    f"table takes off {after.percent:g} percent up to {after.end_in_hours_late} hours, "
                    "and more before that"
                )


class AttemptRules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which of a student's attempts counts, and how many there may be; ``attempts: last`` says the first alone."""

    count: Attempts = "best"
    at_most: Annotated[int, Meta(gt=0, le=100_000)] | None = None
    """So many may be handed in on the web; any number when None."""
    minutes_between: Annotated[float, Meta(ge=0, le=10_080)] = 0.0
    """So long after one, the next may be handed in on the web."""


@dataclass(frozen=True, slots=True)
class DeadlineAndAttemptRules:
    """When an assignment is due, for whom, and which submission counts."""

    deadline: datetime | None = None
    """In its time zone, whose clocks say where a day ends; None when nothing can be late."""
    late_policy: LatePolicy = field(default_factory=LatePolicy)
    extensions: tuple[tuple[str, datetime], ...] = ()
    """Students and their own deadlines."""
    deadlines_of_students: tuple[tuple[str, datetime], ...] = ()
    """Students for whom an LMS says another deadline than ``deadline``, earlier or later."""
    which_attempt_counts: Attempts = "best"
    most_attempts: int | None = None
    """See ``AttemptRules.at_most``."""
    minutes_between: float = 0.0
    """See ``AttemptRules.minutes_between``."""
    default_zone: tzinfo | None = None
    """Of submission times that name no time zone."""

    def find_deadline_before_extensions(self, names_of_each_student: Iterable[tuple[str, ...]]) -> datetime | None:
        """Return the deadline of students who hand in together, before extensions: the latest of any of them.

        Args:
            names_of_each_student: each by all names that are surely theirs.
        """
        own = dict(self.deadlines_of_students)
        found = [next((own[name] for name in names if name in own), self.deadline) for names in names_of_each_student]
        return max((one for one in found if one), key=datetime.timestamp, default=self.deadline)

"""Define an assignment's deadlines, late policy and attempt rules: settings of ``grading.yml``, frozen and typed."""

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
"""The submission of a student that counts: the one with the best score, or the last one."""
RATES = ("percent_per_day", "percent_per_hour", "table")
"""The settings that say what being late costs; a late policy has at most one of them."""


class LatePolicyStep(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A row of a late policy's table: ``percent`` is taken off up to the given lateness."""

    up_to_hours: Annotated[int, Meta(gt=0, le=87_600)] | None = None
    up_to_days: Days | None = None
    percent: Percent

    def __post_init__(self) -> None:
        if (self.up_to_hours is None) == (self.up_to_days is None):
            raise ValueError("a step must have either up_to_hours or up_to_days")

    @property
    def max_hours_late(self) -> int:
        """Return the lateness in hours at which this step ends; the steps of a table are ordered by it."""
        return self.up_to_hours or 24 * (self.up_to_days or 0)


class LatePolicy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The cost of being late, in percent of the points.

    It costs nothing, unless one of the settings in ``RATES`` is given or ``latest_days`` is exceeded.
    """

    grace_minutes: Annotated[float, Meta(ge=0, le=10_080)] = 0.0
    """How many minutes late a submission may be at no cost."""
    percent_per_day: Percent | None = None
    """Taken off for each day that has begun; the first day begins at the deadline."""
    percent_per_hour: Percent | None = None
    """Taken off for each hour that has begun; the first hour begins at the deadline."""
    table: tuple[LatePolicyStep, ...] = ()
    """Of the steps that have not ended, the one that ends first applies; after the last step, no points are left."""
    cap_percent: Percent = 100.0
    """The most that is taken off."""
    latest_days: Days | None = None
    """A submission that is more days late than this gets no points, whatever the cap."""

    def __post_init__(self) -> None:
        rates = [name for name in RATES if getattr(self, name) not in (None, ())]
        if len(rates) > 1:
            raise ValueError(f"{rates[1]} does not go together with {rates[0]}; keep one of them")
        steps = sorted(self.table, key=lambda step: step.max_hours_late)
        for step, next_step in pairwise(steps):
            if step.max_hours_late == next_step.max_hours_late:
                raise ValueError(f"the table has two steps that end after {step.max_hours_late} hours")
            if step.percent > next_step.percent:
                raise ValueError(
                    f"the table takes off {next_step.percent:g} percent up to {next_step.max_hours_late} hours, "
                    "and more before that"
                )


class AttemptRules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The attempt of a student that counts, and how many there may be.

    In ``grading.yml``, a single word such as ``attempts: last`` sets ``count`` alone.
    """

    count: Attempts = "best"
    at_most: Annotated[int, Meta(gt=0, le=100_000)] | None = None
    """How many attempts may be handed in on the web; any number when None."""
    minutes_between: Annotated[float, Meta(ge=0, le=10_080)] = 0.0
    """How many minutes have to pass between two attempts on the web."""


@dataclass(frozen=True, slots=True)
class DeadlineRules:
    """When an assignment is due, for whom, and which submission counts."""

    deadline: datetime | None = None
    """The deadline, in the time zone in which days are counted; None when nothing can be late."""
    late_policy: LatePolicy = field(default_factory=LatePolicy)
    extensions: tuple[tuple[str, datetime], ...] = ()
    """Students and their own deadlines."""
    deadlines_of_students: tuple[tuple[str, datetime], ...] = ()
    """Students to whom an LMS gives a deadline other than ``deadline``, earlier or later, with that deadline."""
    which_attempt_counts: Attempts = "best"
    most_attempts: int | None = None
    """See ``AttemptRules.at_most``."""
    minutes_between: float = 0.0
    """See ``AttemptRules.minutes_between``."""
    default_zone: tzinfo | None = None
    """The time zone of submission times that name none."""

    def find_deadline_before_extensions(self, names_of_each_student: Iterable[tuple[str, ...]]) -> datetime | None:
        """Return the deadline of a group submission before extensions: the latest deadline of any member.

        Args:
            names_of_each_student: for each member, all names that certainly identify them.
        """
        deadline_by_name = dict(self.deadlines_of_students)
        deadlines = [
            next((deadline_by_name[name] for name in names if name in deadline_by_name), self.deadline)
            for names in names_of_each_student
        ]
        return max((deadline for deadline in deadlines if deadline), key=datetime.timestamp, default=self.deadline)

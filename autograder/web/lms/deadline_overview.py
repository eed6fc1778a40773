"""Describe an assignment's deadlines from the course and from LMSs, and which of them counts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from autograder.batch.lms_deadline_override import apply_lms_deadlines_if_chosen
from autograder.course import Assignment
from autograder.store.lti.lti_deadline_table import DeadlineSource, PlatformDeadline
from autograder.store.store import Store


@dataclass(frozen=True, slots=True)
class DeadlineOverview:
    """The deadline that counts for an assignment, and its source, for people."""

    source: DeadlineSource
    own: datetime | None
    """The deadline of ``grading.yml``."""
    counting: datetime | None
    """The deadline that counts for every student without a personal one."""
    said: list[PlatformDeadline]
    """What LMSs say to everybody."""
    own_deadlines: int
    """How many students have a personal deadline from an LMS that differs from its general one."""

    @property
    def is_lms_deadline_in_force(self) -> bool:
        """Return whether the deadline that counts is one that an LMS said."""
        return self.source == "LMS" and bool(self.said or self.own_deadlines)


def load_deadline_overview(store: Store, course: str, assignment: Assignment) -> DeadlineOverview:
    """Return the deadlines of the course and of LMSs, and which of them counts."""
    rules, name = assignment.deadline_rules, assignment.name
    platform_deadlines = store.lti_deadlines.list_platform_deadlines(course, name)
    effective_rules = apply_lms_deadlines_if_chosen(store, course, name, rules)
    general_deadline_by_link = {
        deadline.line_item: deadline.deadline for deadline in platform_deadlines if not deadline.login
    }
    return DeadlineOverview(
        store.lti_deadlines.get_deadline_source(course, name),
        rules.deadline,
        effective_rules.deadline,
        [deadline for deadline in platform_deadlines if not deadline.login],
        len(
            {
                deadline.login
                for deadline in platform_deadlines
                if deadline.login and deadline.deadline != general_deadline_by_link.get(deadline.line_item)
            }
        ),
    )

"""Limits of control groups, and how tests see that one has gone."""

from __future__ import annotations

from autograder.course import Limits
from autograder.sandbox.control_group import ControlGroup, ControlGroupLimits
from tests.machine import comes_true

PLENTY = ControlGroupLimits(memory_bytes=1 << 30, max_tasks=100)
SMALL = Limits(memory_mb=128, cpu_seconds=20, wall_seconds=60, submission_seconds=60)


def has_gone(group: ControlGroup) -> bool:
    """Whether a group could be removed."""
    return comes_true(group.remove_if_empty)

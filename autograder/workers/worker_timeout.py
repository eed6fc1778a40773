"""Say when a worker process counts as stuck; a second line behind the time limits of the submission itself."""

from __future__ import annotations

from autograder.course import Limits

SPARE_SECONDS = 60
LIMITS_TOGETHER = 5
"""How many times all time limits of a submission fit in: its tests run twice at most, and a diagnosis follows."""
BUSY_MACHINE_FACTOR = 10
"""How many times as long a worker may take on this machine, which may be busy with other work or be suspended."""


def compute_seconds_until_stuck(limits: Limits) -> float:
    """Return the seconds after which a grading process of a cluster counts as stuck."""
    return SPARE_SECONDS + LIMITS_TOGETHER * (limits.submission_seconds + limits.import_seconds)


def compute_local_seconds_until_stuck(limits: Limits) -> float:
    """Return the seconds after which a grading process of this machine counts as stuck."""
    return BUSY_MACHINE_FACTOR * compute_seconds_until_stuck(limits)

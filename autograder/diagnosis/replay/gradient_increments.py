"""Compute what each step of a recorded run changed."""

from __future__ import annotations

from itertools import pairwise

from autograder.diagnosis.program_readings import Seen
from autograder.diagnosis.replay.backward_replay_records import RecordedBackwardRun

Changes = dict[str, float | None]
"""The amount that a step adds to each changed gradient; None if the reading before or after is not a number."""


def list_gradient_increments_by_step(run: RecordedBackwardRun) -> list[Changes]:
    """Return the amounts that each step adds to gradients; unchanged gradients and new nodes are left out."""
    return [
        {name: _subtract(after[name], before[name]) for name in after if before.get(name, after[name]) != after[name]}
        for before, after in pairwise([run.before, *(step.grads for step in run.steps)])
    ]


def _subtract(after: Seen, before: Seen) -> float | None:
    if isinstance(after, int | float) and isinstance(before, int | float):
        return float(after) - float(before)
    return None

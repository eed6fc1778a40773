"""Bound the work of an analysis by counted steps, so that the same source always gets the same answer."""

from __future__ import annotations

MOST_STEPS = 1_000_000
"""Steps of one analysis of a program, about a second. Honest programs need some ten thousands."""


class TooManySteps(Exception):
    """An analysis would take too long; its caller gives the answer that is right in doubt."""


class StepBudget:
    """The steps that one analysis may take, and how many of them are left."""

    def __init__(self) -> None:
        self._left = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Take steps off the budget before they are done.

        Raises:
            TooManySteps: that is more than ``MOST_STEPS`` in all.
        """
        self._left -= steps
        if self._left < 0:
            raise TooManySteps

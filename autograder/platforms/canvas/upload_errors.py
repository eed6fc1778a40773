"""Define why Canvas did not take a score, in the words that staff read."""

from __future__ import annotations


class ScoreRefused(Exception):
    """A score was not taken; the message says why."""


class ServiceAnswerLost(ScoreRefused):
    """Canvas did not answer; it may have taken it all the same."""


class ServiceThrottled(ScoreRefused):
    """Canvas is asked too often, and did nothing."""


class TokenLocked(ScoreRefused):
    """Nothing more will be taken with this token."""

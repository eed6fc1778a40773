"""Define why Canvas did not take a score, in the words that staff read."""

from __future__ import annotations


class ScoreNotConfirmed(Exception):
    """A score was not taken; the message says why."""


class ServiceAnswerLost(ScoreNotConfirmed):
    """Canvas did not answer; it may have taken it all the same."""


class ServiceThrottled(ScoreNotConfirmed):
    """Canvas is asked too often, and did nothing."""


class TokenNoLongerValid(ScoreNotConfirmed):
    """Nothing more will be taken with this token."""

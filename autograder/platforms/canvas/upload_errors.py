"""Define why Canvas did not take a score, in the words that staff read."""

from __future__ import annotations


class ScoreUploadFailed(Exception):
    """A score was not taken, or it is not known whether it was; the message says why."""


class ServiceAnswerLost(ScoreUploadFailed):
    """Canvas did not answer; it may have taken it all the same."""


class ServiceThrottled(ScoreUploadFailed):
    """Canvas is asked too often, and did nothing."""


class TokenNoLongerValid(ScoreUploadFailed):
    """Nothing more will be taken with this token."""

"""Define why Canvas did not take a score, in the words that staff read."""

from __future__ import annotations


class ScoreUploadNotConfirmed(Exception):
    """A score was not taken, or it is not known whether it was; the message says why."""


class ServiceAnswerLost(ScoreUploadNotConfirmed):
    """Canvas did not answer; it may have taken it all the same."""


class ServiceThrottled(ScoreUploadNotConfirmed):
    """Canvas is asked too often, and did nothing."""


class TokenNoLongerValid(ScoreUploadNotConfirmed):
    """Nothing more will be taken with this token."""

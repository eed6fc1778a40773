"""Define the errors of an upload to Canvas, with messages for the staff."""

from __future__ import annotations


class ScoreUploadNotConfirmed(Exception):
    """A score was not taken, or it is not known whether it was; the message says why."""


class ServiceAnswerLost(ScoreUploadNotConfirmed):
    """Canvas did not answer; it may have saved the change nevertheless."""


class ServiceThrottled(ScoreUploadNotConfirmed):
    """Canvas refused the request because of its rate limit, and changed nothing."""


class TokenNoLongerValid(ScoreUploadNotConfirmed):
    """Canvas no longer accepts the token, so all further requests will fail."""

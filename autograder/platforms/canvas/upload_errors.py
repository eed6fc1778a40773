"""Define the errors of an upload to Canvas, with messages for the staff."""

from __future__ import annotations


class ScoreUploadError(Exception):
    """A score was not taken, or it is not known whether it was; the message says why."""


class ResponseLost(ScoreUploadError):
    """Canvas did not answer; it may have saved the change nevertheless."""


class ServiceThrottled(ScoreUploadError):
    """Canvas refused the request because of its rate limit, and changed nothing."""


class TokenRejected(ScoreUploadError):
    """Canvas no longer accepts the token, so all further requests will fail."""

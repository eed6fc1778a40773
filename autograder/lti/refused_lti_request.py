"""Define the error for LTI messages that are refused."""

from __future__ import annotations

from autograder.faults import Fault


class RefusedLtiRequest(Fault):
    """A login or launch is refused. The person sees the message, so it must not hold a secret."""

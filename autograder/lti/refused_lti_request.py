"""The error of a message that cannot be believed, or leads nowhere."""

from __future__ import annotations

from autograder.faults import Fault


class RefusedLtiRequest(Fault):
    """A login or launch that is refused; told to whoever came, so it holds no secret."""

"""Define why Canvas did not take a score, in the words that staff read."""

from __future__ import annotations


class Refused(Exception):
    """A score was not taken; the message says why."""


class Lost(Refused):
    """Canvas did not answer; it may have taken it all the same."""


class Busy(Refused):
    """Canvas is asked too often, and did nothing."""


class Locked(Refused):
    """Nothing more will be taken with this token."""

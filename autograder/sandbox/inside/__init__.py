"""Compile what runs in a student's process before the student's code: it takes every right away, and checks that.

It uses the standard library only, and little of it: the time to import it is paid for every submission.
"""

from __future__ import annotations

import functools
from pathlib import Path

from autograder.sandbox.parts import marshalled

PARTS = ("kernel", "packages", "look", "lock")
"""The modules, each importing only those before it."""


@functools.cache
def program() -> bytes:
    """Return all parts as they are sent; see ``parts.marshalled``."""
    return marshalled(__name__, Path(__file__).parent, PARTS)

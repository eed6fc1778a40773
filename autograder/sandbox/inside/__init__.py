"""What runs in the student's process before anything of the student's: it takes every right away, and looks.

Standard library only, and little of it: the time to import it is paid for every submission.
"""

from __future__ import annotations

import functools
from pathlib import Path

from autograder.sandbox.parts import marshalled

PARTS = ("kernel", "packages", "look", "lock")
"""The modules, each importing only those before it."""


@functools.cache
def program() -> bytes:
    """All parts as they are sent; see ``parts.marshalled``."""
    return marshalled(__name__, Path(__file__).parent, PARTS)

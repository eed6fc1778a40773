"""Compile the code that runs inside the student's process: standard library only, and as little as possible.

Its parts are compiled here and sent over. No file of the kit lies where the student's process could read it, and
nothing that comes back is trusted.
"""

from __future__ import annotations

import functools
from pathlib import Path

from autograder.sandbox.parts import marshalled

PARTS = (
    "talk",
    "determinism",
    "values",
    "inert",
    "newer",
    "finder",
    "loading",
    "names",
    "where",
    "looks",
    "pulls",
    "settable",
    "scripts",
    "requests",
    "serve",
)
"""The modules, each importing only those before it."""


@functools.cache
def program() -> bytes:
    """Return all parts as they are sent; see ``parts.marshalled``."""
    return marshalled(__name__, Path(__file__).parent, PARTS)

"""Compile the modules that run in a student's process before the student's code, to drop and check its privileges.

They import little besides each other, and only from the standard library: every submission pays for that time.
"""

from __future__ import annotations

import functools
from pathlib import Path

from autograder.sandbox.marshalled_modules import marshal_modules

PARTS = ("syscalls", "allowed_package_finder", "self_check", "lockdown", "process_entry_point")
"""The modules, each importing only those before it."""


@functools.cache
def compile_modules(*, forks: bool = False) -> bytes:
    """Return the modules as they are sent; see ``marshalled_modules.marshal_modules``.

    Args:
        forks: whether the interpreter becomes a fork server, and not a student's process.
    """
    return marshal_modules(__name__, Path(__file__).parent, (*PARTS, "fork_loop") if forks else PARTS)

"""Compile what runs in a student's process before the student's code: it takes every right away, and checks that.

It uses the standard library only, and little of it: the time to import it is paid for every submission.
"""

from __future__ import annotations

import functools
from pathlib import Path

from autograder.sandbox.marshalled_modules import marshal_modules

PARTS = ("kernel_calls", "allowed_package_finder", "self_check", "lockdown", "process_entry_point")
"""The modules, each importing only those before it."""


@functools.cache
def compile_modules(*, forks: bool = False) -> bytes:
    """Return the parts as they are sent; see ``marshalled_modules.marshal_modules``.

    Args:
        forks: whether the interpreter is to fork processes and not to become one; its ``start`` is the last part's.
    """
    return marshal_modules(__name__, Path(__file__).parent, (*PARTS, "fork_loop") if forks else PARTS)

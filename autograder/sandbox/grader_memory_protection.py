"""Hide the grader's own memory from processes of the same user."""

from __future__ import annotations

import ctypes
import functools
import sys

PR_SET_DUMPABLE = 4


@functools.cache
def protect_grader_memory() -> None:
    """Let no process of the same user read this one's memory, environment or descriptors, or trace it.

    Hidden tests and expected answers are in this process; where a submission cannot be given a user of its own, the
    kernel would let it look. This is called before the first student's process is started, and lasts for good. A
    debugger can no longer attach. Source: ``PR_SET_DUMPABLE`` in prctl(2).
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)

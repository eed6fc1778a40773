"""Tier ``restricted``: no namespaces, as in an unprivileged container; Landlock, seccomp, and an own user."""

from __future__ import annotations

import os
import sys

from autograder.sandbox.interpreter import interpreter
from autograder.sandbox.plan import Sandbox


def sandboxes() -> list[Sandbox]:
    """The ways to build this tier, best first."""
    if sys.platform != "linux":
        return []
    python = interpreter()
    readable = tuple(path for path in (python.stdlib, python.system_libraries, *python.libraries) if path)
    root = os.getuid() == 0
    return [
        Sandbox(
            "restricted",
            python.executable,
            own_uid=root,
            readable=readable,
            filtered=True,
            stdlib=None if python.public or not root else python.stdlib,
        )
    ]

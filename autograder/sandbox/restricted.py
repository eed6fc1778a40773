"""Tier ``restricted``: no namespaces, as in an unprivileged container; Landlock, seccomp, and an own user."""

from __future__ import annotations

import os
import sys

from autograder.sandbox.interpreter import HIDDEN_FOLDERS, interpreter
from autograder.sandbox.plan import Sandbox


def sandboxes() -> list[Sandbox]:
    """The ways to build this tier, best first."""
    if sys.platform != "linux":
        return []
    python = interpreter()
    # The folder of the standard library may be listed; what lies in it may be read, but for installed packages.
    stdlib = tuple(
        entry.path
        for entry in sorted(os.scandir(python.stdlib), key=lambda e: e.name)
        if entry.name not in HIDDEN_FOLDERS
    )
    readable = tuple(path for path in (*stdlib, python.system_libraries, *python.libraries) if path)
    root = os.getuid() == 0
    return [
        Sandbox(
            "restricted",
            python.executable,
            own_uid=root,
            readable=readable,
            listable=(python.stdlib,),
            filtered=True,
            stdlib=None if python.public or not root else python.stdlib,
        )
    ]

"""What each tier promises, in the words in which a process tells that it holds (see ``inside.look``)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograder.sandbox.plan import Sandbox

MEANING = {
    "seccomp": "the filter of system calls is entered",
    "Landlock": "files are shut off by the kernel's Landlock",
    "user": "the process is a user of its own, without groups",
    "limits": "the limits on memory, CPU time, files and threads are set and cannot be raised",
    "environment": "the environment is empty",
    "descriptors": "nothing is open but the standard streams and the channel to the tests",
    "files": "files of the grader cannot be opened",
    "writing": "the interpreter and its library cannot be changed",
    "capabilities": "it has none of the superuser's capabilities",
    "new privileges": "it cannot gain any",
    "memory": "other processes of the same user cannot look into its memory",
    "processes": "it cannot start a process",
    "network": "it cannot open a connection",
    "signals": "it cannot signal another process",
    "tracing": "it cannot take part in debugging",
}
"""Each word, and what was seen when it is used."""

EVERYWHERE = ("environment", "descriptors")
ON_LINUX = ("limits", "capabilities", "new privileges", "memory")
FILTERED = ("files", "writing", "seccomp", "processes", "network", "signals", "tracing")


def promised(sandbox: Sandbox, uid: int | None) -> list[str]:
    """What must be in force before anything of the student's is sent.

    Args:
        sandbox: how the process is shut in.
        uid: the user id that it becomes, if it does.
    """
    words = [*EVERYWHERE]
    if sys.platform == "linux":
        words += ON_LINUX if sandbox.tier != "process" else ("limits",)
    if sandbox.filtered:
        words += FILTERED
    if sandbox.readable is not None:
        words.append("Landlock")
    if uid is not None:
        words.append("user")
    return words

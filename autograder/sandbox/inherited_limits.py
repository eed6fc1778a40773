"""Find limits of this account that are lower than those that a student's process must set for itself."""

from __future__ import annotations

import os
import resource

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox.sandbox_config import make_resource_limits

LIMIT_NAMES = {
    "RLIMIT_AS": ("memory", "ulimit -v", 1024),
    "RLIMIT_CPU": ("processor time", "ulimit -t", 1),
    "RLIMIT_FSIZE": ("the size of a file", "ulimit -f", 1024),
    "RLIMIT_NOFILE": ("open files", "ulimit -n", 1),
    "RLIMIT_STACK": ("the stack", "ulimit -s", 1024),
    "RLIMIT_NPROC": ("processes", "ulimit -u", 1),
}
"""What each limit is on, the command of a shell that sets it, and the number of bytes or other units it counts in."""


def find_low_limit_fault(limits: Limits) -> KitFault | None:
    """Return the fault of the first limit that a student's process would have to raise, which it may not.

    None if all suffice.

    Args:
        limits: the assignment's.
    """
    for name, needed in make_resource_limits(limits, own_user=os.getuid() == 0).items():
        _, hard_limit = resource.getrlimit(getattr(resource, name))
        if name in LIMIT_NAMES and resource.RLIM_INFINITY != hard_limit < needed:
            words, command, unit = LIMIT_NAMES[name]
            return KitFault(
                f"this account's limit on {words} is {hard_limit // unit} (`{command}`), too low for a sandbox",
                advice=f"raise it to {needed // unit} or more, then run the command again",
            )
    return None

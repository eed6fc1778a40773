"""List the guarantees of each tier, by the words with which a process reports them (see ``inside.self_check``).

seccomp:         the filter of system calls is entered
Landlock:        files are shut off by the kernel's Landlock
user:            the process is a user of its own, without groups
limits:          the limits on memory, CPU time, files and threads are set and cannot be raised
environment:     the environment is empty
descriptors:     nothing is open but the standard streams and the channel to the tests
files:           files of the grader cannot be opened
writing:         the interpreter and its library cannot be changed
capabilities:    it has none of the superuser's capabilities
new privileges:  it cannot gain any
memory:          other processes of the same user cannot look into its memory
processes:       it cannot start a process
network:         it cannot open a connection
signals:         it cannot signal another process
tracing:         it cannot take part in debugging
locks:           it cannot lock a file, nor see that another process did
reading:         library files can be read without a trace: no access time changes
numbers:         the numbers of its processes, threads and files depend on itself alone
paths:           it cannot learn whether other files exist, nor which processes run
machine:         the machine's name is a constant, and its load and its processes are hidden
counters:        it can make no pipes and sockets, nor ask its own for the numbers that the machine gave them
pages:           it cannot learn which library files are in memory
futexes:         it cannot wait for another process, or wake it, in a file that both map
"""

from __future__ import annotations

import sys

from autograder.sandbox.sandbox_config import SandboxConfig

GUARANTEED_EVERYWHERE = ("environment", "descriptors")
GUARANTEED_ON_LINUX = ("limits", "capabilities", "new privileges", "memory")
GUARANTEED_BY_SECCOMP = ("files", "writing", "seccomp", "processes", "network", "signals", "tracing")
GUARANTEED_BETWEEN_SUBMISSIONS = ("locks", "machine", "counters", "pages", "futexes")
"""Guarantees against information passing between submissions."""

POSSIBLE_GAPS = {
    "numbers": (
        "a submission's threads and new files get the machine's next numbers, which reveal how many others were "
        "made; the folder above its own reveals when"
    ),
    "reading": "reading a library file changes its access time, which a later submission can see",
    "paths": (
        "a submission can ask whether a file exists, and so learn which processes run, how many threads they have "
        "and which numbers its streams have"
    ),
    "writing": "a submission can change files that its user may write, and another submission can see the change",
    "locks": (
        "a submission can lock files, which others see; so submissions run one by one, each after the last has ended"
    ),
    "machine": "a submission can read the machine's name, its load and its processes",
    "uptime": "a submission's clocks show how long the machine has been running",
    "counters": (
        "a submission's pipes and sockets get the machine's next numbers, which reveal how many others were made"
    ),
    "pages": "a submission can ask which library files are in memory, and so learn what others read",
    "futexes": "a submission can wait for another process, and wake it, through a file that both map",
}
"""For each word, what a submission could tell another one or learn about the machine without this guarantee."""


def describe_possible_leaks(sandbox: SandboxConfig) -> dict[str, str]:
    """Return the entries of ``POSSIBLE_GAPS`` that a sandbox does not prevent, by their words."""
    guarantees = list_required_guarantees(sandbox, None)
    return {guarantee: sentence for guarantee, sentence in POSSIBLE_GAPS.items() if guarantee not in guarantees}


def list_required_guarantees(sandbox: SandboxConfig, uid: int | None) -> list[str]:
    """Return the words of the guarantees that must hold before anything of the student's is sent.

    Args:
        sandbox: the process's sandbox.
        uid: the user id that the process takes on, if any.
    """
    words = [*GUARANTEED_EVERYWHERE]
    if sys.platform == "linux":
        words += GUARANTEED_ON_LINUX if sandbox.tier != "process" else ("limits",)
    if sandbox.uses_seccomp:
        words += GUARANTEED_BY_SECCOMP + GUARANTEED_BETWEEN_SUBMISSIONS
    elif sandbox.denies_locks_alone:
        words.append("locks")
    if sandbox.readable_paths is not None:
        words.append("Landlock")
    if sandbox.bwrap_path or sandbox.library_copy:
        words.append("reading")
    if sandbox.bwrap_path:
        words.append("numbers")
    if sandbox.bwrap_path or sandbox.uses_own_root:
        words.append("paths")
    if uid is not None:
        words.append("user")
    return words

"""A machine like an unprivileged container: no namespaces can be made there, and root has a container's rights.

Made with bubblewrap from this machine: capabilities as Docker leaves them, and a filter that refuses what Docker's
default profile refuses to a process without ``CAP_SYS_ADMIN`` (moby/profiles, ``seccomp/default.json``).
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

CAPABILITIES = (
    "CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "MKNOD", "NET_RAW", "SETGID", "SETUID", "SETFCAP", "SETPCAP",
    "NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE",
)  # fmt: skip
REFUSED = {  # by name: the numbers on x86_64
    "mount": 165, "umount2": 166, "pivot_root": 155, "unshare": 272, "setns": 308, "bpf": 321, "perf_event_open": 298,
    "keyctl": 250, "add_key": 248, "request_key": 249, "open_tree": 428, "move_mount": 429, "fsopen": 430,
    "fsmount": 432, "mount_setattr": 442, "userfaultfd": 323, "kexec_load": 246, "init_module": 175,
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
}  # fmt: skip
CLONE, CLONE3 = 56, 435
NEW_NAMESPACES = 0x7E020080
BECOME = """
import os, sys
user = int(sys.argv[1])
os.setgroups([])
os.setresgid(user, user, user)
os.setresuid(user, user, user)
os.execvp(sys.argv[2], sys.argv[2:])
"""
LOAD, JUMP_EQUAL, JUMP_IF_SET, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, REFUSE, NOT_THERE = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS


def why_not() -> str:
    """Why there can be no container here; empty when there can."""
    if os.uname().machine != "x86_64" or sys.platform != "linux":
        return "its filter is written for Linux on x86_64"
    if not shutil.which("bwrap") or os.getuid() != 0:
        return "root and bubblewrap are needed to make one"
    done = run_inside([sys.executable, "-c", "pass"])
    return "" if done.returncode == 0 else f"bubblewrap cannot make one: {done.stderr.strip()[-200:]}"


def run_inside(
    command: Sequence[Any], user: int = 0, *, network: bool = True, **settings: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command in the container.

    Args:
        command: program and arguments; the file system is this machine's.
        user: whose it is; 0 is a container's root.
        network: whether it has this machine's.
        settings: for ``subprocess.run``.
    """
    capabilities = [word for name in CAPABILITIES for word in ("--cap-add", f"CAP_{name}")]
    as_user = [sys.executable, "-I", "-c", BECOME, str(user)] if user else []
    namespaces = ["--unshare-pid", "--unshare-ipc", "--unshare-uts", *(() if network else ("--unshare-net",))]
    with tempfile.TemporaryFile() as profile:
        profile.write(_profile())
        profile.seek(0)
        return subprocess.run(
            [
                *("bwrap", "--dev-bind", "/", "/", "--proc", "/proc", *namespaces, "--die-with-parent"),
                *("--cap-drop", "ALL", *capabilities, "--seccomp", str(profile.fileno()), "--"),
                *as_user,
                *map(str, command),
            ],
            pass_fds=[profile.fileno()],
            capture_output=True,
            text=True,
            check=False,
            **settings,
        )


def _profile() -> bytes:
    """The filter, as ``bwrap --seccomp`` reads it: ``struct sock_filter`` after ``struct sock_filter``."""
    code: list[bytes] = []

    def add(operation: int, constant: int, if_true: int = 0, if_false: int = 0) -> None:
        code.append(struct.pack("=HBBI", operation, if_true, if_false, constant))

    add(LOAD, 0)
    for number, verdict in ((CLONE3, NOT_THERE), *((number, REFUSE) for number in REFUSED.values())):
        add(JUMP_EQUAL, number, 0, 1)
        add(RETURN, verdict)
    add(JUMP_EQUAL, CLONE, 0, 3)
    add(LOAD, 16)
    add(JUMP_IF_SET, NEW_NAMESPACES, 0, 1)
    add(RETURN, REFUSE)
    add(RETURN, ALLOW)
    return b"".join(code)

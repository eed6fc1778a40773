"""Fork a process for each request, in namespaces of its own; the one that forks never runs a student's code.

A request is one byte and three descriptors: the channel of the process to come, what it prints to, a socket for how
it ends. Two processes are made, as bubblewrap makes them. The first is its namespace's init: it sends a descriptor of
itself, waits for the second, and sends its exit code, negative for a signal. Whoever kills it kills both.
"""

import _socket
import gc
import os
import sys
from collections.abc import Callable
from typing import Any

from autograder.sandbox.inside import process_entry_point
from autograder.sandbox.inside.syscalls import (
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    drop_all_capabilities,
    libc,
    make_system_call,
)

CHANNEL: int = globals().get("CHANNEL", -1)  # set by whoever runs this

SIGCHLD = 17
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x20000, 0x8000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 2, 4, 1 << 14, 1 << 18
DESCRIPTOR_BYTES, SENT, PRINTING = 4, 3, 1
END_OF_DESCRIPTORS = 256
COMMON_LIBRARY = (
    "abc", "bisect", "collections.abc", "contextlib", "contextvars", "copy", "dataclasses", "decimal", "enum",
    "fractions", "functools", "graphlib", "heapq", "inspect", "itertools", "json", "logging", "math", "numbers",
    "operator", "random", "re", "statistics", "string", "textwrap", "threading", "time", "types", "typing",
    "unittest", "warnings", "weakref",
)  # fmt: skip


def start(read_frame: Callable[[], Any], serve: Callable[[], None]) -> None:
    """Fork until the channel is closed; return only in forked processes, after each has served.

    Args:
        read_frame: returns the next frame of the channel; the first has the ``clone`` call's number, and the
            ``scratch_bytes`` of the folder to work in.
        serve: see ``process_entry_point.start``.
    """
    config = read_frame()
    link = _socket.socket(fileno=CHANNEL)
    _load_common_library()
    while True:
        data, ancillary, _, _ = link.recvmsg(1, _socket.CMSG_SPACE(DESCRIPTOR_BYTES * SENT))
        if not data:
            os._exit(0)
        _collect_ended_children()
        descriptors = [
            int.from_bytes(rights[offset : offset + DESCRIPTOR_BYTES], sys.byteorder)
            for _, _, rights in ancillary
            for offset in range(0, len(rights), DESCRIPTOR_BYTES)
        ]
        if _fork_into_namespaces(config["clone"], descriptors) == 0:
            link.detach()
            _become_init_and_fork(config["scratch_bytes"], *descriptors)
            process_entry_point.start(read_frame, serve)
            return
        for descriptor in descriptors:
            os.close(descriptor)


def _load_common_library() -> None:
    """Load what submissions commonly import, once for all processes; the module ``math`` is made anew for each."""
    for name in COMMON_LIBRARY:
        __import__(name)
    del sys.modules["math"]
    gc.freeze()  # collecting garbage would copy all of it into each process


def _fork_into_namespaces(number: int, descriptors: list[int]) -> int:
    """Fork into new namespaces; ``unshare`` would allow only one PID namespace.

    A failure is printed to the output of the process to come; processes forked earlier are not affected.

    Returns:
        What ``clone`` returns: 0 in the new process; -1 when there is none.
    """
    flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | SIGCHLD
    try:
        return make_system_call("no namespaces can be made", number, flags, None, None, None, None)
    except OSError as error:
        os.write(descriptors[PRINTING], f"{error.strerror}: {os.strerror(error.errno or 0)}".encode())
        return -1


def _collect_ended_children() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _become_init_and_fork(scratch_bytes: int, channel: int, printing: int, status: int) -> None:
    """Make the scratch folder and fork the student's process; return only in that process."""
    os.dup2(printing, 1)
    os.dup2(printing, 2)
    status_socket = _socket.socket(fileno=status)
    own_pidfd = os.pidfd_open(os.getpid()).to_bytes(DESCRIPTOR_BYTES, sys.byteorder)
    status_socket.sendmsg([b"\n"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, own_pidfd)])
    libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None)  # bubblewrap's are private, or else this is refused
    if libc.mount(b"tmpfs", b"/tmp", b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=1777,size=%d" % scratch_bytes):
        raise OSError("cannot make a folder to work in")
    os.chdir("/tmp")
    child = os.fork()
    if child:
        os.closerange(0, status)
        os.closerange(status + 1, END_OF_DESCRIPTORS)
        drop_all_capabilities()
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _, exit_status = os.waitpid(child, 0)
        status_socket.send(b"%d" % os.waitstatus_to_exitcode(exit_status))
        os._exit(0)
    status_socket.detach()
    os.setsid()
    os.dup2(os.open("/dev/null", os.O_RDWR), 0)  # the one of whoever forked has flags that others share
    os.dup2(channel, CHANNEL)
    os.closerange(3, CHANNEL)
    os.closerange(CHANNEL + 1, END_OF_DESCRIPTORS)

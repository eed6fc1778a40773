"""Start an interpreter by a command, perhaps through bubblewrap, and watch and end it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from typing import Protocol

from autograder.faults import KitFault
from autograder.sandbox.sandbox_config import CHANNEL, SandboxConfig

INFORMATION_SECONDS = 0.2


class RunningProcess(Protocol):
    """A student's process, however it was started.

    Attributes:
        was_killed_from_outside: whether it ended because its supervising process was killed, neither by the grader
            nor by the submission, for example by the kernel when memory ran out. Valid after
            ``wait_for_exit_status_or_none`` returned a status.
    """

    was_killed_from_outside: bool

    def receive_namespace_init_pidfd(self) -> None:
        """Get a handle of the namespace's init, by which the process can be killed at once."""

    def wait_for_exit_status_or_none(self, timeout_seconds: float) -> int | None:
        """Return how it ended: its exit code, or the negative number of a signal; None if it still runs.

        If it has namespaces of its own, all processes that it started have ended, too.
        """

    def kill(self) -> None:
        """Kill it and all that is in its namespaces; return before it is gone."""


class LaunchedProcess:
    """A process that a command started, perhaps by way of bubblewrap."""

    was_killed_from_outside = False  # it has no supervising process

    def __init__(self, process: subprocess.Popen[bytes], information_pipe: int) -> None:
        """Take over a process.

        Args:
            process: the command's.
            information_pipe: the pipe on which bubblewrap sends the id of its namespace's first process, whose end
                kills all others; -1 without bubblewrap.
        """
        self._process = process
        self._information = information_pipe
        self._in_namespaces = information_pipe >= 0
        self._pidfd = -1

    def receive_namespace_init_pidfd(self) -> None:
        """Wait until bubblewrap tells the id of the namespace's first process, and keep a pidfd of that process.

        Bubblewrap tells it as soon as it has started the process. The pidfd is -1 if nothing is told in time or the
        process is gone. Without bubblewrap's descriptor, do nothing.
        """
        if self._information < 0:
            return
        os.set_blocking(self._information, False)
        deadline = time.monotonic() + INFORMATION_SECONDS
        text = b""
        while not text.endswith(b"}\n") and time.monotonic() < deadline:
            try:
                chunk = os.read(self._information, 4096)
            except BlockingIOError:
                time.sleep(0.001)
                continue
            if not chunk:
                break
            text += chunk
        os.close(self._information)
        self._information = -1
        try:
            self._pidfd = os.pidfd_open(int(json.loads(text)["child-pid"]))
        except (OSError, ValueError, KeyError):
            self._pidfd = -1

    def wait_for_exit_status_or_none(self, timeout_seconds: float) -> int | None:
        """Return how it ended; see ``RunningProcess``.

        bubblewrap reports a signal as 128 plus its number, which a program may also choose as its exit code.
        """
        try:
            code = self._process.wait(timeout_seconds) if timeout_seconds > 0 else self._process.poll()
        except subprocess.TimeoutExpired:
            return None
        return 128 - code if code is not None and self._in_namespaces and code > 128 else code

    def kill(self) -> None:
        """End it; see ``RunningProcess``."""
        if self._process.poll() is None:
            self.receive_namespace_init_pidfd()
            if self._pidfd >= 0:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
            else:
                self._process.kill()
        for descriptor in (self._pidfd, self._information):
            if descriptor >= 0:
                os.close(descriptor)
        self._pidfd = self._information = -1


BOOT_CODE = f"""\
import marshal, os, sys, types
given, fd = int(sys.argv[1]), {CHANNEL}
if given != fd: os.dup2(given, fd, False); os.close(given)
def read(size):
    data = b''
    while len(data) < size:
        chunk = os.read(fd, size - len(data))
        if not chunk: os._exit(0)
        data += chunk
    return data
def frame(): return marshal.loads(read(int.from_bytes(read(4), 'big')))
def run(parts):
    for name, code in parts:
        part = sys.modules[name] = types.ModuleType(name)
        part.CHANNEL = fd
        package, _, child = name.rpartition('.')
        setattr(sys.modules.setdefault(package, types.ModuleType(package)), child, part)
        exec(code, part.__dict__)
    return part
run(frame()).start(frame, run(frame()).serve_requests)
"""
"""The program that the interpreter is started with. Frames to it are marshalled: they come from the trusted side, and
need neither a parser nor a compiler there."""


ENVIRONMENT = {"PYTHONHASHSEED": "0"}
"""The interpreter's environment; string hashes are the same in every run."""


@dataclass(slots=True)
class LaunchedInterpreter:
    """A started interpreter, with the grader's ends of its socket and pipe."""

    process: RunningProcess
    connection: socket.socket
    output_descriptor: int
    """The pipe of its standard output and error."""


@dataclass(slots=True)
class InterpreterChannelEnds:
    """Both ends of the socket that a process talks by, and of the pipe that it prints into."""

    ours: socket.socket
    theirs: socket.socket
    output: int
    """The grader's end of the pipe, from which output is read."""
    printing: int
    """The process's end of the pipe: it prints into it."""

    @classmethod
    def open(cls) -> InterpreterChannelEnds:
        """Open a channel and a pipe for what is printed."""
        own_end, child_end = socket.socketpair()
        if hasattr(socket, "SO_PASSCRED"):
            own_end.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        return cls(own_end, child_end, *os.pipe())

    def close_ours(self) -> None:
        """Close the grader's ends, because no process was started."""
        self.ours.close()
        os.close(self.output)

    def close_theirs(self) -> None:
        """Close the process's ends in this process; the new process has its own copies."""
        self.theirs.close()
        os.close(self.printing)


def launch_interpreter(sandbox: SandboxConfig) -> LaunchedInterpreter:
    """Start the interpreter, without waiting for it.

    The environment holds only a hash seed and the path of copied shared libraries, and bubblewrap reads its options
    from a pipe. So bubblewrap's own process, which students' code could try to inspect, holds no secrets.

    Raises:
        KitFault: it cannot be started.
    """
    ends, library = InterpreterChannelEnds.open(), sandbox.library_copy
    channel = ends.theirs.fileno()
    command = [sandbox.python_path, "-P", "-s", "-S", "-B", "-X", "utf8", "-c", BOOT_CODE, str(channel)]
    information, bwrap_descriptors = -1, list[int]()
    if sandbox.bwrap_path:
        options, information, information_writer = _open_bwrap_descriptors(sandbox.bwrap_arguments)
        bwrap_descriptors = [options, information_writer]
        command[:0] = [sandbox.bwrap_path, "--args", str(options), "--info-fd", str(information_writer)]
    try:
        process = subprocess.Popen(
            command,
            env=ENVIRONMENT | ({"LD_LIBRARY_PATH": library.shared_libraries} if library else {}),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=ends.printing,
            stderr=ends.printing,
            pass_fds=[channel, *bwrap_descriptors],
            start_new_session=True,
        )
    except OSError as error:
        ends.close_ours()
        if information >= 0:
            os.close(information)
        raise KitFault(f"cannot start the student's process: {error}", advice="see `autograder doctor`") from error
    finally:
        ends.close_theirs()
        for descriptor in bwrap_descriptors:
            os.close(descriptor)
    return LaunchedInterpreter(LaunchedProcess(process, information), ends.ours, ends.output)


def _open_bwrap_descriptors(arguments: tuple[str, ...]) -> tuple[int, int, int]:
    """Return pipes for bubblewrap: (its options, our end of its information, its own end of that)."""
    options, fill = os.pipe()
    os.write(fill, b"".join(argument.encode() + b"\0" for argument in arguments))
    os.close(fill)
    information, tell = os.pipe()
    return options, information, tell

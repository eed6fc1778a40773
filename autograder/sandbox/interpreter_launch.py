"""Start the interpreter that will run a student's code, without passing anything of the grader's."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass

from autograder.faults import KitFault
from autograder.sandbox.launched_process import LaunchedProcess, RunningProcess
from autograder.sandbox.sandbox_config import CHANNEL, SandboxConfig

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

"""Start the interpreter that will run a student's code, and give it nothing of the grader's."""

from __future__ import annotations

import ast
import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass

from autograder.faults import KitFault
from autograder.sandbox.control_group import ControlGroup
from autograder.sandbox.library_copy import LibraryCopyPaths

BOOT_CODE = """\
import marshal, os, sys, types, _socket
fd, group = map(int, sys.argv[1:])
if group >= 0: os.write(group, b'0'); os.close(group)
def read(size):
    data = b''
    while len(data) < size:
        chunk = os.read(fd, size - len(data))
        if not chunk: os._exit(0)
        data += chunk
    return data
def frame(): return marshal.loads(read(int.from_bytes(read(4), 'big')))
def write(data):
    data = len(data).to_bytes(4, 'big') + data
    while data: data = data[os.write(fd, data):]
def run(parts):
    for name, code in parts:
        part = sys.modules[name] = types.ModuleType(name)
        part.CHANNEL = fd
        package, _, child = name.rpartition('.')
        setattr(sys.modules.setdefault(package, types.ModuleType(package)), child, part)
        exec(code, part.__dict__)
    return part
locks = run(frame())
folder = os.open('.', os.O_RDONLY)
link = _socket.socket(fileno=os.dup(fd))
link.sendmsg([b'%d' % os.getpid()], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, folder.to_bytes(4, sys.byteorder))])
link.close(); os.close(folder)
write(ascii(locks.lock_down_process(frame())).encode())
del locks, link
run(frame())
"""
"""What the interpreter is started with. Frames to it are marshalled: they come from the trusted side, and
need neither a parser nor a compiler there. It enters its control group, then sends its id and working folder."""


ENVIRONMENT = {"PYTHONHASHSEED": "0"}
"""What the interpreter finds when it starts: hashes of texts are the same at every run."""


@dataclass(slots=True)
class LaunchedInterpreter:
    """What was started, and our ends of everything that leads to it."""

    process: subprocess.Popen[bytes]
    connection: socket.socket
    output_descriptor: int
    """The pipe of its standard output and error."""
    namespace_init: NamespaceInitHandle | None
    """The first process of its namespace, when it has one of its own."""


class NamespaceInitHandle:
    """The first process of a namespace: killing that one ends all others."""

    def __init__(self, info_pipe: int) -> None:
        """Take over the pipe in which bubblewrap tells the id of that process."""
        self._information = info_pipe
        self._pidfd = -1

    def read_process_id(self) -> None:
        """Learn the process's id, which bubblewrap tells as soon as it has started the process."""
        if self._information < 0:
            return
        os.set_blocking(self._information, False)
        deadline = time.monotonic() + 0.2
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
            self._pidfd = os.pidfd_open(int(ast.literal_eval(text.decode())["child-pid"]))
        except (OSError, ValueError, SyntaxError, KeyError):
            self._pidfd = -1

    def kill(self) -> bool:
        """Kill the process; return False when its id is not known."""
        self.read_process_id()
        if self._pidfd < 0:
            return False
        signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        return True

    def close_descriptors(self) -> None:
        """Close the descriptors, and forget the process."""
        for descriptor in (self._pidfd, self._information):
            if descriptor >= 0:
                os.close(descriptor)
        self._pidfd = self._information = -1


def launch_interpreter(
    python_path: str,
    bwrap_path: str,
    bwrap_arguments: tuple[str, ...],
    library_copy: LibraryCopyPaths | None,
    group: ControlGroup | None = None,
) -> LaunchedInterpreter:
    """Start the interpreter, without waiting for it.

    The environment holds nothing but a hash seed, and where a library's copy has its shared libraries. bubblewrap's
    options are in a pipe. So bubblewrap's own process, which the student's could try to look at, holds nothing.
    The interpreter enters its control group itself: the kernel may take milliseconds for that, and nobody waits.

    Raises:
        KitFault: it cannot be started.
    """
    entrance = [group.open_entrance_descriptor()] if group else []
    ours, theirs = socket.socketpair()
    if hasattr(socket, "SO_PASSCRED"):
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    output, printing = os.pipe()
    passed = [theirs.fileno(), *entrance]
    told = map(str, (theirs.fileno(), *(entrance or [-1])))
    command = [python_path, "-P", "-s", "-S", "-B", "-X", "utf8", "-c", BOOT_CODE, *told]
    init = None
    if bwrap_path:
        options, information, tell = _bwrap_descriptors(bwrap_arguments)
        passed += [options, tell]
        command[:0] = [bwrap_path, "--args", str(options), "--info-fd", str(tell)]
        init = NamespaceInitHandle(information)
    try:
        process = subprocess.Popen(
            command,
            env=ENVIRONMENT | ({"LD_LIBRARY_PATH": library_copy.shared_libraries} if library_copy else {}),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=printing,
            stderr=printing,
            pass_fds=passed,
            start_new_session=True,
        )
    except OSError as error:
        os.close(output)
        ours.close()
        if init:
            init.close_descriptors()
        raise KitFault(
            f"the student's process cannot be started: {error}", advice="see `autograder doctor`"
        ) from error
    finally:
        theirs.close()
        for descriptor in (printing, *passed[1:]):
            os.close(descriptor)
    return LaunchedInterpreter(process, ours, output, init)


def _bwrap_descriptors(arguments: tuple[str, ...]) -> tuple[int, int, int]:
    """Return pipes for bubblewrap: (its options, our end of its information, its own end of that)."""
    options, fill = os.pipe()
    os.write(fill, b"".join(argument.encode() + b"\0" for argument in arguments))
    os.close(fill)
    information, tell = os.pipe()
    return options, information, tell

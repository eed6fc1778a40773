"""One student's process: started, locked, watched, killed."""

from __future__ import annotations

import ast
import atexit
import functools
import marshal
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course import Limits
from autograder.faults import KitFault
from autograder.sandbox import inside
from autograder.sandbox.channel import Channel, ChannelClosed

if TYPE_CHECKING:
    from autograder.sandbox.plan import Sandbox

LARGEST_FRAME = 8 * 2**20
START_SECONDS = 20.0
TICKS = os.sysconf("SC_CLK_TCK")

BOOT = """\
import marshal, os, sys, types
fd = int(sys.argv[1])
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
lock = {'__name__': 'inside'}
exec(frame(), lock)
os.write(fd, b'%d' % os.getpid())
write(ascii(lock['lock'](frame())).encode())
parts = frame()
del lock
for name, code in parts:
    part = sys.modules[name] = types.ModuleType(name)
    part.CHANNEL = fd
    package, _, child = name.rpartition('.')
    setattr(sys.modules.setdefault(package, types.ModuleType(package)), child, part)
    exec(code, part.__dict__)
"""
"""What the interpreter is started with. Frames to it are marshalled: they come from the trusted side, and
need neither a parser nor a compiler there."""

_dying: list[subprocess.Popen[bytes]] = []


@functools.cache
def compiled(path: str) -> bytes:
    """A source file as marshalled code, the form in which it is sent into the process."""
    source = Path(path).read_text(encoding="utf-8")
    return marshal.dumps(compile(source, f"<{Path(path).stem}>", "exec", dont_inherit=True, optimize=2))


class Child:
    """A process that will run one student's code.

    Started at once and without waiting, so that it can be started ahead of need; ``ready`` waits.

    Attributes:
        channel: the frames to and from it, once it is ``ready``.
        pid: its id as this process sees it; 0 when unknown.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits, uid: int | None) -> None:
        """Start the interpreter.

        Raises:
            KitFault: it cannot be started.
        """
        _reap()
        self.pid = 0
        self._killed = False
        self._sandbox = sandbox
        self._limits = limits
        self._uid = uid
        self._init_pidfd = -1
        ours, theirs = socket.socketpair()
        if hasattr(socket, "SO_PASSCRED"):
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        output, printing = os.pipe()
        passed = [theirs.fileno()]
        interpreter = [sandbox.python, "-I", "-S", "-B", "-X", "utf8", "-c", BOOT, str(theirs.fileno())]
        self._info = -1
        if sandbox.bwrap:
            arguments, self._info, inherited = _bwrap_descriptors(sandbox.bwrap_arguments)
            passed += inherited
            interpreter[:0] = [sandbox.bwrap, "--args", str(arguments), "--info-fd", str(inherited[1])]
        try:
            # The environment is empty and the options are in a pipe: bubblewrap's own process, which the
            # student's could try to look at, then holds nothing.
            self._process = subprocess.Popen(
                interpreter,
                env={},
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
            if self._info >= 0:
                os.close(self._info)
            raise KitFault(
                f"the student's process cannot be started: {error}", advice="see `autograder doctor`"
            ) from error
        finally:
            theirs.close()
            os.close(printing)
            for descriptor in passed[1:]:
                os.close(descriptor)
        self.channel = Channel(ours, output, LARGEST_FRAME, limits.output_kb * 1024)

    def ready(self, program: bytes) -> dict[str, Any]:
        """Wait until the process is locked, and give it the code that serves.

        Args:
            program: marshalled list of (module name, code), run in this order with ``CHANNEL`` set to its end's
                descriptor; the last one serves.

        Returns:
            What was locked, as ``inside.lock`` tells it.

        Raises:
            KitFault: it did not start, or is not locked as its tier promises. Nothing of the student's was sent.
        """
        try:
            self.channel.send(compiled(inside.__file__))
            pid, self.pid = self.channel.receive_credentials(START_SECONDS)
            if not pid:
                raise ChannelClosed("no answer")
            config = self._sandbox.lock_config(self._limits, self._uid, int(pid))
            self.channel.send(marshal.dumps(config))
            answer = self.channel.wait(START_SECONDS)
            if answer is None:
                raise ChannelClosed("no answer")
        except (ChannelClosed, ValueError) as error:
            said = self.last_words()
            self.kill()
            raise KitFault(
                f"the student's process did not start in tier {self._sandbox.tier}: {said or error}",
                advice="see `autograder doctor`",
            ) from None
        locked: dict[str, Any] = ast.literal_eval(answer.decode())  # nothing of the student's has run yet
        self._require(locked)
        self._take_info()
        self.channel.send(program)
        return locked

    def cpu_seconds(self) -> float | None:
        """CPU time used so far; None where the system does not say (no ``/proc``)."""
        if not self.pid:
            return None
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except (OSError, UnicodeDecodeError):
            return None
        return (int(fields[11]) + int(fields[12])) / TICKS

    def exit_status(self, patience: float = 1.0) -> int | None:
        """How the process ended: its exit code, or the negative number of a signal; None if it still runs.

        bubblewrap reports a signal as 128 plus its number, which a program may also choose as its exit code.
        """
        try:
            code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        return 128 - code if self._sandbox.bwrap and code > 128 else code  # bubblewrap reports 128 + signal

    def last_words(self) -> str:
        """What it printed, for an error of the kit's own."""
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            return ""
        return self.channel.last_words()

    def kill(self) -> None:
        """End the process and everything it started; does not wait for it. Called again, it does nothing."""
        if self._killed:
            return
        self._killed = True
        if self._process.poll() is None:
            self._take_info()
            if self._init_pidfd >= 0:
                signal.pidfd_send_signal(self._init_pidfd, signal.SIGKILL)
            else:
                self._process.kill()
        for descriptor in (self._init_pidfd, self._info):
            if descriptor >= 0:
                os.close(descriptor)
        self._init_pidfd = self._info = -1
        self.channel.close()
        _dying.append(self._process)

    def _require(self, locked: dict[str, Any]) -> None:
        """Refuse a process that is less locked than its tier promises."""
        sandbox = self._sandbox
        missing = [
            name
            for name, wanted, got in (
                ("seccomp", sandbox.filtered, locked["seccomp"]),
                ("Landlock", sandbox.readable is not None, locked["landlock"]),
                ("the limit on memory", sandbox.filtered, "RLIMIT_AS" in locked["limits"]),
                ("its own user", self._uid is not None, locked["uid"] == self._uid),
            )
            if wanted and not got
        ]
        if missing:
            self.kill()
            raise KitFault(
                f"tier {sandbox.tier} is not what it promises: {', '.join(missing)} missing "
                f"({'; '.join(locked['problems']) or 'no reason given'})",
                advice="see `autograder doctor`",
            )

    def _take_info(self) -> None:
        """Learn the id of the namespace's first process: killing that one ends all others."""
        if self._info < 0:
            return
        os.set_blocking(self._info, False)
        deadline = time.monotonic() + 0.2
        text = b""
        while not text.endswith(b"}\n") and time.monotonic() < deadline:
            try:
                chunk = os.read(self._info, 4096)
            except BlockingIOError:
                time.sleep(0.001)
                continue
            if not chunk:
                break
            text += chunk
        os.close(self._info)
        self._info = -1
        try:
            self._init_pidfd = os.pidfd_open(int(ast.literal_eval(text.decode())["child-pid"]))
        except (OSError, ValueError, SyntaxError, KeyError):
            self._init_pidfd = -1


def _bwrap_descriptors(arguments: tuple[str, ...]) -> tuple[int, int, list[int]]:
    """Pipes for bubblewrap: (its options, our end of its information, what it inherits)."""
    options, fill = os.pipe()
    os.write(fill, b"".join(argument.encode() + b"\0" for argument in arguments))
    os.close(fill)
    information, tell = os.pipe()
    return options, information, [options, tell]


def _reap() -> None:
    """Collect what has ended since; waiting for each would cost milliseconds a submission."""
    _dying[:] = [process for process in _dying if process.poll() is None]


def wait_for_killed(patience: float = 5.0) -> None:
    """Wait until all processes that were killed are really gone."""
    deadline = time.monotonic() + patience
    while _dying and time.monotonic() < deadline:
        try:
            _dying[-1].wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return
        _dying.pop()


atexit.register(wait_for_killed)

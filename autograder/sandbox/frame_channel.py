"""Exchange frames with a student's process, and count its output.

A frame is a length in four bytes, most significant first, and that many bytes. Nothing here trusts the other end:
sizes are limited, a full buffer does not block forever, and printed output is counted and discarded.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import struct
import time
from collections.abc import Callable

HEADER = struct.Struct(">I")
CHUNK_BYTES = 1 << 16
BLOCKED_SECONDS = 60.0
"""Seconds on the wall after which an end that reads nothing is given up, where nobody looks at what it does."""
SLICE_SECONDS = 0.1
"""The longest wait of one system call; ``set_receive_timeout`` changes it for receiving."""
SEND_SLICE_SECONDS = 0.02
"""The longest wait of one system call for sending: the clock of a test is looked at as often as for receiving."""
SOCKET_TIMER_SECONDS = 0.01
"""How late the kernel may wake a reader of a socket. ``poll`` is exact, but costs another system call."""


class ChannelClosed(Exception):
    """The other end is gone."""


class ChannelBlocked(ChannelClosed):
    """The other end is open, but does not read."""


class FrameTooLarge(Exception):
    """The other end announced a frame above the limit.

    Attributes:
        size: in bytes.
    """

    def __init__(self, size_in_bytes: int) -> None:
        super().__init__(size_in_bytes)
        self.size = size_in_bytes


class FrameChannel:
    """The trusted end of the socket, together with the read end of the student's standard output.

    Attributes:
        printed_bytes: bytes that were found on standard output and error so far.
    """

    def __init__(
        self, connection: socket.socket, output_descriptor: int, max_frame_bytes: int, max_output_bytes: int
    ) -> None:
        """Take over both descriptors.

        Args:
            connection: the socket.
            output_descriptor: the pipe.
            max_frame_bytes: the largest frame that is accepted, in bytes.
            max_output_bytes: bytes that the pipe should hold, so that it need not be read after each message.
        """
        self.printed_bytes = 0
        self._socket = connection
        self._output = output_descriptor
        self._largest = max_frame_bytes
        self._buffer = b""
        self._poller = select.poll()
        self._poller.register(connection, select.POLLIN)
        os.set_blocking(output_descriptor, False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with contextlib.suppress(OSError):
                fcntl.fcntl(output_descriptor, fcntl.F_SETPIPE_SZ, min(max_output_bytes, 1 << 20))
        # The kernel's own timeouts need one system call per message instead of two.
        self.set_receive_timeout(SLICE_SECONDS)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _pack_timeval(SEND_SLICE_SECONDS))

    def set_receive_timeout(self, seconds: float) -> None:
        """Set how long one ``receive_frame_or_none`` waits at most."""
        self._slice = seconds
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _pack_timeval(seconds))

    def send_frame(self, content: bytes) -> None:
        """Send one frame. Raises as ``send_packed_frames`` does."""
        self.send_packed_frames(pack_frame(content))

    def send_packed_frames(self, packed_frames: bytes, check_while_blocked: Callable[[], None] | None = None) -> None:
        """Send whole frames.

        Args:
            packed_frames: the frames.
            check_while_blocked: called again and again while the other end takes nothing; raises to give up. Without
                it, ``ChannelBlocked`` is raised after ``BLOCKED_SECONDS``.

        Raises:
            ChannelBlocked: the other end takes nothing.
            ChannelClosed: the other end is gone.
        """
        deadline = 0.0
        while packed_frames:
            try:
                packed_frames = packed_frames[self._socket.send(packed_frames) :]
            except BlockingIOError:
                self.drain_output()
                if check_while_blocked is not None:
                    check_while_blocked()
                    continue
                deadline = deadline or time.monotonic() + BLOCKED_SECONDS
                if time.monotonic() > deadline:
                    raise ChannelBlocked("the student's process does not read") from None
            except OSError as error:
                raise ChannelClosed(str(error)) from None

    def receive_frame_or_none(self) -> bytes | None:
        """Return the next frame.

        None if no whole one comes within about as many seconds as ``set_receive_timeout`` says.

        Raises:
            ChannelClosed: the other end is gone.
            FrameTooLarge: it announced more than the limit.
        """
        buffer = self._buffer
        deadline = 0.0
        while True:
            if len(buffer) >= HEADER.size:
                (size,) = HEADER.unpack_from(buffer)
                if size > self._largest:
                    raise FrameTooLarge(size)
                end = HEADER.size + size
                if len(buffer) >= end:
                    self._buffer = buffer[end:]
                    return buffer[HEADER.size : end]
            try:
                if self._slice < SOCKET_TIMER_SECONDS and not self._poller.poll(self._slice * 1000):
                    raise BlockingIOError
                chunk = self._socket.recv(CHUNK_BYTES if len(buffer) < CHUNK_BYTES else CHUNK_BYTES * 16)
            except BlockingIOError:
                self._buffer = buffer
                self.drain_output()
                return None
            except OSError as error:
                raise ChannelClosed(str(error)) from None
            if not chunk:
                raise ChannelClosed("the student's process ended")
            buffer += chunk
            if deadline and time.monotonic() > deadline:  # a frame that trickles in must not outlast the clock
                self._buffer = buffer
                return None
            deadline = deadline or time.monotonic() + self._slice

    def receive_frame_or_none_within(self, timeout_seconds: float) -> bytes | None:
        """Return the next frame; None if no whole one comes within ``timeout_seconds`` seconds.

        See ``receive_frame_or_none``.
        """
        deadline = time.monotonic() + timeout_seconds
        while (frame := self.receive_frame_or_none()) is None and time.monotonic() < deadline:
            pass
        return frame

    def drain_output(self) -> None:
        """Count and discard the output since the last call."""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self._output, CHUNK_BYTES):
                self.printed_bytes += len(chunk)

    def read_output_for_error(self) -> str:
        """Return output that is not counted yet, for an error message of the kit."""
        with contextlib.suppress(OSError):
            return os.read(self._output, 2000).decode(errors="replace").strip()
        return ""

    def receive_greeting(self, timeout_seconds: float) -> tuple[bytes, int, int]:
        """Return the process's first message, which it sends before it receives anything of the student's.

        Returns:
            Its text, the id of the process that sent it as this process sees it (0 when unknown), and a
            descriptor of its working folder (-1 when there is none). When no message comes in time, the text is
            empty, the id 0 and the descriptor -1.

        Raises:
            ChannelClosed: the other end is gone.
        """
        deadline = time.monotonic() + timeout_seconds
        space = socket.CMSG_SPACE(struct.calcsize("3i")) + socket.CMSG_SPACE(struct.calcsize("i"))
        while time.monotonic() < deadline:
            try:
                data, ancillary, _, _ = self._socket.recvmsg(CHUNK_BYTES, space)
            except BlockingIOError:
                continue
            except OSError as error:
                raise ChannelClosed(str(error)) from None
            pid, folder = 0, -1
            for _, kind, content in ancillary:
                if kind == socket.SCM_RIGHTS:
                    (folder,) = struct.unpack("i", content[: struct.calcsize("i")])
                elif kind == getattr(socket, "SCM_CREDENTIALS", None):
                    (pid, _, _) = struct.unpack("3i", content[: struct.calcsize("3i")])
            return data, pid, folder
        return b"", 0, -1

    def close(self) -> None:
        """Close both descriptors."""
        self._socket.close()
        os.close(self._output)


def pack_frame(content: bytes) -> bytes:
    """Return content as it travels: its length, then itself."""
    return HEADER.pack(len(content)) + content


def _pack_timeval(seconds: float) -> bytes:
    """Return seconds as a ``struct timeval``."""
    return struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))

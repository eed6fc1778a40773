"""Frames to and from a student's process, and a count of what it prints.

A frame is a length in four bytes, most significant first, and that many bytes. Nothing here trusts the other
end: sizes are bounded, a full buffer does not block for ever, and what is printed is counted and thrown away.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import time

HEADER = struct.Struct(">I")
CHUNK = 1 << 16
POLLHUP = getattr(select, "POLLHUP", 0x10)


class ChannelClosed(Exception):
    """The other end is gone."""


class FrameTooLarge(Exception):
    """The other end announced a frame above the limit."""


class Channel:
    """The trusted end of the socket, together with the read end of the student's standard output.

    Attributes:
        printed: bytes that arrived on standard output and error so far.
    """

    def __init__(self, connection: socket.socket, output: int, largest: int) -> None:
        """Take over both descriptors; ``largest`` is the largest frame that is accepted, in bytes."""
        self.printed = 0
        self._socket = connection
        self._socket.setblocking(False)
        self._output = output
        os.set_blocking(output, False)
        self._largest = largest
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(connection.fileno(), select.POLLIN)
        self._poll.register(output, select.POLLIN)

    def send(self, frame: bytes, patience: float = 5.0) -> None:
        """Send one frame.

        Raises:
            ChannelClosed: the other end is gone, or took nothing for ``patience`` seconds.
        """
        view = memoryview(HEADER.pack(len(frame)) + frame)
        deadline = time.monotonic() + patience
        while view:
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                self._drain()
                if time.monotonic() > deadline:
                    raise ChannelClosed("the student's process does not read") from None
                select.select([self._output], [self._socket], [], 0.05)
            except OSError as error:
                raise ChannelClosed(str(error)) from None

    def receive(self, patience: float) -> bytes | None:
        """The next frame; None when ``patience`` seconds pass without a whole one.

        Raises:
            ChannelClosed: the other end is gone.
            FrameTooLarge: it announced more than the limit.
        """
        deadline = time.monotonic() + patience
        while (frame := self._whole_frame()) is None:
            ready = self._poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
            if not ready:
                return None
            for descriptor, events in ready:
                if descriptor == self._output:
                    self._drain()
                    if events & POLLHUP and not events & select.POLLIN:
                        self._poll.unregister(self._output)
                else:
                    self._read()
            if time.monotonic() > deadline:
                return self._whole_frame()
        return frame

    def receive_credentials(self, patience: float) -> tuple[bytes, int]:
        """The next bytes and the id of the process that sent them, as this process sees it; 0 when unknown."""
        if not self._poll.poll(patience * 1000):
            return b"", 0
        space = socket.CMSG_SPACE(struct.calcsize("3i"))
        data, ancillary, _, _ = self._socket.recvmsg(CHUNK, space)
        for _, kind, content in ancillary:
            if kind == getattr(socket, "SCM_CREDENTIALS", None):
                return data, int(struct.unpack("3i", content[: struct.calcsize("3i")])[0])
        return data, 0

    def close(self) -> None:
        """Close both descriptors."""
        self._socket.close()
        os.close(self._output)

    def _whole_frame(self) -> bytes | None:
        if len(self._buffer) < HEADER.size:
            return None
        (size,) = HEADER.unpack_from(self._buffer)
        if size > self._largest:
            raise FrameTooLarge(f"{size} bytes")
        end = HEADER.size + size
        if len(self._buffer) < end:
            return None
        frame = bytes(self._buffer[HEADER.size : end])
        del self._buffer[:end]
        return frame

    def _read(self) -> None:
        try:
            chunk = self._socket.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            raise ChannelClosed(str(error)) from None
        if not chunk:
            raise ChannelClosed("the student's process ended")
        self._buffer += chunk

    def _drain(self) -> None:
        try:
            self.printed += len(os.read(self._output, CHUNK))
        except BlockingIOError:
            pass

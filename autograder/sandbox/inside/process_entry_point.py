"""Start a student's process: send its id, lock it, and serve requests."""

import _socket
import os
import sys
from collections.abc import Callable
from typing import Any

from autograder.sandbox.inside.lockdown import lock_down_and_report

CHANNEL: int = globals().get("CHANNEL", -1)  # set by whoever runs this


def start(read_frame: Callable[[], Any], serve: Callable[[], None]) -> None:
    """Send this process's id and its working folder, lock it as the answer says, and serve.

    Args:
        read_frame: returns the next frame of the channel.
        serve: answers requests until the channel is closed.
    """
    _send_identity()
    _write_frame(ascii(lock_down_and_report(read_frame())).encode())
    serve()


def _send_identity() -> None:
    folder = os.open(".", os.O_RDONLY)
    link = _socket.socket(fileno=os.dup(CHANNEL))
    rights = folder.to_bytes(4, sys.byteorder)
    link.sendmsg([b"%d" % os.getpid()], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
    link.close()
    os.close(folder)


def _write_frame(content: bytes) -> None:
    data = len(content).to_bytes(4, "big") + content
    while data:
        data = data[os.write(CHANNEL, data) :]

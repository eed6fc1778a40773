"""What a student's process cannot do. Each attack also runs outside, and works there: so a denial means something."""

from __future__ import annotations

import builtins
import os
import pty
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.bridge import StudentError, StudentStopped
from tests.redteam.denied import ATTACKS
from tests.redteam.inside import Inside, program, works_outside


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Something of the grader's that listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def state_of(folder: Path) -> dict[str, Any]:
    return {
        path.name: (path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_nlink, path.read_bytes())
        for path in folder.iterdir()
    }


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(body, id=name, marks=pytest.mark.redteam if number % 3 else ())
        for number, (name, body) in enumerate(ATTACKS.items())
    ],
)
def test_what_works_outside_is_denied_inside(inside: Inside, open_folder: Path, port: int, body: str) -> None:
    before = state_of(open_folder)
    with pytest.raises(StudentError) as denied:
        inside.run(program(body, open_folder, port))
    error = getattr(builtins, denied.value.raised.builtin)
    assert issubclass(error, OSError), denied.value
    assert state_of(open_folder) == before
    works_outside(program(body, open_folder, port))


# catalogue: 74
def test_typing_into_the_graders_terminal_is_denied(inside: Inside, open_folder: Path) -> None:
    source = program("import fcntl\nfcntl.ioctl(0, 0x5412, b'x')", open_folder)
    with pytest.raises(PermissionError):
        inside.run(source)
    ours, theirs = pty.openpty()
    try:
        works_outside(source, stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)


# catalogue: 72
def test_a_system_call_by_the_number_of_another_architecture_ends_the_process(
    inside: Inside, open_folder: Path
) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("only x86_64 has two sets of numbers")
    # the name of a signal is told to whoever has it in the source
    source = program("libc.syscall(ctypes.c_long(0x40000000 + 39))  # SIGSYS", open_folder)
    with pytest.raises(StudentStopped, match="SIGSYS"):
        inside.run(source)
    works_outside(source)


def test_a_message_to_a_socket_with_a_name_is_denied(inside: Inside, open_folder: Path) -> None:
    body = "import socket\nours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
    with tempfile.TemporaryDirectory(dir="/tmp") as outside:
        os.chmod(outside, 0o777)
        path = f"{outside}/listening"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
            listening.bind(path)
            os.chmod(path, 0o777)
            listening.settimeout(0.1)
            source = program(f"{body}ours.sendto(b'out', {path!r})", open_folder)
            with pytest.raises(PermissionError):
                inside.run(source)
            with pytest.raises(TimeoutError):
                listening.recv(10)
            works_outside(source)
            assert listening.recv(10) == b"out"


@pytest.mark.parametrize("call", ["ours.sendmsg([b'x'])", "ours.sendto(b'x', '/tmp/anywhere')"])
def test_a_message_to_an_address_is_denied_on_any_socket(inside: Inside, open_folder: Path, call: str) -> None:
    source = program(f"import socket\nours, theirs = socket.socketpair()\nours.send(b'x')\n{call}", open_folder)
    with pytest.raises(PermissionError):
        inside.run(source)


def test_room_beyond_the_end_of_a_file_is_denied(inside: Inside, open_folder: Path) -> None:
    body = (
        "import tempfile\nwith tempfile.NamedTemporaryFile() as file:\n"
        "    if libc.fallocate(file.fileno(), 1, ctypes.c_long(0), ctypes.c_long(1 << 24)) < 0:\n"
        "        raise PermissionError(ctypes.get_errno(), 'denied')\n"
    )
    with pytest.raises(PermissionError):
        inside.run(program(body, open_folder))
    works_outside(program(body, open_folder))

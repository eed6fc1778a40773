"""Attacks from inside a student's process, each of which must cost one test alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autograder.bridge import StudentStopped
from autograder.course import Limits
from tests.machine import comes_true
from tests.running import is_running

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn

WALL = Limits(cpu_seconds=20, wall_seconds=0.3)
ROOM = Limits(memory_mb=128, output_kb=64, messages=1000)

STUDENT = """
import ctypes, gc, itertools, json, os, re, signal, stat, sys, threading, time

def fine(): return "fine"

def is_socket(fd):
    try: return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except PermissionError: return True  # the kit tells nothing about it
    except OSError: return False

def channel(): return next(fd for fd in range(3, 1024) if is_socket(fd))

def question():
    "The id of the request that is being answered."
    frame = sys._getframe()
    while "number" not in frame.f_locals: frame = frame.f_back
    return frame.f_locals["number"]

def frame(text):
    data = text if isinstance(text, bytes) else text.encode()
    return len(data).to_bytes(4, "big") + data

def filled(text):
    return text.replace("ID", str(question())).replace("NEXT", str(question() + 1))

def send(data):
    while data: data = data[os.write(channel(), data):]

def attack(*arguments):
"""


def attacked(hand_in: HandIn, body: str, limits: Limits) -> StudentStopped:
    """Run this as the body of a student's function, in a test of its own.

    Whatever it does: it is stopped, the rest of its test is told so too, the next test gets a process that works, and
    nothing is left of the first.
    """
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    submission = hand_in(STUDENT + lines, limits=limits)
    pid = submission.pid
    with submission.test() as student:
        fine, attack = student.get("fine"), student.get("attack")
        with pytest.raises(StudentStopped) as caught:
            attack(lambda *_: None)
        with pytest.raises(StudentStopped) as again:
            fine()
    assert again.value is caught.value
    with submission.test() as student:
        assert student.get("fine")() == "fine"
        assert submission.pid != pid
    assert has_ended(pid)
    return caught.value


def has_ended(pid: int) -> bool:
    """Whether a process is no more, at the latest after some time."""
    return comes_true(lambda: not pid or not is_running(pid))

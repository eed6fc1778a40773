"""A signal ends a command even where Python prints the exception and goes on."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from autograder.faults import defer_signals, interruptible, raise_if_interrupted

CODE = """
import os, signal
from autograder.faults import raise_if_interrupted, interruptible

class Closing:
    def __del__(self):
        os.kill(os.getpid(), signal.{name})
        sum(range(1000))

with interruptible():
    raise_if_interrupted()
    thing = Closing()
    del thing
    print("went on", flush=True)
    try:
        raise_if_interrupted()
    except KeyboardInterrupt:
        print("ended", flush=True)
"""


def test_a_signal_that_a_destructor_swallowed_ends_the_command_a_little_later() -> None:
    for name in (signal.SIGINT.name, signal.SIGTERM.name, signal.SIGHUP.name):
        done = subprocess.run(
            [sys.executable, "-c", CODE.format(name=name)], capture_output=True, text=True, timeout=300, check=True
        )
        assert done.stdout.split("\n")[:2] == ["went on", "ended"]
        assert "KeyboardInterrupt" in done.stderr


def test_a_closed_terminal_ends_a_command_but_not_one_under_nohup() -> None:
    code = "import signal; from autograder.faults import interruptible\nwith interruptible():\n"
    code += "    signal.raise_signal(signal.SIGHUP)\n    print('went on')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert "KeyboardInterrupt" in ended.stderr
    kept = ["nohup", sys.executable, "-c", code]
    assert "went on" in subprocess.run(kept, capture_output=True, text=True, timeout=300, check=True).stdout


def test_a_second_signal_does_not_interrupt_the_cleanup() -> None:
    code = """
import signal
from autograder.faults import interruptible

with interruptible():
    try:
        signal.raise_signal(signal.SIGTERM)
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.raise_signal(number)
        print("cleaned up")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert (ended.stdout, ended.stderr) == ("cleaned up\n", "")


def test_a_signal_of_an_ended_block_interrupts_nothing_afterwards() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible():
        signal.raise_signal(signal.SIGINT)
    try:
        raise_if_interrupted()
    except KeyboardInterrupt:
        pytest.fail("the signal came again")


def signal_within_two_blocks(done: list[str]) -> None:
    with interruptible(), defer_signals():
        with defer_signals():
            signal.raise_signal(signal.SIGINT)
            done.append("inner")
        done.append("outer")


def signal_in_a_block(done: list[str]) -> None:
    with interruptible():
        with defer_signals():
            signal.raise_signal(signal.SIGTERM)
            done.append("later")
        done.append("too late")


def test_a_signal_in_a_block_within_another_waits_for_the_outer_one() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        signal_within_two_blocks(done)
    with pytest.raises(KeyboardInterrupt):
        signal_in_a_block(done)
    assert done == ["inner", "outer", "later"]

"""The memory of all of a submission's processes is counted together, however they hold it.

Skipped where the kernel grants the grader no controllers of version 2.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.bridge import StudentStopped
from autograder.sandbox import SandboxConfig
from autograder.sandbox.control_group_delegation import acquire_group_delegation
from autograder.sandbox.sandbox_config import THREADS
from tests.sandbox.conftest import Run, offered
from tests.sandbox.control_groups import SMALL

MANY = """
import mmap, os, time
def keep_deleted_files(kept):
    for number in range(50):
        name = f'{os.getpid()}'
        kept.append(open(name, 'wb', buffering=0))
        os.unlink(name)
        kept[-1].write(bytes(250_000))
def keep_mapped_memory(kept):
    kept.append(mmap.mmap(-1, 30 << 20))
    for place in range(0, 30 << 20, 4096): kept[-1][place] = 1
def keep_a_list(kept):
    kept.append(bytearray(b'x' * (20 << 20)))
def attack():
    for _ in range(30):
        if os.fork() == 0:
            kept = []
            KEEP(kept)
            time.sleep(100)
    while True: time.sleep(0.01), sum(range(10000))
"""


@pytest.mark.parametrize("way", ["keep_deleted_files", "keep_mapped_memory", "keep_a_list"])
def test_memory_is_that_of_all_processes_together_however_it_is_held(
    granted_folder: Path, run_in: Run, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In tier ``process`` alone may a submission start processes and make pipes."""
    monkeypatch.setattr("tempfile.tempdir", "/dev/shm")
    with pytest.raises(StudentStopped) as stopped:
        run_in(offered("process"), MANY.replace("KEEP", way), SMALL)
    assert (stopped.value.cause, stopped.value.message) == ("memory", "it needs more than 128 MB of memory")


def test_a_program_that_fills_its_memory_is_told_the_same_with_and_without_groups(
    granted_folder: Path, any_tier: SandboxConfig, run_in: Run
) -> None:
    source = "def attack():\n    kept = []\n    while True: kept.append(bytearray(b'x' * (1 << 20)))\n"
    told = []
    for sandbox in (any_tier, replace(any_tier, uses_control_group=False)):
        with pytest.raises(StudentStopped) as stopped:
            run_in(sandbox, source, SMALL)
        told.append((stopped.value.cause, stopped.value.message, stopped.value.key))
    assert told[0] == told[1]
    assert told[0][:2] == ("memory", "it needs more than 128 MB of memory")


PIPES = """
import fcntl, os, time
def fill_pipes():
    kept = [os.pipe() for _ in range(25)]
    for _, end in kept:
        fcntl.fcntl(end, 1031, 1 << 20)  # F_SETPIPE_SZ
        if FILLED: os.write(end, bytes(1 << 20))
    return kept
def attack():
    memory = bytearray(80 << 20)
    for place in range(0, len(memory), 4096): memory[place] = 1
    kept = fill_pipes()
    if os.fork() == 0: time.sleep(100)
    for pair in kept:
        for end in pair: os.close(end)
    return len(fill_pipes())
"""


@pytest.mark.parametrize("filled", [False, True], ids=["empty pipes are not", "full pipes are"])
def test_what_lies_in_pipes_is_counted(
    granted_folder: Path, run_in: Run, monkeypatch: pytest.MonkeyPatch, *, filled: bool
) -> None:
    monkeypatch.setattr("autograder.sandbox.sandbox_config.EXTRA_MEMORY_MB", 0)
    sandbox, source = offered("process"), PIPES.replace("FILLED", str(filled))
    if not filled:
        assert run_in(sandbox, source, SMALL) == 25
        return
    with pytest.raises(StudentStopped, match="it needs more than 128 MB of memory"):
        run_in(sandbox, source, SMALL)


BOMB = """
import os, time
def attack():
    made = 0
    while True:
        try:
            if os.fork() == 0: time.sleep(100)
            made += 1
        except OSError: return made
"""


def test_a_fork_bomb_is_bounded_and_ends_with_its_process(granted_folder: Path, run_in: Run) -> None:
    if "pids" not in acquire_group_delegation().controllers:
        pytest.skip("no pids controller")
    assert 0 < run_in(offered("process"), BOMB, SMALL) < THREADS

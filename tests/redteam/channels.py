"""Two programs, of which one has something to say to the other: as submissions, and as plain processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograder.bridge import Bridge, StudentError, StudentProxy, StudentStopped, SubmissionProgram
from autograder.bridge.prestarted_processes import PrestartedProcesses
from autograder.course import Limits
from autograder.sandbox import Sandbox
from autograder.sandbox.killed_processes import wait_for_killed_processes

SIDE_BY_SIDE, AFTERWARDS = "side by side", "one after the other"
MODES = (SIDE_BY_SIDE, AFTERWARDS)
MESSAGE = (1, 0, 0, 1, 0)
"""No pattern that all bits, no bits or a bit alone would make."""
TRIES = 5
"""A channel may be noisy; a message that ever arrives has arrived."""
OF_THE_LIBRARY = """
import os, sys
_root = next(path for path in sys.path if os.path.isdir(path + '/json'))
FILES = sorted(f'{_root}/json/{name}' for name in os.listdir(_root + '/json') if name.endswith('.py'))
FILES += sorted(f'{_root}/{name}' for name in os.listdir(_root) if name.endswith('.py'))
"""
COMMANDS = """
import json
for _line in sys.stdin:
    _name, _argument = json.loads(_line)
    try: _answer = (globals().get(_name) or len)(_argument)
    except OSError as _error: _answer = str(_error)
    print(json.dumps(_answer), flush=True)
"""


class Submission:
    """A program in a sandbox."""

    def __init__(self, sandbox: Sandbox, program: str) -> None:
        self._supply = PrestartedProcesses(sandbox, Limits())
        self._bridge = Bridge(
            SubmissionProgram((("value.py", OF_THE_LIBRARY + program),), ()), self._supply, Limits()
        )
        self._bridge.load_skipping_statements_that_stop()
        self._bridge.begin_test()

    def call(self, name: str, argument: Any) -> Any:
        """What a function of it gives; None where it raises or ends."""
        try:
            return StudentProxy(self._bridge).get(name)(argument)
        except (StudentError, StudentStopped):
            return None

    def end(self) -> None:
        """End it, and what was started ahead."""
        self._bridge.end_process()
        self._supply.close_and_wait_until_gone()


class PlainProcess:
    """A program in a process of its own, which nothing keeps from anything."""

    def __init__(self, files: Sequence[Path], program: str) -> None:
        source = f"import os, sys\nFILES = {[str(file) for file in files]!r}\n{program}\n{COMMANDS}"
        self._process = subprocess.Popen(
            [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def call(self, name: str, argument: Any) -> Any:
        """What a function of it gives, or the sentence of the error that the system gave it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps([name, argument])}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def in_sandbox(sandbox: Sandbox, program: str, mode: str) -> Any:
    """What arrives of a message between two submissions."""
    sender = Submission(sandbox, program)
    receiver = Submission(sandbox, program) if mode == SIDE_BY_SIDE else None
    try:
        sender.call("send", list(MESSAGE))
        if receiver is None:
            sender.end()
            receiver = Submission(sandbox, program)
        return receiver.call("receive", len(MESSAGE))
    finally:
        for one in (sender, receiver):
            if one is not None:
                one.end()
        wait_for_killed_processes()


def in_the_open(folder: Path, program: str, mode: str) -> Any:
    """What arrives of a message between two plain processes that have a few files in common."""
    files = _common_files(folder)
    sender, receiver = PlainProcess(files, program), PlainProcess(files, program)
    try:
        for one in (sender, receiver):
            one.call("len", [])  # both are there
        sender.call("send", list(MESSAGE))
        if mode == AFTERWARDS:
            sender.end()
        return receiver.call("receive", len(MESSAGE))
    finally:
        for one in (sender, receiver):
            one.end()


def _common_files(folder: Path) -> list[Path]:
    """Files that nobody read for days."""
    files = [folder / f"{number}.py" for number in range(2 * len(MESSAGE))]
    long_ago = time.time() - 5 * 86400
    for file in files:
        file.write_bytes(os.urandom(8192))
        with file.open("rb") as written:
            os.fsync(written.fileno())
        os.utime(file, (long_ago, long_ago))
    return files

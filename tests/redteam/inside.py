"""Programs that are run inside, as a student's, and outside, where they must work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.bridge import Bridge, StudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Limits
from autograder.sandbox import SandboxConfig
from tests.redteam.denied import PRELUDE, SYSCALLS

ROOT = Path(__file__).resolve().parents[2]
STDLIB = Path(os.__file__).resolve().parent


class Inside:
    """Runs programs as students' code in one tier."""

    def __init__(self, sandbox: SandboxConfig) -> None:
        self.tier = sandbox.tier
        self.sandbox = sandbox
        self._supply = ProcessPool(sandbox, Limits())

    def run(self, source: str, *arguments: Any) -> Any:
        """What ``attack()`` of this source gives."""
        bridge = Bridge(SubmissionProgram((("value.py", source),), ()), self._supply, Limits())
        try:
            assert bridge.load_without_fatal_code().problems == ()
            bridge.begin_test()
            return StudentProxy(bridge).get("attack")(*arguments)
        finally:
            bridge.end_process()

    def close(self) -> None:
        self._supply.end_unused_process()


SECRET = b"a secret of the grader"


def program(body: str, folder: Path, port: int = 0) -> str:
    """A program whose ``attack()`` does this."""
    prelude = PRELUDE.format(
        parent=os.getpid(),
        folder=str(folder),
        port=port,
        numbers=SYSCALLS,
        python=os.path.realpath(sys.executable),
        address=id(SECRET),
    )
    return prelude + "def attack():\n" + "".join(f"    {line}\n" for line in body.splitlines())


def works_outside(source: str, **settings: Any) -> None:
    """Run ``attack()`` as an ordinary program; where even that is denied, nothing can be learnt from a denial."""
    command = [sys.executable, "-I", "-c", f"{source}\nattack()\nprint('SUCCEEDED')"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300, **settings)
    if "SUCCEEDED" not in done.stdout:
        pytest.skip(f"it does not work outside either: {done.stderr.strip().splitlines()[-1:]}")

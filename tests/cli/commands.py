"""The command line as a process of its own, and what came of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

DONE, NOT_PROVEN, CALLERS_MISTAKE = 0, 1, 2
AUTOGRADER = Path(sys.executable).with_name("autograder")

Run = subprocess.CompletedProcess[str]
Copy = Callable[[], Path]


def run(*arguments: str | Path, cwd: Path | None = None, command: tuple[str | Path, ...] = (AUTOGRADER,)) -> Run:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "FORCE_COLOR"))}
    return subprocess.run(
        [*command, *arguments], cwd=cwd, env=clean, capture_output=True, text=True, timeout=120, check=False
    )


def told(done: Run) -> str:
    """The one line that a caller's mistake is told in."""
    assert done.returncode == CALLERS_MISTAKE, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("isolation: ")]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    return lines[0]


def succeeded(done: Run) -> str:
    """What a command printed that did its work."""
    assert done.returncode == DONE, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def unwrapped(text: str) -> str:
    """Text without its white space: long lines are wrapped, and a path may be in two of them."""
    return "".join(text.split())

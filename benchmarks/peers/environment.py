"""The environment of the peers that the kit does not need itself; 500 MB, made once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.classes import ROOT

PACKAGES = ("otter-grader[grading]>=7", "gradescope-utils>=0.5")
NEEDED = "import gradescope_utils, msgspec, otter, pytest, yaml"


def peers_python(asked: Path | None) -> tuple[Path | None, str]:
    """Return the interpreter of an environment with otter-grader and gradescope-utils.

    Args:
        asked: one that has them; None for one in ``build/peers``, made if need be.

    Returns:
        It, or None and why there is none.
    """
    python = Path(os.path.abspath(asked)) if asked else ROOT / "build" / "peers" / "bin" / "python"
    wrong = _lacks(python)
    if wrong and not asked:
        wrong = _install(python) or _lacks(python)
    return (None, wrong) if wrong else (python, "")


def _lacks(python: Path) -> str:
    """Why an interpreter is of no use; nothing when it is."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run([python, "-c", NEEDED], env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{python}: {error.strerror}"
    return f"{python}: {done.stderr.strip().splitlines()[-1]}" if done.returncode else ""


def _install(python: Path) -> str:
    """Make the environment; what went wrong, or nothing."""
    print(f"installing {', '.join(PACKAGES)} into {python.parent.parent}, once", file=sys.stderr)
    for words in (
        [sys.executable, "-m", "venv", str(python.parent.parent)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", str(ROOT), *PACKAGES],
    ):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"cannot be installed: {(done.stderr.strip() or 'no reason given').splitlines()[-1]}"
    return ""

"""The public suite in a folder like a student's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``python -m pytest`` in a folder, with no plugin of anybody's."""
    command = [sys.executable, "-m", "pytest", "--disable-plugin-autoload", *arguments]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, timeout=60, check=False)

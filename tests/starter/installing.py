"""Build a wheel of the repository, and install it where nothing of the repository is."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from autograder.starter.writer import GUIDE_PAGES

ROOT = Path(__file__).parents[2]
SOURCES = (
    "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE",
    "autograder", "grading.yml", "assignments", "solutions", "student_template",
    *GUIDE_PAGES,
)  # fmt: skip
"""What a build reads."""
BUILT_IN = "from setuptools import build_meta; print(build_meta.build_{kind}({place!r}))"


def build(kind: str, source: Path, place: Path) -> Path:
    """Build a ``wheel`` or ``sdist`` as pip does, with the setuptools that is installed here."""
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("setuptools is not installed, and builds the kit")
    place.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", BUILT_IN.format(kind=kind, place=str(place))],
        cwd=source, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return place / done.stdout.splitlines()[-1]


def copy_sources(place: Path) -> Path:
    """Copy what a build reads: a build leaves files beside it."""
    place.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
        else:
            (place / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, place / name)
    return place


def install(wheel: Path, place: Path) -> Path:
    """Install a wheel into a new environment, offline; what it requires comes from the environment of these tests.

    Returns:
        The environment's interpreter.
    """
    if importlib.util.find_spec("pip") is None:
        pytest.skip("pip is not installed, and installs wheels")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(python)]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", str(wheel)], check=True, stderr=subprocess.DEVNULL)
    site = next((place / "lib").glob("python*/site-packages"))
    (site / "required.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    return python


def run_installed(python: Path, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the environment, such as ``autograder``, in a folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "FORCE_COLOR"))}
    kept["PATH"] = f"{python.parent}:{kept['PATH']}"
    return subprocess.run(
        [str(one) for one in arguments], cwd=cwd, env=kept, capture_output=True, text=True, timeout=240, check=False
    )

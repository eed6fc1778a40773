"""Identify this kit by its version and a digest of its code, which nobody has to remember to raise."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from autograder import __version__

PACKAGE_FOLDER = Path(__file__).parent
DIGITS = 12
COURSE_PREFIX = "starter/course/"
"""Data of a wheel, see ``starter.kit_course``: of the Python files there, none is part of the kit."""


@cache
def get_kit_version_with_code_digest() -> str:
    """Return this kit's version and a digest of its code: ``0.2.0+5f0c9a1b2d3e``, a local version as in PEP 440.

    It is the same on every machine that has the same code, and another one after any change of it. Every Python file
    counts: which of them can touch a verdict is not for anybody to judge each time. What else lies in the package
    (the web page's template, scripts of a platform's image) decides how a result is shown, and never what it is. The
    course in a wheel is data as well: an editable installation has it elsewhere, and is the same kit.
    """
    return f"{__version__}+{digest_package_code(PACKAGE_FOLDER)}"


def advise_to_install_extra(extra: str) -> str:
    """Return the command that installs what an optional part needs, from the file or checkout of this very kit.

    The name of the kit alone means nothing to ``pip``: no registry has it.
    """
    source, option = f"./autograd_exercise_kit-{__version__}-py3-none-any.whl", ""
    try:
        record = json.loads(distribution("autograd-exercise-kit").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        record = {}
    path = unquote(urlsplit(record.get("url", "")).path)  # PEP 610
    if path and os.path.exists(path):
        source, option = path, "--editable " if record.get("dir_info", {}).get("editable") else ""
    return f"run pip install {option}'{source}[{extra}]'"


def digest_package_code(package_folder: Path) -> str:
    """Return a digest of a package's Python files, each by its path in the package and its bytes.

    Args:
        package_folder: its folder.

    Returns:
        Twelve hexadecimal digits.
    """
    folder, digest = os.fspath(package_folder), hashlib.sha256()
    for name in sorted(_python_files(folder)):
        with open(f"{folder}/{name}", "rb", buffering=0) as file:  # quicker than pathlib
            content = file.read()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:DIGITS]


def _python_files(folder: str, above: str = "") -> Iterator[str]:
    """Yield the paths of all Python files below a folder, with ``/`` on every system."""
    for entry in os.scandir(folder):
        if entry.is_dir():
            inside = f"{above}{entry.name}/"
            if entry.name != "__pycache__" and inside != COURSE_PREFIX:
                yield from _python_files(entry.path, inside)
        elif entry.name.endswith(".py"):
            yield above + entry.name

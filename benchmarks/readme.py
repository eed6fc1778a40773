"""The generated parts of benchmarks/README.md, each between two markers; what stands around them stays."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

QUIET = 1.0
"""Load above which something else is going on."""


def put_between(readme: Path, name: str, text: str) -> None:
    """Replace a generated part.

    Args:
        readme: the file.
        name: of the part; the markers are ``<!-- begin NAME -->`` and ``<!-- end NAME -->``.
        text: what comes between them.

    Raises:
        SystemExit: see ``require_parts``.
    """
    require_parts(readme, [name])
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    head, _, rest = readme.read_text(encoding="utf-8").partition(begin)
    tail = rest.partition(end)[2]
    readme.write_text(f"{head}{begin}\n{text}\n{end}{tail}", encoding="utf-8")


def require_parts(readme: Path, names: Sequence[str]) -> None:
    """Refuse a file that generated parts cannot be put into, before anything is measured.

    Raises:
        SystemExit: the file cannot be read, or lacks one of the parts.
    """
    try:
        text = readme.read_text(encoding="utf-8")
    except OSError as error:
        advice = "name a file with the lines <!-- begin bench --> and <!-- end bench -->"
        raise SystemExit(f"{readme}: {error.strerror}; {advice}") from None
    for name in names:
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        if not 0 <= text.find(begin) < text.find(end):
            raise SystemExit(
                f"{readme}: has no {begin} ... {end}; put these two lines where the numbers are to stand"
            )


def machine() -> str:
    """When and on what something was measured, in a sentence; call it before the measuring starts."""
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    load = f", load {busy:.1f} before the start" if busy else ""
    if busy > QUIET:
        load += ": a machine that is busy with other things, whose times say little; CPU time says more"
    day = datetime.now(tz=UTC).date()
    return f"{day}, {os.cpu_count()} processors ({_processor()}), Python {platform.python_version()}{load}."


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()

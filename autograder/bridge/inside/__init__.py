"""What runs inside the student's process: standard library only, and as little of it as can be.

Its parts are compiled here and sent over; nothing of the kit lies where the student's process could read it, and
nothing that comes back is trusted.
"""

from __future__ import annotations

import functools
import marshal
from pathlib import Path

PARTS = ("talk", "values", "inert", "loading", "looks", "pulls", "settable", "requests", "serve")
"""The modules, each importing only those before it."""


@functools.cache
def program() -> bytes:
    """All parts as marshalled code, the form in which they are sent: a list of (module name, code)."""
    parts = []
    for part in PARTS:
        path = Path(__file__).with_name(f"{part}.py")
        source = path.read_text(encoding="utf-8")
        parts.append((f"{__name__}.{part}", compile(source, f"<{part}>", "exec", dont_inherit=True, optimize=2)))
    return marshal.dumps(parts)

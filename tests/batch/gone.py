"""Tell whether a process has ended, be it collected or not."""

from __future__ import annotations

from pathlib import Path


def is_gone(process: int) -> bool:
    """Whether a process has ended; whoever adopted it may not have collected it."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"

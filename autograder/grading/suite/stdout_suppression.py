"""Drop what a hidden suite prints: students may see everything that a command prints on their platform."""

from __future__ import annotations

import io
from contextlib import redirect_stdout


class _Nowhere(io.TextIOBase):
    """Takes any text, and keeps none of it."""

    def write(self, text: str, /) -> int:
        """Take a text."""
        return len(text)


def suppress_stdout() -> redirect_stdout[_Nowhere]:
    """Return a context in which ``print`` does nothing."""
    return redirect_stdout(_Nowhere())

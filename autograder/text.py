"""Text of a student's, made harmless before anything displays it."""

from __future__ import annotations

import unicodedata

MARK = "…"


def clean(text: str, length: int = 300) -> str:
    """One line of printable text: control, direction and unpaired characters become visible escapes.

    Args:
        text: anything.
        length: characters to keep; a longer text is cut and marked.
    """
    shown = []
    for character in text[: length + 1]:
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
            shown.append(character.encode("unicode_escape").decode("ascii"))
        else:
            shown.append(character)
    joined = "".join(shown)
    return joined if len(joined) <= length else joined[: length - 1] + MARK


def listed(words: list[str] | tuple[str, ...]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)

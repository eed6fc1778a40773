"""Text of a student's, made harmless before anything displays it."""

from __future__ import annotations

import hashlib
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


def clean_name(name: str, length: int = 200) -> str:
    """A name as ``clean`` shows it; two that differ stay different even where they are cut."""
    shown = clean(name, 10 * len(name) + 1)
    if len(shown) <= length:
        return shown
    return f"{shown[: length - 9]}~{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def listed(words: list[str] | tuple[str, ...]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)

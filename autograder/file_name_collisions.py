"""Tell which names some file system takes for one and the same."""

from __future__ import annotations

import unicodedata


def make_file_name_collision_key(name: str) -> str:
    """Return one text for names that some file system takes for one: capitals, codes of accents, dots at the end.

    >>> make_file_name_collision_key("Ada/VALUE.py.") == make_file_name_collision_key("ada/value.py")
    True
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
    return "/".join(part.rstrip(" .") for part in folded.split("/"))

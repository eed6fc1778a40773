"""Names and paths as a database takes them: a file may have a name that is no text."""

from __future__ import annotations

import json


def to_text(name: str) -> str:
    """A name as text without anything that a database refuses; names that differ stay different."""
    return json.dumps(name, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()[1:-1]


def from_text(text: str) -> str:
    """The name that became ``text``."""
    name: str = json.loads(f'"{text}"')
    return name

"""Tables that a benchmark made, put where the documentation shows them."""

from __future__ import annotations

import re
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "scaling.md"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown; the first column is text, all others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def put(name: str, text: str, document: Path = DOCUMENT) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- end -->``.

    Raises:
        ValueError: there is no such place.
    """
    before = document.read_text(encoding="utf-8")
    after, places = re.subn(
        rf"(?s)(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}{text}\n{found[2]}", before
    )
    if places != 1:
        raise ValueError(f"{document}: has {places} places for {name}")
    document.write_text(after, encoding="utf-8")

"""Each room of the kit knows only what is to its left, as docs/design.md draws it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = (ROOT / "docs" / "design.md").read_text(encoding="utf-8").split("```")[1].split("\n")[1].split()


def imported(path: Path) -> Iterator[str]:
    """The modules that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{one.name}" for one in node.names)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_nothing_to_its_right(room: str) -> None:
    right = tuple(f"autograder.{other}." for other in ROOMS[ROOMS.index(room) + 1 :])
    modules = [*(ROOT / "autograder" / room).rglob("*.py")]
    assert modules
    assert not {
        (path.relative_to(ROOT).as_posix(), name)
        for path in modules
        for name in imported(path)
        if f"{name}.".startswith(right)
    }

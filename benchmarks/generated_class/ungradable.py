"""Files that cannot be graded, each made from a right program."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping


def _half(source: str) -> bytes:
    lines = source.splitlines()
    return "\n".join([*lines[: len(lines) // 2], "    def __mul__(self, other:"]).encode()


def _binary(source: str) -> bytes:
    return b"\x7fELF\x02\x01\x01" + random.Random(source).randbytes(20_000)


def _unresolved_merge(source: str) -> bytes:
    return f"<<<<<<< HEAD\n{source}\n=======\n{source}\n>>>>>>> fix\n".encode()


UNGRADABLE: Mapping[str, Callable[[str], bytes]] = {
    "syntax error": _half,
    "no Value": lambda source: source.replace("Value", "Node").encode(),
    "empty": lambda source: b"",
    "binary": _binary,
    "unresolved merge": _unresolved_merge,
    "raises before there is a Value": lambda source: b"engine = open('engine.pkl')\nValue = engine.read()\n",
    "imports what was not handed in": lambda source: b"from my_engine import Value\n\nprint(Value(2.0) + 3.0)\n",
    "wrong encoding": lambda source: f"# für Übung 3\n{source}".encode("latin-1"),
    "a page in place of the file": lambda source: b"<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
    "comments alone": lambda source: "\n".join(f"# {line}" for line in source.splitlines()).encode(),
}
"""By what is wrong: what makes such a file of a program."""

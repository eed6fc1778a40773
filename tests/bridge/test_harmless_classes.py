"""A class that stand-ins are shown by, although it is nobody's own, is Python's or the kit's."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

from autograder.bridge.objects import HARMLESS

INSIDE = Path(__file__).parents[2] / "autograder" / "bridge" / "inside"


def test_every_class_that_is_nobodys_own_is_python_s_or_the_kit_s() -> None:
    kits = {
        node.name
        for path in INSIDE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    function = test_every_class_that_is_nobodys_own_is_python_s_or_the_kit_s
    iterators = {type(digit for digit in "1"), type(reversed([]))}
    python_s = {type(function), type(len), type(INSIDE.glob), type(None), *iterators}

    assert kits | {one.__name__ for one in python_s} | set(dir(builtins)) >= HARMLESS

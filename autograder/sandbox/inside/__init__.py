"""Compile the modules that run in a student's process before the student's code, to drop and check its privileges.

They import little besides each other, and only from the standard library: every submission pays for that time.
"""

from __future__ import annotations

import ast
import functools
import marshal
from collections.abc import Sequence
from pathlib import Path

PARTS = ("syscalls", "allowed_package_finder", "self_check", "lockdown", "process_entry_point")
"""The modules, each importing only those before it."""


@functools.cache
def compile_modules(*, forks: bool = False) -> bytes:
    """Return the modules as they are sent; see ``marshal_modules``.

    Args:
        forks: whether the interpreter becomes a fork server, and not a student's process.
    """
    return marshal_modules(__name__, Path(__file__).parent, (*PARTS, "fork_loop") if forks else PARTS)


def marshal_modules(package_name: str, folder: Path, module_names: Sequence[str]) -> bytes:
    """Return modules of a package as one frame: a marshalled list of (module name, code), run in this order.

    Args:
        package_name: the package's name.
        folder: where its modules lie.
        module_names: their names.
    """
    codes = []
    for part in module_names:
        tree = ast.parse(folder.joinpath(f"{part}.py").read_text(encoding="utf-8"))
        tree.body = [statement for statement in tree.body if not _is_for_types(statement)]
        flags = annotations.compiler_flag  # so that annotations are not evaluated
        code = compile(tree, f"<{part}>", "exec", flags, dont_inherit=True, optimize=2)
        codes.append((f"{package_name}.{part}", code))
    return marshal.dumps(codes)


def _is_for_types(statement: ast.stmt) -> bool:
    """Return whether a statement imports names for annotations only, which would take as long as Python's start."""
    return isinstance(statement, ast.ImportFrom) and statement.module in ("typing", "collections.abc")

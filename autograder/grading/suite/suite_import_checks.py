"""Check a hidden suite's files before they are imported: links, names, and where they import each other."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from autograder.faults import CourseFault, raise_course_faults_if_any
from autograder.files_without_tool_caches import TOOL_CACHE_FOLDERS
from autograder.grading.suite.stray_suite_modules import is_installed_module

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def list_suite_module_names(suite_folder: Path) -> frozenset[str]:
    """Return the names of the modules and packages in a suite's folder, the tests themselves included."""
    return frozenset(
        path.stem if path.suffix == ".py" else path.name
        for path in suite_folder.iterdir()
        if path.suffix == ".py" or _is_package(path)
    )


def _is_package(path: Path) -> bool:
    return (
        path.name.isidentifier()
        and path.name not in TOOL_CACHE_FOLDERS
        and path.is_dir()
        and next(path.rglob("*.py"), None) is not None
    )


def require_predictable_suite_imports(suite_folder: Path, module_names: Collection[str]) -> None:
    """Raise if a file of a suite would be imported otherwise than its author expects.

    Args:
        suite_folder: the folder of the hidden suite.
        module_names: what ``list_suite_module_names`` returns.

    Raises:
        CourseFault: a folder is a link, a module hides another one, or a module is imported inside a function.
    """
    helpers = sorted(name for name in module_names if not name.startswith(("test_", "__")) and name != "conftest")
    raise_course_faults_if_any(
        [
            *_find_linked_folders(suite_folder),
            *_find_hiding_modules(suite_folder, helpers),
            *_find_imports_inside_functions(suite_folder, helpers),
        ]
    )


def _find_linked_folders(suite_folder: Path) -> Iterator[CourseFault]:
    for path in sorted(suite_folder.rglob("*")):
        if path.is_symlink() and path.is_dir():
            yield CourseFault(
                "this folder is a symbolic link to files outside the assignment",
                where=str(path),
                advice="put a copy of the folder in its place",
            )


def _find_hiding_modules(suite_folder: Path, helpers: Collection[str]) -> Iterator[CourseFault]:
    for name in helpers:
        whose = _describe_hidden_module(name)
        if whose:
            file = suite_folder / f"{name}.py"
            path, kind = (file, "file") if file.is_file() else (suite_folder / name, "folder")
            yield CourseFault(f"this {kind} has the name of {whose} and hides it", str(path), "rename it")


def _describe_hidden_module(name: str) -> str:
    if name in sys.stdlib_module_names:
        return "a module of Python's own"
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return ""
    origin = spec.origin if spec else None  # a folder without modules has none, and is not hidden by another
    return "an installed package" if origin and is_installed_module(name, origin) else ""


def _find_imports_inside_functions(suite_folder: Path, helpers: Collection[str]) -> Iterator[CourseFault]:
    """Yield the imports of a suite's own modules that run when a test does: by then, these names mean nothing."""
    if not helpers:
        return
    named = "|".join(map(re.escape, helpers))
    indented = re.compile(rf"^[ \t]+(?:from|import)[ \t][^\n]*\b(?:{named})\b".encode(), re.MULTILINE)
    for path in sorted(suite_folder.rglob("*.py")):
        try:
            source = path.read_bytes()
            tree = ast.parse(source) if indented.search(source) else None
        except (OSError, SyntaxError, ValueError):
            continue  # importing it reports this
        functions = [node for node in ast.walk(tree) if isinstance(node, Function)] if tree else []
        for line in sorted({line for function in functions for line in _imports(function, helpers)}):
            yield CourseFault(
                "a module beside the tests is imported inside a function",
                where=f"{path}:{line}",
                advice="import it at the top of the file",
            )


def _imports(function: ast.AST, helpers: Collection[str]) -> Iterator[int]:
    """Yield the lines of a function that import one of these modules."""
    for node in ast.walk(function):
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported = [node.module or ""]
        else:
            continue
        if any(name.partition(".")[0] in helpers for name in imported):
            yield node.lineno

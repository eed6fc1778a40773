"""Digest a hidden suite test by test; a digest changes if a verdict may change, but not if a comment does."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from autograder.faults import CourseFault, translate_file_errors
from autograder.files_without_tool_caches import list_files_without_tool_caches
from autograder.grading.suite.hidden_suite import HiddenTestLocation

Function = ast.FunctionDef | ast.AsyncFunctionDef
IGNORED_MARKERS = ("weight", "redundant_ok", "kept")
"""Markers that decide no verdict: a test's weight, and why a redundant test stays, with that marker's former name."""


class HiddenTestFingerprint(msgspec.Struct, frozen=True):
    """Digests of what one test depends on, apart from what all of them share."""

    __test__ = False

    own: str
    """Digest of the test's function, and of other test functions that it names."""
    rest: str
    """Digest of everything in its module except the tests."""


def digest_suite(
    suite_folder: Path, location_by_test: Mapping[str, HiddenTestLocation]
) -> tuple[dict[str, HiddenTestFingerprint], str]:
    r"""Return what each test depends on, and a digest of what all of them share.

    Args:
        suite_folder: the folder of the suite.
        location_by_test: the place of each test, by its id.

    Raises:
        CourseFault: a file of the suite cannot be read.

    >>> from tempfile import TemporaryDirectory
    >>> def digest_own(source):
    ...     with TemporaryDirectory() as folder:
    ...         file = Path(folder, "test_a.py")
    ...         _ = file.write_text(source)
    ...         tests, _ = digest_suite(Path(folder), {"a": HiddenTestLocation(file, "test_a", "")})
    ...         return tests["a"].own
    >>> digest_own("def test_a(): assert 1 == 1  # as it was") == digest_own("def test_a():\n    assert 1 == 1")
    True
    >>> digest_own("def test_a(): assert 1 == 1") == digest_own("def test_a(): assert 1 == 2")
    False
    """
    files = {path: _read_file(path) for path in list_files_without_tool_caches(suite_folder)}
    modules = {
        path: ast.parse(files[path])
        for path in {location.file for location in location_by_test.values()}
        if path in files
    }
    imported_names = {name for module in modules.values() for name in _iterate_imports(module)}
    unshared_modules = {path: module for path, module in modules.items() if path.stem not in imported_names}
    shared_parts = [
        part
        for path in files
        if path not in unshared_modules
        for part in (str(path.relative_to(suite_folder)).encode(), files[path])
    ]
    dumps_by_file = {path: _dump_module(module) for path, module in modules.items()}
    tests = {}
    for name, location in location_by_test.items():
        function_dumps, rest_dump = dumps_by_file.get(location.file, ({}, ""))
        content = function_dumps.get(location.function_name, "").encode()
        content = content or _read_file(location.file)  # not a plain function: digest the whole file
        tests[name] = HiddenTestFingerprint(_compute_digest([content]), _compute_digest([rest_dump.encode()]))
    return tests, _compute_digest(shared_parts)


def _dump_module(module: ast.Module) -> tuple[dict[str, str], str]:
    """Return dumps of a module's tests by their qualified names, and a dump of everything else in it."""
    functions = dict(_iterate_tests(module))
    dumps = {name: ast.dump(_strip_docstring(function)) for name, function in functions.items()}
    full_names = {name.rpartition(".")[2]: name for name in functions}
    function_dumps = {
        name: "\n".join(
            [
                dumps[name],
                *(dumps[full_names[used_name]] for used_name in _list_names(function) if used_name in full_names),
            ]
        )
        for name, function in functions.items()
    }
    remover = _TestRemover({id(function) for function in functions.values()})
    return function_dumps, ast.dump(remover.visit(module))


def _iterate_tests(node: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, Function]]:
    for child in node.body:
        if isinstance(child, Function) and child.name.startswith("test"):
            yield f"{prefix}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _iterate_tests(child, f"{prefix}{child.name}.")


def _strip_docstring(function: Function) -> Function:
    """Return a function without its docstring, which a student reads, and without markers that decide no verdict."""
    bare_function = copy.copy(function)
    bare_function.decorator_list = [
        decorator for decorator in bare_function.decorator_list if _get_mark_name(decorator) not in IGNORED_MARKERS
    ]
    if ast.get_docstring(bare_function, clean=False) is not None:
        bare_function.body = bare_function.body[1:] or [ast.Pass()]
    return bare_function


def _get_mark_name(decorator: ast.expr) -> str:
    """Return the name of the mark in a decorator such as ``@pytest.mark.weight(2)``; empty for any other."""
    marker = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(marker, ast.Attribute) and isinstance(marker.value, ast.Attribute) and marker.value.attr == "mark":
        return marker.attr
    return ""


def _list_names(node: ast.AST) -> list[str]:
    return sorted({child.id for child in ast.walk(node) if isinstance(child, ast.Name)})


def _iterate_imports(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.rpartition(".")[2] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").rpartition(".")[2]
            yield from (alias.name for alias in node.names)


class _TestRemover(ast.NodeTransformer):
    """Removes the tests from a module."""

    def __init__(self, test_ids: set[int]) -> None:
        self._test_ids = test_ids

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, field, [child for child in value if id(child) not in self._test_ids])
        return super().generic_visit(node)


def _read_file(path: Path) -> bytes:
    with translate_file_errors(path, fault_class=CourseFault):
        return path.read_bytes()


def _compute_digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(f"{len(part)}:".encode() + part)
    return digest.hexdigest()[:16]

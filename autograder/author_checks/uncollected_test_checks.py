"""Check that pytest collects every test in the files of a hidden suite, and that the tests' fixtures exist."""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.course.python_parsing import parse_python_file
from autograder.faults import CourseFault, format_did_you_mean_suffix, raise_course_faults_if_any
from autograder.grading.suite.suite_collection import start_session_and_collect_items

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def require_all_tests_collected(assignment: Assignment) -> None:
    """Raise if pytest leaves out a test that a file of the hidden suite holds, or a test's fixture does not exist.

    Leave out files that cannot be parsed, and suites that cannot be collected: other checks report them.

    Raises:
        CourseFault: there is such a test; all of them are reported together.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pytest.PytestCollectionWarning)  # of a class that is reported below
        try:
            session, items = start_session_and_collect_items(assignment)
        except CourseFault:
            return
    try:
        faults = [*_find_missing_fixtures(items)]
    finally:
        session.config._ensure_unconfigure()
    collected = _CollectedNames.of_items(items)
    for path in sorted(assignment.hidden_suite_folder.rglob("*.py")):
        try:
            tree = parse_python_file(path)
        except CourseFault:
            continue
        faults += _find_uncollected_tests(path, tree, collected)
    raise_course_faults_if_any(faults)


def _find_missing_fixtures(items: Sequence[pytest.Item]) -> Iterator[CourseFault]:
    """Yield a fault for each fixture that a test or one of its fixtures asks for, and that does not exist."""
    functions = [item for item in items if isinstance(item, pytest.Function)]
    fixtures = {name for item in functions for name in item._fixtureinfo.name2fixturedefs}
    for item in functions:
        where = f"{item.path}:{(item.location[1] or 0) + 1}: {item.name}"
        if "tmp_path" in item._fixtureinfo.names_closure:  # its end needs a report that a hidden test does not make
            yield CourseFault(
                "the fixture 'tmp_path' does not work in hidden tests", where, "use `tmp_path_factory.mktemp(...)`"
            )
        known = {"request", *item._fixtureinfo.name2fixturedefs}
        known |= item.callspec.params.keys() if hasattr(item, "callspec") else set()
        for name in item._fixtureinfo.names_closure:
            if name not in known:
                yield CourseFault(
                    f"no fixture is called {name!r}{format_did_you_mean_suffix(name, sorted(fixtures))}",
                    where=where,
                    advice="correct the name of the argument, or write the fixture into conftest.py",
                )


@dataclass(frozen=True, slots=True)
class _CollectedNames:
    """The names of functions and classes that pytest collected from a suite."""

    functions: frozenset[tuple[Path, str]]
    """File and name of each function outside classes: where it is defined, and where a test file imports it."""
    classes: frozenset[str]
    """Qualified names of classes with tests, and of their bases."""

    @staticmethod
    def of_items(items: Sequence[pytest.Item]) -> _CollectedNames:
        functions, classes = set[tuple[Path, str]](), set[str]()
        for item in items:
            if (test_class := getattr(item, "cls", None)) is not None:
                classes |= {one.__qualname__ for one in test_class.__mro__}
            elif (function := getattr(item, "function", None)) is not None:
                name = getattr(item, "originalname", item.name)
                code = getattr(inspect.unwrap(function), "__code__", None)
                functions |= {(item.path, name), (Path(code.co_filename) if code else item.path, name)}
        return _CollectedNames(frozenset(functions), frozenset(classes))


def _find_uncollected_tests(path: Path, tree: ast.Module, collected: _CollectedNames) -> Iterator[CourseFault]:
    if not (path.name.startswith("test_") or path.name.endswith("_test.py")):
        uncollected = [test for test in _list_tests(tree) if (path, test.name) not in collected.functions]
        if uncollected:
            yield CourseFault(
                f"pytest runs no test of this file, such as {uncollected[0].name}",
                where=f"{path}:{uncollected[0].lineno}",
                advice=f"rename the file to test_{path.stem.removeprefix('tests_')}.py",
            )
        return
    yield from _find_broken_definitions(path, tree)
    for node, name in _iterate_classes(tree):
        yield from _find_broken_definitions(path, node)
        tests = _list_tests(node)
        if tests and name not in collected.classes and not _opts_out(node):
            what, advice = _explain_uncollected_class(node)
            yield CourseFault(
                f"no test of the class {name} is run, such as {tests[0].name}: {what}",
                where=f"{path}:{node.lineno}",
                advice=advice,
            )


def _find_broken_definitions(path: Path, scope: ast.Module | ast.ClassDef) -> Iterator[CourseFault]:
    """Yield the tests of a module or class that are defined again below, and those that are coroutines."""
    tests = _list_tests(scope)
    last_lines = {test.name: test.lineno for test in tests}
    for test in tests:
        if test.lineno != last_lines[test.name]:
            yield CourseFault(
                f"{test.name} is defined again in line {last_lines[test.name]}, so this test never runs",
                where=f"{path}:{test.lineno}",
                advice="rename one of them",
            )
        elif isinstance(test, ast.AsyncFunctionDef):
            yield CourseFault(
                f"{test.name} is an async function, which pytest does not run",
                where=f"{path}:{test.lineno}",
                advice="write it with `def` alone",
            )


def _list_tests(scope: ast.Module | ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions that look like tests and are not fixtures, in order."""
    return [
        node
        for node in scope.body
        if isinstance(node, Function)
        and node.name.startswith("test_")
        and not any("fixture" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]


def _iterate_classes(scope: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[ast.ClassDef, str]]:
    """Yield the classes of a module, nested ones included, with their qualified names."""
    for node in scope.body:
        if isinstance(node, ast.ClassDef):
            yield node, prefix + node.name
            yield from _iterate_classes(node, f"{prefix}{node.name}.")


def _opts_out(node: ast.ClassDef) -> bool:
    """Return whether a class sets ``__test__``, with which authors tell pytest to leave it out."""
    return any("__test__" in ast.unparse(line) for line in node.body if isinstance(line, ast.Assign))


def _explain_uncollected_class(node: ast.ClassDef) -> tuple[str, str]:
    """Return why pytest leaves out a class, and what to do."""
    if any(ast.unparse(base).endswith("TestCase") for base in node.bases):
        return (
            "hidden tests cannot be written with unittest.TestCase",
            "take out the base class, use `assert`, and let the class's name begin with Test",
        )
    if not node.name.startswith("Test"):
        return "its name does not begin with Test", f"rename it to Test{node.name[:1].upper()}{node.name[1:]}"
    if any(isinstance(part, Function) and part.name in ("__init__", "__new__") for part in node.body):
        return "it has a constructor of its own", "use a fixture, or `setup_method`, in place of `__init__`"
    return "pytest does not collect it", "write the tests as functions of the module"

"""Check the markers of hidden tests, the names that they speak of, and that pytest collects each of them."""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.course.assignment_code import list_defined_names_except_imports, parse_python_file
from autograder.course.course_loading import COURSE_FILE_NAME
from autograder.course.yaml_documents import read_yaml_document
from autograder.faults import CourseFault, format_did_you_mean_suffix, list_course_faults, raise_course_faults_if_any
from autograder.grading.collection import (
    UNKNOWN_MARKER_START,
    make_unknown_marker_fault,
    start_session_and_collect_items,
)
from autograder.grading.hidden_suite import HiddenSuiteSession
from autograder.grading.specs import MARKER_NAMES


class SolutionNames:
    """The functions, classes and class members that a solution defines; markers may name them.

    Attributes:
        known: functions, classes, and members of classes as ``parameters`` and as ``MLP.parameters``.
    """

    def __init__(self, source: str) -> None:
        self._words = {*re.findall(r"\w+", source)}
        self._may_inherit: dict[str, bool] = {}
        names: dict[str, None] = {}
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.ClassDef | ast.FunctionDef):
                names[statement.name] = None
            if isinstance(statement, ast.ClassDef):
                self._may_inherit[statement.name] = bool(statement.bases or statement.decorator_list)
                for member in _list_members(statement):
                    names |= {f"{statement.name}.{member}": None, member: None}
        self.known = [*names]

    def may_define(self, name: str) -> bool:
        """Return whether the solution defines a name, or may define it.

        A member may be inherited or be set by other code, if its name occurs anywhere in the text and the named
        class, if any, has bases or decorators.
        """
        owner, _, member = name.rpartition(".")
        if name in self.known or member not in self._words:
            return name in self.known
        return not owner or self._may_inherit.get(owner, False)


def _list_members(owner: ast.ClassDef) -> Iterator[str]:
    """Yield the names of a class's methods, of what its body assigns, and of what methods set on ``self``."""
    for statement in owner.body:
        yield from list_defined_names_except_imports(statement)
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def require_defines_in_solution(assignment: Assignment) -> None:
    """Raise if ``defines`` in ``grading.yml`` lists a name that the reference solution does not have.

    Raises:
        CourseFault: there is such a name, or the solution cannot be read.
    """
    names = [*_list_global_names(parse_python_file(assignment.solution_file))]
    if "*" in names:
        return
    config = assignment.course_folder / COURSE_FILE_NAME
    line = read_yaml_document(config).get_line_of_nearest_key(("assignments", assignment.name, "defines"))
    solution = assignment.solution_file.name
    raise_course_faults_if_any(
        [
            CourseFault(
                f"`defines` lists {name!r}, which {solution} does not have{format_did_you_mean_suffix(name, names)}",
                where=f"{config}:{line}",
                advice="correct the name, or write it in the solution",
            )
            for name in assignment.defines
            if name not in names
        ]
    )


def _list_global_names(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        is_definition = isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for node in [statement] if is_definition else ast.walk(statement):
            if isinstance(node, ast.stmt):
                yield from list_defined_names_except_imports(node)
            if isinstance(node, ast.alias):
                yield node.asname or node.name
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


NAMING = ("subject", "needs")
"""Markers whose arguments are names in a submission."""
PYTEST_OWN = ("parametrize", "usefixtures", "skip", "skipif", "xfail", "filterwarnings")
KNOWN = (*MARKER_NAMES, *PYTEST_OWN)


@dataclass(frozen=True, slots=True)
class WrittenMarker:
    """A marker in the source text of a test file."""

    file: Path
    line: int
    name: str
    texts: tuple[tuple[str, int], ...]
    """The literal texts among its arguments, each with its line."""


def _read_written_markers(path: Path) -> list[WrittenMarker]:
    """Return the markers in the source of a test file, in any order.

    Raises:
        CourseFault: the file cannot be read, or is not Python.
    """
    tree = parse_python_file(path)
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    markers = []
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Attribute(attr="mark") | ast.Name(id="mark")):
                call = calls.get(id(node))
                texts = tuple(
                    (argument.value, argument.lineno)
                    for argument in (call.args if call else ())
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                )
                markers.append(WrittenMarker(path, node.end_lineno or node.lineno, node.attr, texts))
    return markers


def read_concepts_named_by_suite(assignment: Assignment) -> frozenset[str]:
    """Return the concepts that markers of hidden tests name; files that cannot be read are left out."""
    markers, _ = _read_all_markers(assignment)
    return frozenset(text for marker in markers if marker.name == "concept" for text, _ in marker.texts)


def require_valid_hidden_test_markers(assignment: Assignment) -> None:
    """Raise if a test cannot be collected, or a marker is misspelt or names what the reference solution lacks.

    Raises:
        CourseFault: there is such a test or marker; all of them are reported together.
    """
    markers, faults = _read_all_markers(assignment)
    naming_markers = [marker for marker in markers if marker.name in NAMING]
    named_places = [
        (marker.file, text, f"{marker.file}:{line}") for marker in naming_markers for text, line in marker.texts
    ]
    try:
        with HiddenSuiteSession(assignment) as suite:
            locations = suite.location_by_spec_id
            for spec in suite.test_specs:
                test = locations[spec.id]
                named_places += [
                    (test.file, name, f"{test.file}:{test.line}: {test.function_name}")
                    for name in spec.required_names
                ]
    except CourseFault as fault:
        faults = [*_explain_failures(list_course_faults(fault), markers, faults)]
    unknown: dict[tuple[Path, str], CourseFault] = {}
    names = _read_solution_names(assignment)
    for file, name, where in named_places:
        if names is not None and not names.may_define(name):
            unknown.setdefault((file, name), _describe_unknown(name, names.known, where))
    raise_course_faults_if_any([*faults, *unknown.values()])


def _read_all_markers(assignment: Assignment) -> tuple[list[WrittenMarker], list[CourseFault]]:
    markers, faults = [], list[CourseFault]()
    for path in sorted(assignment.hidden_suite_folder.rglob("*.py")):
        try:
            markers += _read_written_markers(path)
        except CourseFault as fault:
            faults.append(fault)
    return markers, faults


def _read_solution_names(assignment: Assignment) -> SolutionNames | None:
    """Return the names in the solution; None if it is not Python, which another check reports."""
    try:
        parse_python_file(assignment.solution_file)
    except CourseFault:
        return None
    return SolutionNames(assignment.solution_file.read_text(encoding="utf-8"))


def _explain_failures(
    failures: tuple[CourseFault, ...], markers: list[WrittenMarker], unreadable: list[CourseFault]
) -> Iterator[CourseFault]:
    """Yield the suite's faults; the one for the first unknown marker of a file is replaced by one for each."""
    yield from unreadable
    unreadable_files = {fault.where.rpartition(":")[0] for fault in unreadable}
    for failure in failures:
        file = failure.where.rpartition(":")[0]
        unknown_markers = [marker for marker in markers if str(marker.file) == file and marker.name not in KNOWN]
        if failure.what.startswith(UNKNOWN_MARKER_START) and unknown_markers:
            yield from (
                make_unknown_marker_fault(marker.name, f"{marker.file}:{marker.line}") for marker in unknown_markers
            )
        elif file not in unreadable_files:
            yield failure


def _describe_unknown(name: str, known: list[str], where: str) -> CourseFault:
    return CourseFault(
        f"a marker `subject` or `needs` names {name!r}, which the solution does not have"
        f"{format_did_you_mean_suffix(name, known)}",
        where=where,
        advice="name a function, a method, or a class with its method: 'MLP.parameters'",
    )


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

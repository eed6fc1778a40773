"""Check the markers of hidden tests, both in the source text and as pytest collects them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.author_checks.solution_names import SolutionNames
from autograder.course import Assignment
from autograder.course.python_parsing import parse_python_file
from autograder.faults import (
    CourseFault,
    format_did_you_mean_suffix,
    list_course_faults,
    raise_course_faults_if_any,
)
from autograder.grading.suite.hidden_suite import HiddenSuiteSession
from autograder.grading.suite.hidden_test_spec_reader import MARKER_NAMES
from autograder.grading.suite.suite_collection_faults import UNKNOWN_MARKER_START, make_unknown_marker_fault

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
        if isinstance(node, ast.Attribute) and _is_mark_generator(node.value):
            call = calls.get(id(node))
            texts = tuple(
                (argument.value, argument.lineno)
                for argument in (call.args if call else ())
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            )
            markers.append(WrittenMarker(path, node.end_lineno or node.lineno, node.attr, texts))
    return markers


def _is_mark_generator(node: ast.expr) -> bool:
    """Return whether an expression is ``pytest.mark``, or ``mark`` as it may be imported."""
    match node:
        case ast.Attribute(attr="mark") | ast.Name(id="mark"):
            return True
    return False


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

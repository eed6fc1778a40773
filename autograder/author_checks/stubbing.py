"""Stub functions of a reference solution: put the students' stub in its place, or replace functions' bodies."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.template.student_files import BEGIN, make_stub_from_solution

STUB = "the untouched stub"
RAISES = "every method raises"
NONE = "every method returns None"
NO_GRADIENTS = "gradients are never set"
GRADIENT, INIT = "grad", "__init__"

Body = Callable[[ast.FunctionDef, ast.ClassDef | None], str]
BODY_REPLACEMENTS: Mapping[str, Body] = {
    RAISES: lambda function, owner: "raise RuntimeError('nothing')",  # NotImplementedError is for stubs
    NONE: lambda function, owner: "return None",
    "every method returns its first argument": lambda function, owner: f"return {_first_argument(function)}",
    "every method returns a list of it": lambda function, owner: f"return [{_first_argument(function)}]",
    "every method returns 0": lambda function, owner: "return 0",
    "every method returns 1.0": lambda function, owner: "return 1.0",
    "every method returns an empty list": lambda function, owner: "return []",
    "every method returns a new object": lambda function, owner: _make_new_object_statement(owner),
}
"""Makers of a new body for every function and method, given its definition and its class, if it has one."""
TRANSFORMATIONS = (STUB, *BODY_REPLACEMENTS, NO_GRADIENTS)


@dataclass(frozen=True, slots=True)
class StubbedSolution:
    """The reference solution, changed so that some or all of its functions do nothing, or less than they should."""

    source: str
    stubbed_names: frozenset[str]
    """The methods (``tanh`` and ``Value.tanh``) and functions that do nothing in it, or less than they should."""


def try_transform_solution(assignment: Assignment, transformation: str) -> StubbedSolution | None:
    """Return the reference solution after one transformation.

    If bodies are replaced, the first ``__init__`` of each class is kept. Without it, no objects could be made, so
    every test would fail, which proves nothing about the tests. The stub is an exception.

    Args:
        assignment: says where the solution lies and what it defines.
        transformation: one of ``TRANSFORMATIONS``.

    Returns:
        The changed solution; None if the transformation changes nothing, such as dropping gradients where there are
        none.

    Raises:
        CourseFault: the solution cannot be read, or is not Python.
    """
    path = assignment.solution_file
    try:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise CourseFault(f"cannot use the solution: {error}", where=str(path), advice="fix the solution") from error
    functions = _list_functions_to_replace(tree, assignment.defines)
    if transformation == STUB:
        if BEGIN not in source:
            return None
        return StubbedSolution(make_stub_from_solution(source, str(path)), frozenset(_list_names(functions)))
    if transformation == NO_GRADIENTS:
        functions = [one for one in functions if _drop_gradients(one[0])]
    else:
        inits = [_find_init(owner) for owner in tree.body if isinstance(owner, ast.ClassDef)]
        functions = [one for one in functions if one[0] not in inits]
        for function, owner in functions:
            function.body = ast.parse(BODY_REPLACEMENTS[transformation](function, owner)).body
    if not functions:
        return None
    changed_source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return StubbedSolution(changed_source, frozenset(_list_names(functions)))


def _list_functions_to_replace(
    tree: ast.Module, defines: tuple[str, ...]
) -> list[tuple[ast.FunctionDef, ast.ClassDef | None]]:
    """Return the functions that the assignment defines and the methods of its classes, each with its class."""
    functions: list[tuple[ast.FunctionDef, ast.ClassDef | None]] = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name in defines:
            functions.append((statement, None))
        elif isinstance(statement, ast.ClassDef) and statement.name in defines:
            functions += [(member, statement) for member in statement.body if isinstance(member, ast.FunctionDef)]
    return functions


def _list_names(functions: list[tuple[ast.FunctionDef, ast.ClassDef | None]]) -> set[str]:
    """Return the names by which tests may refer to these functions.

    These are ``parameters``, and for a method ``MLP.parameters`` as well.
    """
    members = {f"{owner.name}.{function.name}" for function, owner in functions if owner}
    return members | {function.name for function, _ in functions}


def _find_init(owner: ast.ClassDef) -> ast.FunctionDef | None:
    return next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == INIT), None)


def _first_argument(function: ast.FunctionDef) -> str:
    arguments = [*function.args.posonlyargs, *function.args.args]
    return arguments[0].arg if arguments else "None"


def _make_new_object_statement(owner: ast.ClassDef | None) -> str:
    """Write the statement that returns a new object of the class, with 1.0 for each required argument."""
    if owner is None:
        return "return 1.0"
    init = _find_init(owner)
    count = len(init.args.posonlyargs) + len(init.args.args) - 1 - len(init.args.defaults) if init else 0
    return f"return {owner.name}({', '.join(['1.0'] * count)})"


def _drop_gradients(function: ast.FunctionDef) -> bool:
    """Drop the assignments to gradients, except for the first in an ``__init__``, which creates the attribute.

    Returns:
        Whether an assignment was dropped.
    """
    places = [
        (body, place)
        for node in ast.walk(function)
        for body in _iterate_statement_lists(node)
        for place, statement in enumerate(body)
        if _sets_gradient(statement)
    ]
    dropped = places[function.name == INIT :]
    for body, place in dropped:
        body[place] = ast.Pass()
    return bool(dropped)


def _iterate_statement_lists(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the lists of statements in a node."""
    for name in ("body", "orelse", "finalbody"):
        body = getattr(node, name, None)
        if isinstance(body, list):
            yield body


def _sets_gradient(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        targets = [statement.target]
    else:
        return False
    return any(isinstance(target, ast.Attribute) and target.attr == GRADIENT for target in targets)

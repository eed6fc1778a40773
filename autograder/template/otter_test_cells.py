"""Turn a public suite into test cells for Otter: each test becomes a self-contained function."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from typing import TypeGuard

from autograder.faults import CourseFault

TESTED_MODULE = "value"
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
MISSING = "{name} is not defined: run the cell that defines it, and see what it says."


def list_otter_test_sources(suite_source: str, suite_name: str) -> list[str]:
    """Return the tests of a suite, each as a cell of Otter's exception-based format.

    Otter runs each function without the rest of its module, and passes objects of the notebook for the parameters, by
    their names. So everything that a test uses of its module is copied into the function, and the names that it tests
    become parameters.

    Args:
        suite_source: a module with functions ``test_...()``, which imports the names that it tests from ``value``.
        suite_name: the suite's path, for errors.

    Raises:
        CourseFault: a test has parameters or decorators, which Otter does not support, or there is no test.
    """
    tree = ast.parse(suite_source)
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    if not tests:
        raise CourseFault("the suite holds no test", where=suite_name, advice="write the public suite")
    for test in tests:
        if test.decorator_list or test.args.args:
            raise CourseFault(
                f"{test.name} has a parameter or a decorator, which Otter does not support",
                where=f"{suite_name}:{test.lineno}",
                advice="write it as a plain function",
            )
    context = [node for node in tree.body if node not in tests and not _is_text(node)]
    return [_make_test_cell(test, context) for test in tests]


def _make_test_cell(test: ast.FunctionDef, context: Sequence[ast.stmt]) -> str:
    sentence = " ".join((ast.get_docstring(test) or test.name).split())
    body = test.body[1:] if _is_text(test.body[0]) else test.body
    statements, used_names = _list_needed_statements(test, context)
    aliases = [alias for node in statements if _is_import_of_tested(node) for alias in node.names]
    tested_aliases = [alias for alias in aliases if (alias.asname or alias.name) in used_names]
    lines = [f"assert {alias.name} is not None, {MISSING.format(name=alias.name)!r}" for alias in tested_aliases]
    lines += [f"{alias.asname} = {alias.name}" for alias in tested_aliases if alias.asname]
    lines += [ast.unparse(node) for node in statements if not _is_import_of_tested(node)]
    names = ", ".join(alias.name for alias in tested_aliases)
    head = ast.parse(f"def {test.name}({names}): ...").body[0]
    assert isinstance(head, ast.FunctionDef)
    head.body = [*ast.parse("\n".join(lines)).body, *body]
    message = json.dumps(sentence.replace('"', "'").replace("\\", "/"), ensure_ascii=False)
    return (
        f'""" # BEGIN TEST CONFIG\nfailure_message: {message}\n""" # END TEST CONFIG\n'
        f"{ast.unparse(ast.fix_missing_locations(head))}\n\n{test.name}({names})"
    )


def _list_needed_statements(test: ast.stmt, context: Sequence[ast.stmt]) -> tuple[list[ast.stmt], set[str]]:
    """Return the module's statements that a test needs, directly or indirectly, in order, and all names used."""
    used_names: set[str] = set()
    queue: list[ast.AST] = [test]
    chosen_statements: set[ast.stmt] = set()
    while queue:
        node = queue.pop()
        used_names |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        new_statements = [
            statement
            for statement in context
            if statement not in chosen_statements and used_names & _list_defined_names(statement)
        ]
        chosen_statements.update(new_statements)
        queue += new_statements
    return [node for node in context if node in chosen_statements], used_names


def _list_defined_names(node: ast.stmt) -> set[str]:
    """Return the names that a module-level statement defines."""
    if isinstance(node, (*FUNCTION, ast.ClassDef)):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _is_import_of_tested(node: ast.stmt) -> TypeGuard[ast.ImportFrom]:
    """Return whether a statement imports the tested names, for which Otter passes the notebook's objects, or None."""
    return isinstance(node, ast.ImportFrom) and node.module == TESTED_MODULE


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)

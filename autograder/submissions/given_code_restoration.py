"""Put the original given code back into a submission, in place of the student's version.

The original runs first. Statements of the submission that define or import one of its names are left out, and lines
keep their numbers. Code that builds on the original, such as ``class Value(Value)``, is the student's own and stays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace

from autograder.cached_syntax_trees import try_parse_syntax_tree
from autograder.course.given_code import GivenCode, list_defined_names_except_imports
from autograder.list_and_count_wording import choose_by_count, join_with_and
from autograder.safe_text import escape_for_display
from autograder.submissions.imported_names import get_bound_name
from autograder.submissions.submission_model import SourceUnit, Submission
from autograder.submissions.untagged_definition_removal import (
    replace_statement_in_place,
    uses_earlier_binding,
)

NAME = "given code"
"""The name of the original in messages; its lines have the same numbers as in the template."""
MODULE = "submission"
"""The module that a submission's units run in, for the files beside them."""


def restore_given_code(submission: Submission, given: GivenCode) -> Submission:
    """Return a submission with the original given code, and a note for each part that the student had changed.

    Args:
        submission: as it was read.
        given: the assignment's given code.
    """
    if not given.definitions:
        return submission
    units, modules = [], dict(submission.modules)
    changes: dict[str, list[str]] = {}
    for unit in submission.units:
        left = _leave_out(unit.source, given, "pass")
        units.append(replace(unit, source=left.source))
        _note(left, unit.name, changes)
    for name, source in submission.modules.items():
        left = _leave_out(source, given, f"from {MODULE} import %s")
        modules[name] = left.source
        _note(left, f"{name}.py", changes)
    notes = [
        f"`{name}` is given, and {join_with_and(places)} {choose_by_count(len(places), 'has', 'have')} another "
        "version of it. The original was used: what you add belongs outside of the given code."
        for name, places in changes.items()
    ]
    return replace(
        submission,
        units=(SourceUnit(NAME, given.source, given=True), *units),
        modules=modules,
        notes=(*submission.notes, *notes),
        given_names=tuple(
            name for name, one in given.definitions.items() if isinstance(one, ast.ClassDef | ast.FunctionDef)
        ),
    )


@dataclass(frozen=True, slots=True)
class _Left:
    source: str
    changed: dict[str, int]
    """The line of each statement that was left out and differs from the original, by its name."""


def _note(left: _Left, where: str, changes: dict[str, list[str]]) -> None:
    for name, line in left.changed.items():
        changes.setdefault(name, []).append(f"{escape_for_display(where, 80)}, line {line},")


def _leave_out(source: str, given: GivenCode, instead: str) -> _Left:
    """Leave the definitions of given names out of a source.

    Args:
        source: of a file or a cell. One that is not Python stays as it is.
        given: the given code.
        instead: the statement that replaces a definition; ``%s`` stands for the names.
    """
    named = any(name in source for name in given.definitions)
    syntax = try_parse_syntax_tree(source) if named else None
    if syntax is None:
        return _Left(source, {})
    lines = source.replace("\r\n", "\n").replace("\r", "\n").encode().split(b"\n")
    changed: dict[str, int] = {}
    for statement in sorted(_statements(syntax.tree.body), key=lambda one: one.lineno, reverse=True):
        names = [name for name in _names_bound(statement) if name in given.definitions]
        if not names or any(uses_earlier_binding(statement, name) for name in names):
            continue
        replace_statement_in_place(
            lines, statement, _others(statement, names) or instead.replace("%s", ", ".join(names))
        )
        # an imported file is checked itself, or does not exist
        is_import = isinstance(statement, ast.Import | ast.ImportFrom)
        if not is_import and not all(_is_same(statement, given.definitions[name]) for name in names):
            changed |= dict.fromkeys(names, statement.lineno)
    return _Left(b"\n".join(lines).decode(), dict(reversed(changed.items())))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run when a source is loaded, those under ``if`` and ``try`` too."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for part in (statement, *getattr(statement, "handlers", ())):
                for field in ("body", "orelse", "finalbody"):
                    yield from _statements(getattr(part, field, []))
        else:
            yield statement


def _names_bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [get_bound_name(alias) for alias in statement.names]
    return list_defined_names_except_imports(statement)


def _others(statement: ast.stmt, names: list[str]) -> str:
    """Return what an import brings besides the given names, as a statement; empty if that is nothing."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return ""
    others = [alias for alias in statement.names if get_bound_name(alias) not in names]
    if not others:
        return ""
    smaller = deepcopy(statement)
    smaller.names = others
    return ast.unparse(smaller)


def _is_same(statement: ast.stmt, original: ast.stmt) -> bool:
    """Return whether two definitions differ in comments, layout and docstrings at most."""
    return _text(statement) == _text(original)


def _text(statement: ast.stmt) -> str:
    tree = deepcopy(statement)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)

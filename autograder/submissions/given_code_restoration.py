"""Put the original given code back into a submission, in place of the student's version.

The original runs first. Statements of the submission that define or import one of its names are left out, and lines
keep their numbers. Code that builds on the original, such as ``class Value(Value)``, is the student's own and stays.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from autograder.cached_syntax_trees import NoSyntaxTreeReason, may_parse_together, parse_source_of_any_node_count
from autograder.course.given_code import GivenCode
from autograder.english_wording import choose_by_count, join_with_and
from autograder.safe_text import escape_for_sentence
from autograder.submissions.imported_names import get_bound_name
from autograder.submissions.submission_model import SourceUnit, Submission, UngradableSubmission
from autograder.submissions.untagged_definition_removal import (
    list_bound_names,
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

    Raises:
        UngradableSubmission: a source with a name of the given code is too long or nested too deeply to be read here,
            so it cannot be seen whether it has another version.
    """
    if not given.definitions:
        return submission
    sources = [*(unit.source for unit in submission.units), *submission.modules.values()]
    if not may_parse_together([source for source in sources if _mentions_given_name(source, given)]):
        raise _make_unreadable("The code", submission)
    changes: dict[str, list[str]] = {}

    def restore(source: str, where: str, instead: str) -> str:
        left = _leave_out_or_none(source, given, instead)
        if left is None:
            raise _make_unreadable(where, submission)
        new_source, changed_lines = left
        for name, line in changed_lines.items():
            changes.setdefault(name, []).append(f"{escape_for_sentence(where, 80)}, line {line},")
        return new_source

    units = [replace(unit, source=restore(unit.source, unit.name, "pass")) for unit in submission.units]
    modules = {
        name: restore(source, f"{name}.py", f"from {MODULE} import %s") for name, source in submission.modules.items()
    }
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


def _make_unreadable(where: str, submission: Submission) -> UngradableSubmission:
    return UngradableSubmission(
        "too-large",
        f"{escape_for_sentence(where, 80)} is too long, or nested too deeply, to be compared with the given code. "
        "Hand in your own code alone, and divide its longest statement into several.",
        sha256=submission.sha256,
        files=submission.files,
    )


def _mentions_given_name(source: str, given: GivenCode) -> bool:
    return any(name in source for name in given.definitions)


def _leave_out_or_none(source: str, given: GivenCode, instead: str) -> tuple[str, dict[str, int]] | None:
    """Leave the definitions of given names out of a source; return None where it cannot be seen if there are any.

    Args:
        source: of a file or a cell. One that is not Python stays as it is.
        given: the given code.
        instead: the statement that replaces a definition; ``%s`` stands for the names.

    Returns:
        The source, and the line of each statement that was left out and differs from the original, by its name.
    """
    tree = (
        parse_source_of_any_node_count(source)
        if _mentions_given_name(source, given)
        else NoSyntaxTreeReason.NOT_PYTHON
    )
    if isinstance(tree, NoSyntaxTreeReason):
        return (source, {}) if tree is NoSyntaxTreeReason.NOT_PYTHON else None
    lines = source.replace("\r\n", "\n").replace("\r", "\n").encode().split(b"\n")
    changed: dict[str, int] = {}
    for statement in sorted(_statements(tree.body), key=lambda one: (one.lineno, one.col_offset), reverse=True):
        names = [name for name in dict.fromkeys(list_bound_names(statement)) if name in given.definitions]
        if not names or any(uses_earlier_binding(statement, name) for name in names):
            continue
        replace_statement_in_place(
            lines, statement, _others(statement, names) or instead.replace("%s", ", ".join(names))
        )
        # an imported file is checked itself, or does not exist
        is_import = isinstance(statement, ast.Import | ast.ImportFrom)
        if not is_import and not all(_is_same(statement, given.definitions[name]) for name in names):
            changed |= dict.fromkeys(names, statement.lineno)
    return b"\n".join(lines).decode(), dict(reversed(changed.items()))


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run when a source is loaded, those under ``if`` and ``try`` too."""
    left = [*body]  # a stack in place of recursion: a tree may be deep
    while left:
        statement = left.pop()
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for part in (statement, *getattr(statement, "handlers", ())):
                for field in ("body", "orelse", "finalbody"):
                    left += getattr(part, field, [])
        else:
            yield statement


def _others(statement: ast.stmt, names: list[str]) -> str:
    """Return what an import brings besides the given names, as a statement; empty if that is nothing."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return ""
    others = [alias for alias in statement.names if get_bound_name(alias) not in names]
    if not others:
        return ""
    if isinstance(statement, ast.Import):
        return ast.unparse(ast.Import(others))
    return ast.unparse(ast.ImportFrom(statement.module, others, statement.level))


def _is_same(statement: ast.stmt, original: ast.stmt) -> bool:
    """Return whether two definitions differ in comments, layout and docstrings at most."""
    left: list[tuple[Any, Any]] = [(statement, original)]  # a stack in place of recursion: a tree may be deep
    while left:
        one, other = left.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.AST):
            left += zip(_list_parts(one), _list_parts(other), strict=True)
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            left += zip(one, other, strict=True)
        elif repr(one) != repr(other):  # -0.0 == 0.0
            return False
    return True


def _list_parts(node: ast.AST) -> list[Any]:
    """Return the values of a node's fields, its body without a docstring."""
    parts = {name: getattr(node, name, None) for name in node._fields}
    if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
        parts["body"] = node.body[1:] or [ast.Pass()]
    return [*parts.values()]

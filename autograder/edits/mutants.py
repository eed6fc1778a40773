"""Make every mutant of a program: the program with one thing wrong in one place."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from autograder.edits.expressions import EXPRESSION_OPERATORS
from autograder.edits.sites import iterate_mutation_sites
from autograder.edits.statements import STATEMENT_OPERATORS

MOST_LINES = 2
"""How many lines of a changed piece an id quotes; of a longer piece, it quotes only the first line."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one thing wrong."""

    id: str
    """The function, the old lines and the new ones: ``__mul__: out = Value(...) -> out = ...``. The id stays the same
    if the program is changed elsewhere."""
    source: str
    affected_functions: tuple[str, ...]
    """Names of functions that it makes wrong: the outermost one around the change, then those that use its name.

    Empty if the change is outside functions.
    """


def make_mutants(source: str, given_lines: Collection[int] = ()) -> list[Mutant]:
    r"""Return every mutant of a program, each once, in the order of its lines.

    Messages in ``raise`` statements are not changed, because a contract names the exception, and seldom its message.

    Args:
        source: the program. Mutants do not keep its comments and docstrings.
        given_lines: numbers of the lines of given code, which is not changed, because students do not write it.

    Raises:
        SyntaxError: the program is not Python.

    >>> [mutant.id for mutant in make_mutants("def half(x):\n    return x / 2\n")][-2:]
    ['half: return x / 2 -> return 2 / x', 'half: return x / 2 -> return x / 3']
    """
    tree = _without_docstrings(ast.parse(source))
    original = ast.unparse(tree)
    callers = _map_names_to_callers(tree)
    mutant_by_text: dict[str, Mutant] = {}
    ids: Counter[str] = Counter()
    given_statements = [statement for statement in tree.body if statement.lineno in given_lines]
    untouched_ids = {id(node) for statement in given_statements for node in ast.walk(statement)}
    message_ids = _find_messages(tree)
    for site in list(iterate_mutation_sites(tree)):
        old_node = site.node
        if (
            id(site.parent) in untouched_ids
            or old_node in given_statements
            or {id(site.parent), id(old_node)} & message_ids
        ):
            continue
        for operator in (*EXPRESSION_OPERATORS, *STATEMENT_OPERATORS):
            for new_node in operator.change(old_node, site.scope):
                site.replace_node(new_node)
                text = ast.unparse(tree)
                site.replace_node(old_node)
                if text == original or text in mutant_by_text or not _can_compile(text):
                    continue
                id_ = f"{'.'.join(site.scope.enclosing) or 'outside functions'}: {_describe_change(original, text)}"
                ids[id_] += 1
                unique_id = id_ if ids[id_] == 1 else f"{id_} ({ids[id_]})"
                mutant_by_text[text] = Mutant(
                    unique_id, text, _list_affected_functions(site.scope.enclosing[:1], callers)
                )
    return list(mutant_by_text.values())


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _find_messages(tree: ast.Module) -> set[int]:
    """Return ``id()`` of the calls that make exceptions in ``raise`` statements, and of nodes in their arguments."""
    exceptions = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    calls = [error for error in exceptions if isinstance(error, ast.Call)]
    return {id(call) for call in calls} | {
        id(node) for call in calls for part in (*call.args, *call.keywords) for node in ast.walk(part)
    }


def _map_names_to_callers(tree: ast.Module) -> dict[str, set[str]]:
    """Return the names of the functions that use each name, by that name."""
    callers: dict[str, set[str]] = {}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        for node in ast.walk(function):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if name and name != function.name:
                callers.setdefault(name, set()).add(function.name)
    return callers


def _list_affected_functions(path: tuple[str, ...], callers: dict[str, set[str]]) -> tuple[str, ...]:
    return tuple(name for function in path for name in (function, *sorted(callers.get(function, ()))))


def _can_compile(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd code is expected in mutants
        try:
            compile(text, "mutant", "exec")
        except SyntaxError:
            return False
    return True


def _describe_change(old: str, new: str) -> str:
    """Return the old and the new lines that differ; if lines were only added, include the line above them."""
    old_lines, new_lines = old.splitlines(), new.splitlines()
    start = next(
        (i for i, (old_line, new_line) in enumerate(zip(old_lines, new_lines, strict=False)) if old_line != new_line),
        len(old_lines),
    )
    line_pairs = zip(reversed(old_lines[start:]), reversed(new_lines[start:]), strict=False)
    end = next(
        (i for i, (old_line, new_line) in enumerate(line_pairs) if old_line != new_line),
        min(len(old_lines), len(new_lines)) - start,
    )
    if start == len(old_lines) - end:
        start -= 1
    return (
        f"{_join_lines(old_lines[start : len(old_lines) - end])} -> "
        f"{_join_lines(new_lines[start : len(new_lines) - end])}"
    )


def _join_lines(lines: list[str]) -> str:
    texts = [line.strip() for line in lines if line]
    if len(texts) > MOST_LINES:
        texts = [texts[0], "..."]
    return " / ".join(texts) or "nothing"

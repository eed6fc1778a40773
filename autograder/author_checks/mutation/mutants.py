"""Make every mutant of a program: the program with one thing wrong in one place."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from autograder.author_checks.mutation.expression_operators import EXPRESSION_OPERATORS
from autograder.author_checks.mutation.mutation_sites import iterate_mutation_sites
from autograder.author_checks.mutation.statement_operators import STATEMENT_OPERATORS

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
    found: dict[str, Mutant] = {}
    ids: Counter[str] = Counter()
    given = [statement for statement in tree.body if statement.lineno in given_lines]
    untouched = {id(node) for statement in given for node in ast.walk(statement)}
    said = _find_messages(tree)
    for place in list(iterate_mutation_sites(tree)):
        old = place.node
        if id(place.parent) in untouched or old in given or {id(place.parent), id(old)} & said:
            continue
        for operator in (*EXPRESSION_OPERATORS, *STATEMENT_OPERATORS):
            for new in operator(old, place.scope):
                place.replace_node(new)
                text = ast.unparse(tree)
                place.replace_node(old)
                if text == original or text in found or not _compiles(text):
                    continue
                id_ = f"{'.'.join(place.scope.enclosing) or 'outside functions'}: {_describe_change(original, text)}"
                ids[id_] += 1
                unique = id_ if ids[id_] == 1 else f"{id_} ({ids[id_]})"
                found[text] = Mutant(unique, text, _list_affected_functions(place.scope.enclosing[:1], callers))
    return list(found.values())


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _find_messages(tree: ast.Module) -> set[int]:
    """Return ``id()`` of the calls that make exceptions in ``raise`` statements, and of nodes in their arguments."""
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    calls = [error for error in raised if isinstance(error, ast.Call)]
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
    return tuple(name for first in path for name in (first, *sorted(callers.get(first, ()))))


def _compiles(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd code is expected in mutants
        try:
            compile(text, "mutant", "exec")
        except SyntaxError:
            return False
    return True


def _describe_change(old: str, new: str) -> str:
    """Return the old and the new lines that differ; if lines were only added, include the line above them."""
    before, after = old.splitlines(), new.splitlines()
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    same = zip(reversed(before[start:]), reversed(after[start:]), strict=False)
    end = next((i for i, (a, b) in enumerate(same) if a != b), min(len(before), len(after)) - start)
    if start == len(before) - end:
        start -= 1
    return f"{_line(before[start : len(before) - end])} -> {_line(after[start : len(after) - end])}"


def _line(lines: list[str]) -> str:
    texts = [line.strip() for line in lines if line]
    if len(texts) > MOST_LINES:
        texts = [texts[0], "..."]
    return " / ".join(texts) or "nothing"

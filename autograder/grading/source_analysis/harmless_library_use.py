"""Decide whether a program uses the libraries that it imports only in ways that leave nothing behind in them.

What is not known to be harmless is not: an attribute of a module may be called, or stand where it is looked at only.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Container, Iterator, Sequence
from typing import cast

from autograder.grading.source_analysis import library_purity as known
from autograder.grading.source_analysis.escape_analysis import (
    does_not_escape,
    is_inside_function,
    is_type_of_cast,
)
from autograder.syntax_tree import SyntaxTree


def uses_libraries_harmlessly(
    trees: Sequence[SyntaxTree], own_modules: Container[str], *, is_loaded_again: bool
) -> bool:
    """Return whether nothing is changed in an imported module, and nothing of it that can change is kept.

    Args:
        trees: the files or cells of one namespace.
        own_modules: names of the program's other files.
        is_loaded_again: whether the code outside of functions is run more than once in a process.
    """
    modules, members = dict[str, str](), dict[str, tuple[str, str]]()
    for node in itertools.chain.from_iterable(syntax.nodes for syntax in trees):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                modules[alias.asname or whole] = whole
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] not in own_modules:
            for alias in node.names:
                if alias.name == "*" and node.module not in ("math", "cmath", "typing"):
                    return False
                whole = f"{node.module}.{alias.name}"
                if whole in known.SUBMODULES:
                    modules[alias.asname or alias.name] = whole
                else:
                    members[alias.asname or alias.name] = (node.module or "", alias.name)
    return all(
        _is_harmless(syntax, module, name, node, is_loaded_again=is_loaded_again)
        for syntax in trees
        for module, name, node in _iterate_uses(syntax, modules, members)
        if module.partition(".")[0] not in own_modules
    )


def _iterate_uses(
    syntax: SyntaxTree, modules: dict[str, str], members: dict[str, tuple[str, str]]
) -> Iterator[tuple[str, str, ast.expr]]:
    """Yield (module, name, node) for each use of a library; the name is empty if the module itself is used."""
    for node in syntax.nodes:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        if node.id in members:
            yield (*members[node.id], node)
        elif node.id in modules:
            module, used, above = modules[node.id], cast(ast.expr, node), syntax.parents[node]
            while isinstance(above, ast.Attribute) and f"{module}.{above.attr}" in known.SUBMODULES:
                module, used, above = f"{module}.{above.attr}", above, syntax.parents[above]
            yield (module, above.attr, above) if isinstance(above, ast.Attribute) else (module, "", used)


def _is_harmless(syntax: SyntaxTree, module: str, name: str, node: ast.expr, *, is_loaded_again: bool) -> bool:
    in_function = is_inside_function(node, syntax.parents)
    if not is_loaded_again and not in_function and _is_called_for_effect(node, syntax):
        return True
    if (
        not name
        or name.startswith("_")
        or name in known.NOT_CALLED
        or not isinstance(getattr(node, "ctx", None), ast.Load)
    ):
        return False
    if name in known.CONSTANTS.get(module, ()) or (module in known.IMMUTABLE and name.islower()):
        return True
    if in_function and module in known.ONLY and name not in known.ONLY[module]:
        return False
    above = syntax.parents[node]
    if module in known.TYPING and (
        not in_function or isinstance(above, ast.Subscript) or is_type_of_cast(node, syntax)
    ):
        return True
    if isinstance(above, ast.Attribute) and above.attr in known.CONSTRUCTORS | known.CONSTANTS.get(name, frozenset()):
        return True
    return (name.isupper() and module == "re") or does_not_escape(node, syntax)


def _is_called_for_effect(node: ast.expr, syntax: SyntaxTree) -> bool:
    """Return whether a method of it is called by a statement of its own: ``sys.path.append(folder)``."""
    above: ast.AST = node
    while isinstance(syntax.parents[above], ast.Attribute):
        above = syntax.parents[above]
    call = syntax.parents[above]
    return isinstance(call, ast.Call) and call.func is above and isinstance(syntax.parents[call], ast.Expr)

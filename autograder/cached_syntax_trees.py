"""Parse a source into a tree, once, however many look at it.

The tree is gone through once, too.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from functools import lru_cache

KEPT = 64
"""Sources that are remembered: more than the cells of a notebook."""
FEW = 8
"""Programs of which it is remembered what was read off them: a submission is asked about more than once."""
LONGEST_KEPT = 50_000
"""Characters of a source that is remembered; a tree takes a hundred times as many bytes."""
SHARED = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
"""Nodes that Python makes once for all places in which they stand."""


class SyntaxTree:
    """The tree of a source; not to be changed.

    Attributes:
        tree: all of it.
        nodes: every node, each before those below it; without contexts and operators.
        parents: what each node but the tree itself stands in.
    """

    def __init__(self, tree: ast.Module) -> None:
        """Go through a tree."""
        self.tree = tree
        self.nodes: list[ast.AST] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self._ends: dict[ast.AST, int] = {}
        self._places: dict[ast.AST, int] = {}
        above: list[ast.AST] = [tree]
        while above:  # on a stack of its own: a long sum is deeper than calls may be
            node = above.pop()
            if node in self._places:
                self._ends[node] = len(self.nodes)
                continue
            self._places[node] = len(self.nodes)
            self.nodes.append(node)
            below = _list_children(node)
            self.parents |= dict.fromkeys(below, node)
            above.append(node)
            above += below[::-1]

    def list_subtree(self, node: ast.AST) -> Sequence[ast.AST]:
        """Return a node and all that are below it."""
        return self.nodes[self._places[node] : self._ends[node]]


def _list_children(node: ast.AST) -> list[ast.AST]:
    """Return what ``ast.iter_child_nodes`` yields, without contexts and operators, in half the time."""
    below: list[ast.AST] = []
    for name in node._fields:
        child = getattr(node, name, None)
        if type(child) is list:
            below += [one for one in child if isinstance(one, ast.AST) and not isinstance(one, SHARED)]
        elif isinstance(child, ast.AST) and not isinstance(child, SHARED):
            below.append(child)
    return below


def try_parse_syntax_tree(source: str) -> SyntaxTree | None:
    """Return the tree of a source; None where it is no Python, or nested too deeply."""
    return _parsed(source) if len(source) <= LONGEST_KEPT else _parsed.__wrapped__(source)


@lru_cache(KEPT)
def _parsed(source: str) -> SyntaxTree | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return SyntaxTree(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None

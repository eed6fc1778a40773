"""A source's syntax tree with its nodes in a row, gone through once and without recursion."""

from __future__ import annotations

import ast
from collections.abc import Sequence

MOST_NODES = 30_000
"""Nodes of a program that is parsed; a node takes a kilobyte. Honest programs have some thousands."""
SHARED = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)
"""Nodes that Python makes once for all places in which they stand."""


class SyntaxTree:
    """The tree of a source; not to be changed.

    Attributes:
        tree: all of it.
        nodes: every node, each before those below it; without contexts and operators.
        parents: what each node but the tree itself stands in.
        depth: how many nodes are within each other, the tree itself included.
    """

    def __init__(self, tree: ast.Module) -> None:
        """Go through a tree.

        Raises:
            OverflowError: it has more than ``MOST_NODES`` nodes.
        """
        self.tree = tree
        self.nodes: list[ast.AST] = []
        self.parents: dict[ast.AST, ast.AST] = {}
        self.depth = 0
        self._ends: dict[ast.AST, int] = {}
        self._places: dict[ast.AST, int] = {}
        above: list[ast.AST] = [tree]
        depth = 0
        while above:  # on a stack of its own: a long sum is deeper than calls may be
            node = above.pop()
            if node in self._places:
                self._ends[node] = len(self.nodes)
                depth -= 1
                continue
            self._places[node] = len(self.nodes)
            self.nodes.append(node)
            if len(self.nodes) > MOST_NODES:
                raise OverflowError
            depth += 1
            self.depth = max(self.depth, depth)
            below = _list_children(node)
            self.parents |= dict.fromkeys(below, node)
            above.append(node)
            above += below[::-1]

    def list_subtree(self, node: ast.AST) -> Sequence[ast.AST]:
        """Return a node and all that are below it."""
        return self.nodes[self._places[node] : self._ends[node]]

    def count_subtree(self, node: ast.AST) -> int:
        """Return how many nodes ``list_subtree`` returns."""
        return self._ends[node] - self._places[node]

    def contains(self, node: ast.AST, inner: ast.AST) -> bool:
        """Return whether a node is another one or above it."""
        return self._places[node] <= self._places[inner] < self._ends[node]


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

"""Parse a source into a tree, once, however many look at it, and only within limits."""

from __future__ import annotations

import ast
import enum
import re
import threading
import warnings
from collections import OrderedDict
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


FEW = 8
"""Programs of which it is remembered what was read off them: a submission is asked about more than once."""
MOST_TOKENS = 60_000
"""Words and signs of a program that is parsed at all. The longest honest ones have a tenth of that."""
MOST_DEPTH = 200
"""Nodes within each other, in a tree that may be gone through by recursion. Honest programs have thirty."""
MOST_DEPTH_WITHOUT_RECURSION = 2_000
"""The same in any other tree. Beyond it, the parser itself may give up, at a depth that depends on its caller."""
MOST_KEPT = 60_000
"""Nodes of all trees that are remembered; characters of their sources count as a sixteenth of a node."""
TOKEN = re.compile(r"\w+|[(\[{'\"+\-~*/%&|^<>:.@]")
"""Matches every word, and every sign that may make a node: each makes two nodes at most."""


class NoSyntaxTreeReason(enum.Enum):
    """Why there is no tree of a source."""

    NOT_PYTHON = enum.auto()
    BEYOND_LIMITS = enum.auto()
    """It is too long or nested too deeply, and may still be Python."""


def _try_parse_shallow(source: str) -> SyntaxTree | None:
    """Return the tree of a source, for any use; None where it is no Python, or beyond a limit."""
    parsed = parse_bounded_source(source)
    return parsed if isinstance(parsed, SyntaxTree) and parsed.depth <= MOST_DEPTH else None


def try_parse_program(sources: Sequence[str]) -> list[SyntaxTree | None]:
    """Return what ``_try_parse_shallow`` returns for each source; no tree if they are too long together."""
    if not may_parse_together(sources):
        return [None] * len(sources)
    trees = []
    left = MOST_NODES
    for source in sources:
        tree = _try_parse_shallow(source)
        left -= len(tree.nodes) if tree else 0
        if left < 0:
            return [None] * len(sources)
        trees.append(tree)
    return trees


def may_parse_together(sources: Sequence[str]) -> bool:
    """Return whether sources are short enough together to be parsed."""
    if sum(map(len, sources)) <= MOST_TOKENS:  # each token has a character
        return True
    return sum(len(TOKEN.findall(source)) for source in sources) <= MOST_TOKENS


def parse_bounded_source(source: str) -> SyntaxTree | NoSyntaxTreeReason:
    """Return the tree of a source, or why there is none, such as more than ``MOST_NODES`` nodes.

    The tree may be nested deeper than calls may be: go through it by loops, not by recursion. ``ast.dump``,
    ``ast.unparse``, ``ast.NodeVisitor`` and ``deepcopy`` use recursion.
    """
    return _parsed.get_or_parse(source)


def parse_source_of_any_node_count(source: str) -> ast.Module | NoSyntaxTreeReason:
    """Return the tree of a source with any number of nodes, or why there is none; see ``parse_bounded_source``.

    It is for what cannot do without a tree: one beyond ``MOST_NODES`` takes a tenth of a gigabyte, and is not kept.
    """
    parsed = parse_bounded_source(source)
    if isinstance(parsed, SyntaxTree):
        return parsed.tree
    if parsed is NoSyntaxTreeReason.NOT_PYTHON or not may_parse_together([source]):
        return parsed
    tree = _parse_or_explain(source)
    if isinstance(tree, ast.Module) and _is_too_deep(tree):
        return NoSyntaxTreeReason.BEYOND_LIMITS
    return tree


class _ParsedSources:
    """Remembers the sources that were parsed last, as many as ``MOST_KEPT`` allows, but always the last one."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, SyntaxTree | NoSyntaxTreeReason] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()

    def get_or_parse(self, source: str) -> SyntaxTree | NoSyntaxTreeReason:
        with self._lock:
            if (known := self._kept.get(source)) is not None:
                self._kept.move_to_end(source)
                return known
        parsed = _parse(source)
        with self._lock:
            if source not in self._kept:
                self._kept[source] = parsed
                self._weight += _weigh(source, parsed)
            while self._weight > MOST_KEPT and len(self._kept) > 1:
                self._weight -= _weigh(*self._kept.popitem(last=False))
        return parsed


def _weigh(source: str, parsed: SyntaxTree | NoSyntaxTreeReason) -> int:
    return 1 + len(source) // 16 + (len(parsed.nodes) if isinstance(parsed, SyntaxTree) else 0)


def _parse(source: str) -> SyntaxTree | NoSyntaxTreeReason:
    if not may_parse_together([source]):
        return NoSyntaxTreeReason.BEYOND_LIMITS
    tree = _parse_or_explain(source)
    if isinstance(tree, NoSyntaxTreeReason):
        return tree
    try:
        parsed = SyntaxTree(tree)
    except OverflowError:
        return NoSyntaxTreeReason.BEYOND_LIMITS
    return parsed if parsed.depth <= MOST_DEPTH_WITHOUT_RECURSION else NoSyntaxTreeReason.BEYOND_LIMITS


def _parse_or_explain(source: str) -> ast.Module | NoSyntaxTreeReason:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (RecursionError, MemoryError, OverflowError):
        return NoSyntaxTreeReason.BEYOND_LIMITS
    except (SyntaxError, ValueError):
        return NoSyntaxTreeReason.NOT_PYTHON


def _is_too_deep(tree: ast.AST) -> bool:
    level, depth = [tree], 0
    while level and depth <= MOST_DEPTH_WITHOUT_RECURSION:
        level, depth = [below for node in level for below in ast.iter_child_nodes(node)], depth + 1
    return bool(level)


_parsed = _ParsedSources()

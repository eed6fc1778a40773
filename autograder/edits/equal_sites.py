"""Make one change at all places that are alike: who thinks ``=`` for ``+=`` once thinks it in each method."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from autograder.edits.blocks import Candidate, FunctionPlace
from autograder.edits.model import Scope
from autograder.edits.splicing import Source

MORE = 2
"""How much dearer a change at several places is than at one."""
DEAREST, MOST_GROUPS = 3, 300
"""Changes that cost more are not repeated; and so many are made at several places at most."""
REPEATABLE = ("assignment", "operator", "comparison", "sign", "name", "attribute", "call")


class EqualSites:
    """Gathers changes of single places, and makes one of those that are alike."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._groups: dict[tuple[str, ...], list[Candidate]] = {}

    def add(self, candidate: Candidate, node: ast.AST, scope: Scope, around: FunctionPlace | None) -> None:
        """Add the change of a node in a function."""
        splice, kind, cost = candidate
        if around is None or cost > DEAREST or kind not in REPEATABLE:
            return
        old = self._source.text[splice.start : splice.end]
        change = (kind, old, splice.text, _describe_place(node, scope))
        function = around.path.split(".")
        is_inner = around.outermost is not around.node
        for owner in {
            ".".join(function[: 1 + (is_inner or len(function) > 1)]),
            function[0],
            f"{function[0]}.*.{function[-1]}" if is_inner else function[0],  # such as each operation's ``_backward``
        }:
            self._groups.setdefault((*change, owner), []).append(candidate)

    def iterate_changes(self) -> Iterator[Candidate]:
        """Yield the change of all places of a function or class together, for each that has several."""
        several = [group for group in self._groups.values() if len(group) > 1]
        for group in sorted(several, key=lambda one: one[0].cost)[:MOST_GROUPS]:
            splices = sorted({one.splice for one in group})
            if len(splices) > 1 and all(one.end <= other.start for one, other in pairwise(splices)):
                yield Candidate(self._source.merge(splices), group[0].kind, group[0].cost + MORE)


def _describe_place(node: ast.AST, scope: Scope) -> str:
    """Return which attribute a change is about, such as ``grad``: elsewhere it is another change."""
    match node, scope.parent:
        case ast.AugAssign(target=target) | ast.Assign(targets=[target]), _:
            return target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)
        case ast.Name(), ast.Attribute(attr=attribute):
            return attribute
    return type(scope.parent).__name__

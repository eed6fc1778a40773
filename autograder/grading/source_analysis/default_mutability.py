"""Tell from a source which default values of parameters cannot change from call to call."""

from __future__ import annotations

import ast
from functools import cached_property

from autograder.grading.source_analysis.ast_names import pair_parameters_with_defaults
from autograder.grading.source_analysis.mutability_analysis import MutabilityAnalysis
from autograder.grading.source_analysis.step_limit import StepBudget
from autograder.syntax_tree import SyntaxTree

COPY = frozenset({"set", "tuple", "list", "frozenset", "dict", "len", "enumerate", "bool", "sorted", "reversed"})
"""Functions that do not change their argument, and keep nothing of it except its items."""


class DefaultMutability:
    """Tells which default values in one file or cell cannot change."""

    def __init__(self, syntax: SyntaxTree, mutability: MutabilityAnalysis, steps: StepBudget) -> None:
        self._syntax, self._mutability, self._steps = syntax, mutability, steps
        self._known: dict[ast.arguments, bool] = {}

    def are_unchangeable(self, arguments: ast.arguments) -> bool:
        """Return whether default values cannot change; a list may be one if the function only copies it.

        Raises:
            TooManySteps: see ``StepBudget``.
        """
        if arguments not in self._known:
            function = self._syntax.parents[arguments]
            self._known[arguments] = all(
                value is None or self._mutability.is_immutable(value) or self._is_only_copied(parameter.arg, function)
                for parameter, value in pair_parameters_with_defaults(arguments)
            )
        return self._known[arguments]

    def _is_only_copied(self, name: str, function: ast.AST) -> bool:
        named = self._nodes_by_name.get(name, [])
        self._steps.spend(len(named))
        uses = [node for node in named if self._syntax.contains(function, node)]
        return all(isinstance(use.ctx, ast.Load) and self._is_copied(use) for use in uses)

    @cached_property
    def _nodes_by_name(self) -> dict[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = {}
        for node in self._syntax.nodes:
            if isinstance(node, ast.Name):
                found.setdefault(node.id, []).append(node)
        return found

    def _is_copied(self, use: ast.AST) -> bool:
        match self._syntax.parents[use]:
            case ast.Call(func=ast.Name(id=name) as called):
                return name in COPY and use is not called
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
                return iterated is use
            case ast.If() | ast.UnaryOp() | ast.Starred():
                return True
        return False

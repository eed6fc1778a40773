"""Change the nodes of a program, one by one and alike ones together: what the operators of edits make of each."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product

from autograder.edits.donations import LEAST_DONATED
from autograder.edits.model import EditKind, Operator, Scope
from autograder.edits.mutants import EXPRESSION_OPERATORS, STATEMENT_OPERATORS, iterate_mutation_sites
from autograder.edits.names import NameCollector
from autograder.edits.repairs import CALL_REPAIRS, STATEMENT_REPAIRS, VALUE_REPAIRS
from autograder.edits.splicing import Candidate, Function, FunctionPlace, Source, Splice, splice_node
from autograder.syntax_trees import SHARED

MORE = 1
"""How much dearer a change at several places is than at one."""
DEAR, MOST_GROUPS = LEAST_DONATED, 300
"""Changes that cost as much are made only when cheaper ones did not help, and not repeated; how many others are."""
REPEATABLE = ("assignment", "operator", "comparison", "sign", "name", "attribute", "call")


class EqualSites:
    """Gathers changes of single places, and makes one of those that are alike."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._groups: dict[tuple[str, ...], list[Candidate]] = {}

    def add(self, candidate: Candidate, node: ast.AST, scope: Scope, around: FunctionPlace | None) -> None:
        """Add the change of a node in a function."""
        splice, kind, cost = candidate
        if around is None or cost >= DEAR or kind not in REPEATABLE:
            return
        old = self._source.text[splice.start : splice.end]
        change = (kind, old, splice.text)
        places = [_describe_place(node, scope), *[""] * (kind == "attribute")]  # a set's keys, wherever they are used
        function = around.path.split(".")
        is_inner = around.outermost is not around.node
        owners = [".".join(function[: 1 + (is_inner or len(function) > 1)]), function[0]]
        if is_inner:
            owners.append(f"{function[0]}.*.{function[-1]}")  # such as each operation's ``_backward``
        for place, owner in product(places, dict.fromkeys(owners)):
            self._groups.setdefault((*change, place, owner), []).append(candidate)

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


NEUTRAL = {ast.Mult: 1, ast.Div: 1, ast.FloorDiv: 1, ast.Pow: 1, ast.Add: 0, ast.Sub: 0}
"""What an operator may have on its right without doing anything."""
EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MEMBERSHIPS = (ast.In, ast.NotIn)
REVERSED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


def _is_idle(node: ast.AST, new: ast.AST, scope: Scope) -> bool:
    """Return whether a change only leaves something out, in a roundabout way: ``a - 1`` -> ``a * 1``, ``a in a``."""
    if isinstance(new, ast.Expr):
        return not isinstance(new.value, EFFECTS)
    if isinstance(scope.parent, ast.Expr):
        return not isinstance(new, EFFECTS)
    if isinstance(scope.parent, ast.Compare):
        others = [one for one in (scope.parent.left, *scope.parent.comparators) if one is not node]
        return any(ast.dump(one) == ast.dump(new) for one in others)
    if isinstance(scope.parent, ast.Attribute) and isinstance(new, ast.Name):
        return new.id in scope.names.functions  # nobody keeps anything on a function
    match new:
        case ast.AugAssign(op=operator, value=ast.Constant(value=int(value) | float(value))):
            return NEUTRAL.get(type(operator)) == value
        case ast.BinOp(op=operator, right=ast.Constant(value=int(value) | float(value))) if isinstance(
            node, ast.BinOp
        ):
            return NEUTRAL.get(type(operator)) == value
    return False


def _rate_strangeness(node: ast.AST, new: ast.AST, scope: Scope) -> int:
    """Return how much dearer a change is than others of its operator.

    A condition that is taken out, or asks for the opposite, often mends one thing by breaking another that no test
    sees; what a function returns is seldom one thing too many; and who asks for the kind of a thing means this thing.
    """
    match node, new:
        case ast.Compare(ops=[one]), ast.Compare(ops=[other]) if REVERSED.get(type(one)) is type(other):
            return 1
        case ast.Compare(ops=[one]), ast.Compare(ops=[other]) if isinstance(one, ORDERS) != isinstance(other, ORDERS):
            return 1
        case ast.Compare(ops=[ast.In() | ast.NotIn()]), ast.Compare(ops=[other]) if not isinstance(
            other, MEMBERSHIPS
        ):
            return 3
        case ast.If() | ast.IfExp() | ast.While(), (
            ast.If(test=ast.Constant()) | ast.IfExp(test=ast.Constant()) | ast.While(test=ast.Constant())
        ):
            return 1
        case ast.Return(value=ast.expr()), ast.Pass() | ast.Return(value=None):
            return 3
        case ast.stmt(), ast.Pass() if len(getattr(scope.parent, scope.field, ())) == 1:
            return 2  # it leaves a branch or a loop that does nothing
    match scope.parent:
        case ast.Call(func=ast.Name(id="isinstance" | "type")) if isinstance(node, ast.Name):
            return 3 * isinstance(new, ast.Name)
    return 0


DUNDER_COST, METHOD_COST = 2, 8
OPERATORS: tuple[Operator, ...] = tuple(
    sorted(
        (*EXPRESSION_OPERATORS, *STATEMENT_OPERATORS, *VALUE_REPAIRS, *STATEMENT_REPAIRS, *CALL_REPAIRS),
        key=lambda one: one.cost,
    )
)


class NodeEdits:
    """Makes what the operators make of every node, the cheap ones first.

    In idle functions only what may be part of a change at several places is thought of.
    """

    def __init__(self, source: Source, names: NameCollector, idle: Sequence[Function]) -> None:
        """Find the nodes that may change."""
        self._source, self._names = source, names
        nodes = list(ast.walk(source.tree))
        untouched = {id(inner) for node in nodes if isinstance(node, ast.JoinedStr) for inner in ast.walk(node)} | {
            id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        self._places = [
            (
                site.node,
                replace(site.scope, parent=site.parent, field=site.field, names=names.at(site.node, site.parent)),
            )
            for site in iterate_mutation_sites(source.tree)
            if id(site.node) not in untouched and not isinstance(site.node, SHARED)
        ]
        self._idle_nodes = {id(inner) for node in idle for one in node.body for inner in ast.walk(one)}

    def iterate_cheap(self) -> Iterator[Candidate]:
        """Yield the changes of operators that cost less than ``DEAR``, and in the end those of several places."""
        equal_sites = EqualSites(self._source)
        for operator in OPERATORS:
            if operator.cost < DEAR:
                for candidate, node, scope in self._apply(operator):
                    yield candidate
                    assert scope.parent is not None
                    equal_sites.add(candidate, node, scope, self._names.function_around(node, scope.parent))
        yield from equal_sites.iterate_changes()

    def iterate_dear(self) -> Iterator[Candidate]:
        """Yield the changes of the other operators."""
        for operator in OPERATORS:
            if operator.cost >= DEAR:
                yield from (candidate for candidate, _, _ in self._apply(operator))

    def _apply(self, operator: Operator) -> Iterator[tuple[Candidate, ast.AST, Scope]]:
        is_repeated = operator.kind in REPEATABLE and operator.cost < DEAR
        for node, scope in self._places:
            if not is_repeated and id(node) in self._idle_nodes:
                continue
            for new in operator.change(node, scope):
                assert scope.parent is not None
                if _is_idle(node, new, scope):
                    continue
                try:
                    splice = splice_node(self._source, scope.parent, scope.field, node, new)
                except (ValueError, RecursionError):  # the unparser knows its limits, such as some f-strings
                    continue
                if splice is not None:
                    yield _judge(splice, operator, node, new, scope), node, scope


def _judge(splice: Splice, operator: Operator, node: ast.AST, new: ast.AST, scope: Scope) -> Candidate:
    """Tell a method that is taken out from a statement, and a sign from ``not``; strange changes cost more."""
    if isinstance(new, ast.Pass) and isinstance(node, ast.FunctionDef) and isinstance(scope.parent, ast.ClassDef):
        dunder = node.name.startswith("__") and node.name != "__init__"
        return Candidate(splice, "remove method", DUNDER_COST if dunder else METHOD_COST)
    kind: EditKind = operator.kind
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        kind = "condition"
    return Candidate(splice, kind, operator.cost + _rate_strangeness(node, new, scope))

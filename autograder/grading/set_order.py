"""Decide from its text whether a submission's behavior may depend on the order of a set; in doubt, it may."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from autograder.bridge import SubmissionProgram
from autograder.syntax_trees import FEW, SyntaxTree, try_parse_program

MOST_STEPS = 1_000_000
"""Steps of one analysis of a program, about a second. Honest programs need some ten thousands."""


class TooManySteps(Exception):
    """An analysis would take too long; its caller gives the answer that is right in doubt."""


class StepBudget:
    """The steps that one analysis may take, and how many of them are left."""

    def __init__(self) -> None:
        self._left = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Take steps off the budget before they are done.

        Raises:
            TooManySteps: that is more than ``MOST_STEPS`` in all.
        """
        self._left -= steps
        if self._left < 0:
            raise TooManySteps


SETS = frozenset({"set", "frozenset"})
WITHOUT_ORDER = frozenset({"add", "discard", "remove", "clear", "update", "issubset", "issuperset", "isdisjoint"})
"""Methods of a set that neither reveal its order nor depend on it."""
GIVE_SETS = frozenset({"copy", "union", "difference", "intersection", "symmetric_difference"})
ASK_NO_ORDER = frozenset({"len", "bool", "isinstance", "type"})
"""Functions whose result does not depend on the order of a set that they are called with."""
ASK_WHAT_IT_HOLDS = (ast.In, ast.NotIn, ast.Eq, ast.NotEq, ast.Is, ast.IsNot)
BY_SIZE = frozenset({"sorted", "sort", "min", "max", "heappush", "heapify"})
SECRETIVE = frozenset({"exec", "eval", "WeakSet"})
"""Names that may hide a dependence on order: code that uses them may do anything."""


def may_depend_on_set_order(program: SubmissionProgram) -> bool:
    """Tell whether code iterates over a set, or sorts by ``id`` or ``hash``, as far as its text shows."""
    return _may_depend((*(source for _, source in program.units), *program.modules.values()))


@lru_cache(FEW)
def _may_depend(sources: Sequence[str]) -> bool:
    trees = [syntax for syntax in try_parse_program(sources) if syntax is not None]
    if len(trees) < len(sources):
        return True  # other cells may run although one cannot be parsed
    try:
        return _SetFlow(trees).depends_on_order()
    except TooManySteps:
        return True


class _SetFlow:
    """Follows sets from where they are made to where they are used, by the names that hold them."""

    def __init__(self, trees: Sequence[SyntaxTree]) -> None:
        self._nodes = [node for tree in trees for node in tree.nodes]
        self._parents = {node: parent for tree in trees for node, parent in tree.parents.items()}
        self._steps = StepBudget()
        self._holders: set[str] = set()
        self._new_holders: list[str] = []
        self._functions: dict[str, list[ast.arguments]] = {}
        self._reads: dict[str, list[ast.AST]] = {}
        for node in self._nodes:
            if isinstance(node, ast.FunctionDef):
                self._functions.setdefault(node.name, []).append(node.args)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                self._reads.setdefault(_name(node), []).append(node)

    def depends_on_order(self) -> bool:
        names = {*map(_name, self._nodes)}
        if names & SECRETIVE or (names & BY_SIZE and names & {"id", "hash"}):
            return True
        return any(map(self._is_iterated, self._iterate_sets()))

    def _iterate_sets(self) -> Iterator[ast.AST]:
        """Yield where a set is made, and then where a name stands that holds one, as ``_is_iterated`` finds them."""
        yield from filter(self._makes_set, self._nodes)
        while self._new_holders:  # a name that holds a set may pass it on to another name
            yield from self._reads.get(self._new_holders.pop(), ())

    def _add_holders(self, names: set[str]) -> None:
        self._new_holders += names - self._holders
        self._holders |= names

    def _makes_set(self, node: ast.AST) -> bool:
        match node:
            case ast.Set(elts=items):
                return not all(isinstance(item, ast.Constant) for item in items)
            case ast.SetComp():
                return True
            case ast.Call(func=function):
                return _name(function) in SETS
            case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
                return _name(node) in SETS and isinstance(self._parents[node], ast.keyword)  # made elsewhere
        return False

    def _is_iterated(self, node: ast.AST) -> bool:
        """Return whether the place where a set stands may depend on its order; note the names that hold the set."""
        self._steps.spend(1)
        parent = self._parents[node]
        above = self._parents.get(parent)
        match parent:
            case ast.Compare(ops=operators):
                self._steps.spend(len(operators))
                return not all(isinstance(one, ASK_WHAT_IT_HOLDS) for one in operators)
            case ast.Assign(targets=targets):
                return not self._add_set_names(targets)
            case ast.Tuple(elts=items) | ast.List(elts=items) if isinstance(above, ast.Assign):
                self._steps.spend(len(items) * len(above.targets))
                return not self._add_set_names(_find_unpacked_target(target, node, items) for target in above.targets)
            case ast.AnnAssign(target=target) if parent.value is node:
                return not self._add_set_names([target])
            case ast.NamedExpr(target=target):
                return not self._add_set_names([target]) or self._is_iterated(parent)
            case ast.AugAssign() | ast.Expr() | ast.If() | ast.While() | ast.UnaryOp(op=ast.Not()):
                return False
            case ast.BinOp() | ast.BoolOp() | ast.IfExp():
                return self._is_iterated(parent)
            case ast.arguments():
                self._steps.spend(len(parent.args) + len(parent.kwonlyargs))
                self._add_holders({_parameter_with(parent, node)})
                return False
            case ast.Attribute(attr=method) if isinstance(above, ast.Call):
                return method not in WITHOUT_ORDER and (method not in GIVE_SETS or self._is_iterated(above))
            case ast.Call():
                return self._may_callee_use_order(parent, node)
            case ast.keyword() if isinstance(above, ast.Call):
                return self._may_callee_use_order(above, parent)
        return True

    def _add_set_names(self, targets: Iterable[ast.AST | None]) -> bool:
        """Note that names hold a set; return False if one of the targets has no name."""
        names = {*map(_name, targets)}
        self._add_holders(names - {""})
        return "" not in names

    def _may_callee_use_order(self, call: ast.Call, node: ast.AST) -> bool:
        """Return whether a call may use the order of a set given to it; note the parameters of own functions."""
        name = _name(call.func)
        if name in SETS or name in ASK_NO_ORDER:
            return name in SETS and self._is_iterated(call)
        called = self._functions.get(name, [])
        self._steps.spend(
            len(called) * (1 + len(call.args)) + sum(len(one.posonlyargs) + len(one.args) for one in called)
        )
        parameters = {_find_parameter(call, node, arguments) for arguments in called}
        self._add_holders(parameters - {""})
        return not parameters or "" in parameters


def _name(node: ast.AST | None) -> str:
    """Return the name of a variable, attribute or function; empty for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _find_unpacked_target(target: ast.AST, node: ast.AST, items: list[ast.expr]) -> ast.AST | None:
    """Return what one item of ``a, b = [], set()`` is assigned to."""
    names = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    return next((name for name, item in zip(names, items, strict=False) if item is node), None)


def _find_parameter(call: ast.Call, given: ast.AST, arguments: ast.arguments) -> str:
    """Return the parameter that an argument of a call goes to; empty where that is not clear."""
    if isinstance(given, ast.keyword):
        return given.arg or ""
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    if isinstance(call.func, ast.Attribute) and names[:1] == ["self"]:
        names = names[1:]
    plain = not any(isinstance(one, ast.Starred) for one in call.args)
    return next((name for name, one in zip(names, call.args, strict=False) if one is given and plain), "")


def _parameter_with(arguments: ast.arguments, default: ast.AST) -> str:
    """Return the parameter whose default value this is."""
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = itertools.chain(
        zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
        zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    )
    return next(parameter.arg for parameter, value in pairs if value is default)

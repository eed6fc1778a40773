"""Make mutations within expressions: each operator takes a node, and yields nodes to replace it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from autograder.edits.model import (
    ARITHMETIC,
    Operator,
    Scope,
    changed,
    leave_one_out,
    name_node,
)

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
TWINS = {"data": "grad", "grad": "data"}
DECIMALS = 6


def _change_arithmetic(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another operator: ``a + b`` -> ``a - b``."""
    if isinstance(node, ast.BinOp):
        yield from (changed(node, op=operator()) for operator in ARITHMETIC.get(type(node.op), ()))


def _drop_sign(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Leave out a sign or ``not``."""
    if isinstance(node, ast.UnaryOp):
        yield node.operand


def _change_comparison(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another comparison: ``a > b`` -> ``a >= b``, ``a in b`` -> ``a not in b``; ``and`` <-> ``or``."""
    if isinstance(node, ast.BoolOp):
        yield changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (changed(node, ops=[operator()]) for operator in COMPARISONS[type(node.ops[0])])


def _change_constant(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another number, truth or text: 0 -> 1, 1 -> 0 and 2, n -> n + 1; empty a text, leave out a piece of it."""
    match node:
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
            if value == 1:
                yield ast.Constant(value - 1)
        case ast.Constant(value=str(value)):
            yield ast.Constant("" if value else "?")
        case ast.JoinedStr():
            yield ast.Constant("")
            yield from (changed(node, values=pieces) for pieces in leave_one_out(node.values))


def _swap_neighbours(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Swap two neighbours: operands, arguments, members of a tuple or list."""
    match node:
        case ast.BinOp(left=left, right=right):
            yield changed(node, left=right, right=left)
        case ast.Call(args=members):
            yield from (changed(node, args=new_members) for new_members in _iterate_neighbour_swaps(members))
        case ast.Tuple(elts=members, ctx=ast.Load()) | ast.List(elts=members, ctx=ast.Load()):
            yield from (changed(node, elts=new_members) for new_members in _iterate_neighbour_swaps(members))


def _shorten_sequence(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Leave out the members of a tuple or list, or one of them."""
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load) and node.elts:
        yield changed(node, elts=[])
        if len(node.elts) > 1:
            yield from (changed(node, elts=members) for members in leave_one_out(node.elts))


def _change_variable(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another local variable."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in scope.local_variables:
        yield from (name_node(name) for name in scope.local_variables if name != node.id)


def _swap_data_and_grad(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Swap attributes: ``a.data`` <-> ``a.grad``."""
    if isinstance(node, ast.Attribute) and node.attr in TWINS:
        yield changed(node, attr=TWINS[node.attr])


def _call_abs_or_round(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Wrap where ``data`` or ``grad`` is read: ``a.data`` -> ``abs(a.data)`` and ``round(a.data, 6)``."""
    if isinstance(node, ast.Attribute) and node.attr in TWINS and isinstance(node.ctx, ast.Load):
        yield ast.Call(name_node("abs"), [node], [])
        yield ast.Call(name_node("round"), [node, ast.Constant(DECIMALS)], [])


EXPRESSION_OPERATORS: tuple[Operator, ...] = (
    Operator(_change_arithmetic, "operator", 2),
    Operator(_drop_sign, "sign", 2),
    Operator(_change_comparison, "comparison", 2),
    Operator(_change_constant, "constant", 3),
    Operator(_swap_neighbours, "operands", 2),
    Operator(_shorten_sequence, "argument", 4),
    Operator(_change_variable, "name", 2),
    Operator(_swap_data_and_grad, "attribute", 2),
    Operator(_call_abs_or_round, "call", 6),
)
"""For mutants and repairs."""


def _iterate_neighbour_swaps(nodes: list[Any]) -> Iterator[list[Any]]:
    for index in range(len(nodes) - 1):
        yield [*nodes[:index], nodes[index + 1], nodes[index], *nodes[index + 2 :]]

"""Make mutations within expressions: each operator takes a node, and yields nodes to replace it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from autograder.author_checks.mutation.mutation_operator import (
    ARITHMETIC,
    EnclosingFunctions,
    Operator,
    copy_node_with_fields,
    leave_one_out,
    make_name_node,
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


def _iterate_arithmetic_or_sign_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Use another operator: ``a + b`` -> ``a - b``; leave out a sign."""
    if isinstance(node, ast.BinOp):
        yield from (copy_node_with_fields(node, op=operator()) for operator in ARITHMETIC.get(type(node.op), ()))
    if isinstance(node, ast.UnaryOp):
        yield node.operand


def _iterate_comparison_or_logic_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Use another comparison: ``a > b`` -> ``a >= b``, ``a in b`` -> ``a not in b``; ``and`` <-> ``or``."""
    if isinstance(node, ast.BoolOp):
        yield copy_node_with_fields(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (copy_node_with_fields(node, ops=[operator()]) for operator in COMPARISONS[type(node.ops[0])])


def _iterate_constant_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
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
            yield from (copy_node_with_fields(node, values=pieces) for pieces in leave_one_out(node.values))


def _iterate_mutations_by_swapping_neighbours(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Swap two neighbours: operands, arguments, members of a tuple or list."""
    match node:
        case ast.BinOp(left=left, right=right):
            yield copy_node_with_fields(node, left=right, right=left)
        case ast.Call(args=members):
            yield from (
                copy_node_with_fields(node, args=new_members) for new_members in _iterate_neighbour_swaps(members)
            )
        case ast.Tuple(elts=members, ctx=ast.Load()) | ast.List(elts=members, ctx=ast.Load()):
            yield from (
                copy_node_with_fields(node, elts=new_members) for new_members in _iterate_neighbour_swaps(members)
            )


def _iterate_mutations_by_shortening_sequence(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Leave out the members of a tuple or list, or one of them."""
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load) and node.elts:
        yield copy_node_with_fields(node, elts=[])
        if len(node.elts) > 1:
            yield from (copy_node_with_fields(node, elts=members) for members in leave_one_out(node.elts))


def _iterate_variable_name_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Use another local variable."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in scope.local_variables:
        yield from (make_name_node(name) for name in scope.local_variables if name != node.id)


def _iterate_data_or_grad_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Swap attributes: ``a.data`` <-> ``a.grad``."""
    if isinstance(node, ast.Attribute) and node.attr in TWINS:
        yield copy_node_with_fields(node, attr=TWINS[node.attr])


def _iterate_mutations_by_abs_or_round(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Wrap where ``data`` or ``grad`` is read: ``a.data`` -> ``abs(a.data)`` and ``round(a.data, 6)``."""
    if isinstance(node, ast.Attribute) and node.attr in TWINS and isinstance(node.ctx, ast.Load):
        yield ast.Call(make_name_node("abs"), [node], [])
        yield ast.Call(make_name_node("round"), [node, ast.Constant(DECIMALS)], [])


EXPRESSION_OPERATORS: tuple[Operator, ...] = (
    _iterate_arithmetic_or_sign_mutations,
    _iterate_comparison_or_logic_mutations,
    _iterate_constant_mutations,
    _iterate_mutations_by_swapping_neighbours,
    _iterate_mutations_by_shortening_sequence,
    _iterate_variable_name_mutations,
    _iterate_data_or_grad_mutations,
    _iterate_mutations_by_abs_or_round,
)


def _iterate_neighbour_swaps(nodes: list[Any]) -> Iterator[list[Any]]:
    for index in range(len(nodes) - 1):
        yield [*nodes[:index], nodes[index + 1], nodes[index], *nodes[index + 2 :]]

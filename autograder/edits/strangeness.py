"""Tell changes that a student would not make: those without effect, and those that only happen to help."""

from __future__ import annotations

import ast

from autograder.edits.model import Scope

NEUTRAL = {ast.Mult: 1, ast.Div: 1, ast.FloorDiv: 1, ast.Pow: 1, ast.Add: 0, ast.Sub: 0}
"""What an operator may have on its right without doing anything."""
EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
REVERSED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


def is_idle(node: ast.AST, new: ast.AST, scope: Scope) -> bool:
    """Return whether a change only leaves something out, in a roundabout way: ``a - 1`` -> ``a * 1``."""
    if isinstance(new, ast.Expr):
        return not isinstance(new.value, EFFECTS)
    if isinstance(scope.parent, ast.Expr):
        return not isinstance(new, EFFECTS)
    match new:
        case ast.BinOp(op=operator, right=ast.Constant(value=int(value) | float(value))) if isinstance(
            node, ast.BinOp
        ):
            return NEUTRAL.get(type(operator)) == value
    return False


def rate_strangeness(node: ast.AST, new: ast.AST, scope: Scope) -> int:
    """Return how much dearer a change is than others of its operator.

    A condition that is taken out, or asks for the opposite, often mends one thing by breaking another that no test
    sees; what a function returns is seldom one thing too many; and who asks for the kind of a thing means this thing.
    """
    match node, new:
        case ast.Compare(ops=[one]), ast.Compare(ops=[other]) if REVERSED.get(type(one)) is type(other):
            return 1
        case ast.Compare(ops=[one]), ast.Compare(ops=[other]) if isinstance(one, ORDERS) != isinstance(other, ORDERS):
            return 1
        case ast.If() | ast.IfExp() | ast.While(), (
            ast.If(test=ast.Constant()) | ast.IfExp(test=ast.Constant()) | ast.While(test=ast.Constant())
        ):
            return 1
        case ast.Return(value=ast.expr()), ast.Pass() | ast.Return(value=None):
            return 3
    match scope.parent:
        case ast.Call(func=ast.Name(id="isinstance" | "type")) if isinstance(node, ast.Name):
            return 3 * isinstance(new, ast.Name)
    return 0

"""Make mutations of statements: each operator takes a node, and yields nodes to replace it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.edits.model import (
    ARITHMETIC,
    Operator,
    Scope,
    changed,
    leave_one_out,
    name_node,
)

WALKS = ("iter", "reversed")
"""Builtins with an argument that is iterated over."""


def _change_assignment(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Change an assignment: ``a += b`` -> ``a = b`` and ``a -= b``; ``a.b = c`` -> ``a.b += c``."""
    match node:
        case ast.Assign(targets=[ast.Attribute() as attribute]):
            yield ast.AugAssign(attribute, ast.Add(), node.value)
        case ast.AugAssign(target=target):
            yield ast.Assign([target], node.value, lineno=node.lineno)
            yield from (changed(node, op=operator()) for operator in ARITHMETIC.get(type(node.op), ())[:1])


def _pass_instead(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Yield ``pass`` in the place of a statement."""
    match node:
        case ast.Pass() | ast.ClassDef() | ast.Expr(value=ast.Constant()):
            return
        case ast.stmt():
            yield ast.Pass()


def _change_returned_value(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Change what is returned: ``return a`` -> ``return`` and ``return b``."""
    if isinstance(node, ast.Return) and node.value is not None:
        yield ast.Return()
        if not isinstance(node.value, ast.Name):
            yield from (ast.Return(name_node(name)) for name in scope.local_variables)


def _change_condition(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Negate a condition, make it always true, make it never true."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        if not isinstance(node.test, ast.UnaryOp | ast.Compare):  # expression operators negate those
            yield changed(node, test=ast.UnaryOp(ast.Not(), node.test))
        yield from (changed(node, test=ast.Constant(value)) for value in (True, False))


def _change_iteration(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Iterate in reverse, over only the first item, over all but the first; leave out ``reversed`` or ``iter``."""
    match node:
        case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
            yield from (changed(node, iter=iteration) for iteration in _iterate_other_iterations(iterable))
        case ast.Call(func=ast.Name(id=function), args=[iterable]) if function in WALKS:
            yield from (changed(node, args=[iteration]) for iteration in _iterate_other_iterations(iterable))
            yield iterable


def _change_loop(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Leave a loop's body at its beginning; run it once at most; ``break`` <-> ``continue``."""
    if isinstance(node, ast.For | ast.While):
        yield from (changed(node, body=[early(), *node.body]) for early in (ast.Break, ast.Continue))
    if isinstance(node, ast.While):
        yield ast.If(node.test, node.body, node.orelse)
    if isinstance(node, ast.Break | ast.Continue):
        yield ast.Continue() if isinstance(node, ast.Break) else ast.Break()


def _default_none(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Make a default argument ``None``."""
    if isinstance(node, ast.arguments):
        for index, _ in enumerate(node.defaults):
            yield changed(node, defaults=[*node.defaults[:index], ast.Constant(None), *node.defaults[index + 1 :]])


def _change_call_parentheses(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Call a function where it should be assigned; leave out the call where it should be called."""
    match node:
        case ast.Assign(value=ast.Name(id=function) as kept) if function in scope.functions:
            yield changed(node, value=ast.Call(kept, [], []))
        case ast.Expr(value=ast.Call(func=function, args=[])):
            yield changed(node, value=function)


def _remove_decorator(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Leave out one of a definition's decorators."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield from (changed(node, decorator_list=decorators) for decorators in leave_one_out(node.decorator_list))


STATEMENT_OPERATORS: tuple[Operator, ...] = (
    Operator(_change_assignment, "assignment", 1),
    Operator(_pass_instead, "remove statement", 3),
    Operator(_change_returned_value, "name", 3),
    Operator(_change_condition, "condition", 3),
    Operator(_change_iteration, "call", 5),
    Operator(_change_loop, "add statement", 6),
    Operator(_default_none, "default", 3),
    Operator(_change_call_parentheses, "call", 1),
    Operator(_remove_decorator, "remove statement", 3),
)
"""For mutants and repairs."""


def _iterate_other_iterations(iterable: ast.expr) -> Iterator[ast.expr]:
    list_call = ast.Call(name_node("list"), [iterable], [])
    for start, stop, step in ((None, None, -1), (None, 1, None), (1, None, None)):
        bounds = [ast.Constant(bound) if bound is not None else None for bound in (start, stop, step)]
        yield ast.Subscript(list_call, ast.Slice(*bounds), ast.Load())

"""Make mutations of statements: each operator takes a node, and yields nodes to replace it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.author_checks.mutation.mutation_operator import (
    ARITHMETIC,
    EnclosingFunctions,
    Operator,
    copy_node_with_fields,
    leave_one_out,
    make_name_node,
)

WALKS = ("iter", "reversed")
"""Builtins with an argument that is iterated over."""


def _iterate_assignment_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Change an assignment: ``a += b`` -> ``a = b`` and ``a -= b``; ``a.b = c`` -> ``a.b += c``."""
    match node:
        case ast.Assign(targets=[ast.Attribute() as attribute]):
            yield ast.AugAssign(attribute, ast.Add(), node.value)
        case ast.AugAssign(target=target):
            yield ast.Assign([target], node.value, lineno=node.lineno)
            yield from (
                copy_node_with_fields(node, op=operator()) for operator in ARITHMETIC.get(type(node.op), ())[:1]
            )


def _iterate_pass_in_place_of_statement(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Yield ``pass`` in the place of a statement."""
    match node:
        case ast.Pass() | ast.ClassDef() | ast.Expr(value=ast.Constant()):
            return
        case ast.stmt():
            yield ast.Pass()


def _iterate_returned_value_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Change what is returned: ``return a`` -> ``return`` and ``return b``."""
    if isinstance(node, ast.Return) and node.value is not None:
        yield ast.Return()
        if not isinstance(node.value, ast.Name):
            yield from (ast.Return(make_name_node(name)) for name in scope.local_variables)


def _iterate_condition_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Negate a condition, make it always true, make it never true."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        if not isinstance(node.test, ast.UnaryOp | ast.Compare):  # expression operators negate those
            yield copy_node_with_fields(node, test=ast.UnaryOp(ast.Not(), node.test))
        yield from (copy_node_with_fields(node, test=ast.Constant(value)) for value in (True, False))


def _iterate_iteration_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Iterate in reverse, over only the first item, over all but the first; leave out ``reversed`` or ``iter``."""
    match node:
        case ast.For(iter=iterable) | ast.comprehension(iter=iterable):
            yield from (
                copy_node_with_fields(node, iter=iteration) for iteration in _iterate_other_iterations(iterable)
            )
        case ast.Call(func=ast.Name(id=function), args=[iterable]) if function in WALKS:
            yield from (
                copy_node_with_fields(node, args=[iteration]) for iteration in _iterate_other_iterations(iterable)
            )
            yield iterable


def _iterate_loop_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Leave a loop's body at its beginning; run it once at most; ``break`` <-> ``continue``."""
    if isinstance(node, ast.For | ast.While):
        yield from (copy_node_with_fields(node, body=[early(), *node.body]) for early in (ast.Break, ast.Continue))
    if isinstance(node, ast.While):
        yield ast.If(node.test, node.body, node.orelse)
    if isinstance(node, ast.Break | ast.Continue):
        yield ast.Continue() if isinstance(node, ast.Break) else ast.Break()


def _iterate_default_argument_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Make a default argument ``None``."""
    if isinstance(node, ast.arguments):
        for index, _ in enumerate(node.defaults):
            yield copy_node_with_fields(
                node, defaults=[*node.defaults[:index], ast.Constant(None), *node.defaults[index + 1 :]]
            )


def _iterate_call_parentheses_mutations(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Call a function where it should be assigned; leave out the call where it should be called."""
    match node:
        case ast.Assign(value=ast.Name(id=function) as kept) if function in scope.functions:
            yield copy_node_with_fields(node, value=ast.Call(kept, [], []))
        case ast.Expr(value=ast.Call(func=function, args=[])):
            yield copy_node_with_fields(node, value=function)


def _iterate_mutations_by_removing_decorator(node: ast.AST, scope: EnclosingFunctions) -> Iterator[ast.AST]:
    """Leave out one of a definition's decorators."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield from (
            copy_node_with_fields(node, decorator_list=decorators)
            for decorators in leave_one_out(node.decorator_list)
        )


STATEMENT_OPERATORS: tuple[Operator, ...] = (
    _iterate_assignment_mutations,
    _iterate_pass_in_place_of_statement,
    _iterate_returned_value_mutations,
    _iterate_condition_mutations,
    _iterate_iteration_mutations,
    _iterate_loop_mutations,
    _iterate_default_argument_mutations,
    _iterate_call_parentheses_mutations,
    _iterate_mutations_by_removing_decorator,
)


def _iterate_other_iterations(iterable: ast.expr) -> Iterator[ast.expr]:
    list_call = ast.Call(make_name_node("list"), [iterable], [])
    for start, stop, step in ((None, None, -1), (None, 1, None), (1, None, None)):
        bounds = [ast.Constant(bound) if bound is not None else None for bound in (start, stop, step)]
        yield ast.Subscript(list_call, ast.Slice(*bounds), ast.Load())

"""Make changes within expressions that repairs need and mutants do not: more mutants need more reasons."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice

from autograder.edits.model import Operator, Scope, changed, leave_one_out, name_node

OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod)
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn)
WHERE_VALUES_ARE = (
    "value",
    "args",
    "iter",
    "left",
    "right",
    "comparators",
    "elts",
    "elt",
    "body",
    "orelse",
    "values",
)
METHODS = ("append", "add", "extend", "update", "pop", "remove", "discard", "get", "copy", "items", "insert")
BUILTINS = frozenset(dir(builtins))
NUMBERS = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript, ast.IfExp, ast.UnaryOp)
FEW = 6
"""How many expressions that stand nearby are put in many places."""


def is_value(node: ast.AST, scope: Scope) -> bool:
    """Return whether a node is an expression that is read, other than a function that is called."""
    return (
        isinstance(node, ast.expr)
        and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and not isinstance(node, ast.Starred | ast.Slice | ast.Lambda)
        and scope.field in WHERE_VALUES_ARE
        and not (scope.field == "value" and isinstance(scope.parent, ast.Attribute | ast.Subscript | ast.Expr))
    )


def _is_number(node: ast.AST, scope: Scope) -> bool:
    """Return whether a node may be a number, and may have a sign or a factor."""
    return (
        is_value(node, scope)
        and isinstance(
            node, ast.Name | ast.Attribute | ast.Call | ast.BinOp | ast.Subscript | ast.IfExp | ast.UnaryOp
        )
        and scope.field not in ("iter", "comparators", "elts")
    )


def _is_root(scope: Scope) -> bool:
    return not isinstance(scope.parent, ast.BinOp | ast.UnaryOp | ast.Compare)


def _other_operator(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use any other operator: ``a - b`` -> ``a ** b``."""
    if isinstance(node, ast.BinOp):
        yield from (changed(node, op=other()) for other in OPERATORS if not isinstance(node.op, other))


def _other_comparison(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use any other comparison: ``a == b`` -> ``a is b``."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from (changed(node, ops=[other()]) for other in COMPARISONS if not isinstance(node.ops[0], other))


def _other_constant(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another number or text of the file, or ``None``; change the sign."""
    match node:
        case ast.Constant(value=None):
            yield from (ast.Constant(value) for value in (0.0, 0, 1.0, False))
        case ast.Constant(value=str(value)):
            yield from (ast.Constant(other) for other in scope.names.constants if isinstance(other, str))
        case ast.Constant(value=int(value) | float(value)) if not isinstance(value, bool):
            numbers = [other for other in scope.names.constants if not isinstance(other, str)]
            others = dict.fromkeys([value - 1, 0, 1, 2, 0.0, 1.0, *numbers[:FEW]])
            yield from (ast.Constant(other) for other in others if repr(other) != repr(value) and other >= 0)
            yield ast.UnaryOp(ast.USub(), node)
            yield ast.Constant(None)


def _add_sign(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Give a number a sign: ``a`` -> ``-a``."""
    if isinstance(node, ast.expr) and _is_number(node, scope) and not isinstance(node, ast.UnaryOp):
        yield ast.UnaryOp(ast.USub(), node)


def _add_not(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Negate a part of a condition, or what is returned."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Call) and (
        scope.field in ("values", "ifs") or isinstance(scope.parent, ast.Return)
    ):
        yield ast.UnaryOp(ast.Not(), node)


def _drop_operand(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Leave out an operand: ``a * b`` -> ``a``; a branch: ``a if b else c`` -> ``a``; an index."""
    match node:
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            yield from (left, right)
        case ast.BoolOp(values=values):
            for rest in leave_one_out(values):
                yield rest[0] if len(rest) == 1 else changed(node, values=rest)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() if node.generators[0].ifs:
            yield changed(node, generators=[changed(node.generators[0], ifs=[]), *node.generators[1:]])
        case ast.Subscript(value=value, ctx=ast.Load()):
            yield value


def _regroup(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Move parentheses: ``(a + b) * c`` <-> ``a + b * c``, ``a + b * c`` <-> ``a + (b * c)``, ``-a ** b``."""
    match node:
        case ast.BinOp(left=ast.BinOp(left=a, op=first, right=b), op=second, right=c):
            yield ast.BinOp(a, first, ast.BinOp(b, second, c))
        case ast.BinOp(left=a, op=first, right=ast.BinOp(left=b, op=second, right=c)):
            yield ast.BinOp(ast.BinOp(a, first, b), second, c)
        case ast.BinOp(left=ast.UnaryOp(op=sign, operand=a), op=operator, right=b):
            yield ast.UnaryOp(sign, ast.BinOp(a, operator, b))
        case ast.UnaryOp(op=ast.USub() as sign, operand=ast.BinOp(left=a, op=operator, right=b)):
            yield ast.BinOp(ast.UnaryOp(sign, a), operator, b)
    match node:
        case ast.BinOp(left=ast.IfExp(test=test, body=a, orelse=b), op=operator, right=c):
            yield ast.IfExp(test, a, ast.BinOp(b, operator, c))
        case ast.IfExp(test=test, body=a, orelse=ast.BinOp(left=b, op=operator, right=c)):
            yield ast.BinOp(ast.IfExp(test, a, b), operator, c)
        case ast.IfExp(test=test, body=a, orelse=b):
            yield ast.IfExp(test, b, a)


def _change_power(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Square a factor or term."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Call) and isinstance(scope.parent, ast.BinOp):
        yield ast.BinOp(node, ast.Pow(), ast.Constant(2))


def _add_factor(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Multiply a value by something that stands nearby: ``a`` -> ``a * b``."""
    if isinstance(node, ast.expr) and _is_number(node, scope) and _is_root(scope):
        near = _attributes_first(scope)[: 2 * FEW]
        yield from (ast.BinOp(node, ast.Mult(), other) for other in near)


def _attributes_first(scope: Scope) -> list[ast.expr]:
    attributes = [one for one in scope.names.expressions if isinstance(one, ast.Attribute)]
    return [*attributes, *(one for one in scope.names.expressions if isinstance(one, ast.Name))]


def _add_term(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Add, subtract or divide by something that stands nearby: ``a`` -> ``a + b``."""
    if isinstance(node, ast.expr) and _is_number(node, scope) and _is_root(scope):
        near = _attributes_first(scope)[:FEW]
        operators = (ast.Add, ast.Sub, ast.Div) if scope.field == "value" else (ast.Add,)
        yield from (ast.BinOp(node, operator(), other) for operator in operators for other in near)


def _add_factor_within(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Multiply an operand: ``a + b`` -> ``a + b * c``."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Call) and isinstance(scope.parent, ast.BinOp):
        yield from (ast.BinOp(node, ast.Mult(), other) for other in _attributes_first(scope)[:FEW])


def _add_one(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Be off by one: ``n`` -> ``n + 1`` and ``n - 1``."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.BinOp) and (
        scope.field in ("slice", "lower", "upper", "comparators", "left", "right")
        or (isinstance(scope.parent, ast.Call) and isinstance(scope.parent.func, ast.Name) and scope.field == "args")
        or isinstance(scope.parent, ast.Return)
    ):
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
        yield ast.BinOp(node, ast.Sub(), ast.Constant(1))


def _other_name(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another name in scope, also of the module, also where something is assigned."""
    if isinstance(node, ast.Name) and scope.field != "decorator_list":
        yield from (changed(node, id=name) for name in scope.names.known if name != node.id)


def _spell_name(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use a name or attribute that is spelled like one that nothing defines; read it off ``self``."""
    match node:
        case ast.Name(id=name) if name in scope.names.undefined:
            known = [*scope.names.known, *BUILTINS]
            yield from (changed(node, id=match) for match in get_close_matches(name, known, 3, 0.7))
            if name in scope.names.attributes or name in scope.names.methods:
                yield ast.Attribute(name_node("self"), name, node.ctx)
        case ast.Attribute(attr=name) if name in scope.names.misspelled:
            known = [one for one in (*scope.names.attributes, *scope.names.methods, *METHODS) if one != name]
            yield from (changed(node, attr=match) for match in get_close_matches(name, known, 3, 0.6))


def _other_attribute(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another attribute of the file; another method where it is called."""
    if isinstance(node, ast.Attribute):
        others = scope.names.attributes
        if scope.field == "func":
            others = tuple(dict.fromkeys((*scope.names.methods, *(METHODS if node.attr in METHODS else ()))))
        yield from (changed(node, attr=attribute) for attribute in others if attribute != node.attr)


def _drop_attribute(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Leave an attribute out: ``a.data`` -> ``a``, ``self.a`` -> ``a``."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield node.value
    if isinstance(node, ast.Attribute) and node.attr in scope.names.known:
        yield ast.Name(node.attr, node.ctx)


def _return_attribute(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Return an attribute of a thing: ``return a`` -> ``return a.data``."""
    if isinstance(node, ast.Name) and isinstance(scope.parent, ast.Return):
        yield from (ast.Attribute(node, attribute, ast.Load()) for attribute in scope.names.attributes[:FEW])


def _add_attribute(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Read an attribute: ``a`` -> ``a.data``, ``a`` -> ``self.a``."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and scope.field != "func":
        names = scope.names.attributes[:FEW] if node.id in scope.local_variables else ()
        within = isinstance(scope.parent, ast.Attribute)
        yield from (ast.Attribute(node, attribute, node.ctx) for attribute in names if not within)
    if isinstance(node, ast.Name) and node.id in (*scope.names.attributes, *scope.names.methods):
        yield ast.Attribute(name_node("self"), node.id, node.ctx)


def _expression_nearby(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use one of the expressions that stand nearby most often: ``t`` -> ``out.data``."""
    yield from islice(_other_expressions(node, scope), FEW)


def _expression_farther(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use any other of the short expressions of the function."""
    yield from islice(_other_expressions(node, scope), FEW, None)


def _other_expressions(node: ast.AST, scope: Scope) -> Iterator[ast.expr]:
    if isinstance(node, ast.Name | ast.Attribute | ast.Constant | ast.Call | ast.BinOp | ast.Subscript) and (
        is_value(node, scope) or scope.field in ("test", "operand", "upper", "lower", "slice")
    ):
        # a name for a name is another operator's
        yield from (
            one for one in scope.names.expressions if not (isinstance(one, ast.Name) and isinstance(node, ast.Name))
        )
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield from (
            changed(one, ctx=ast.Store()) for one in scope.names.expressions if isinstance(one, ast.Attribute)
        )


VALUE_REPAIRS: tuple[Operator, ...] = (
    Operator(_other_operator, "operator", 3),
    Operator(_other_comparison, "comparison", 3),
    Operator(_other_constant, "constant", 3),
    Operator(_add_sign, "sign", 4),
    Operator(_add_not, "condition", 4),
    Operator(_drop_operand, "operands", 3),
    Operator(_regroup, "operands", 3),
    Operator(_change_power, "term", 4),
    Operator(_add_factor, "term", 4),
    Operator(_add_term, "term", 6),
    Operator(_add_factor_within, "term", 6),
    Operator(_add_one, "term", 4),
    Operator(_spell_name, "name", 0),
    Operator(_other_name, "name", 5),
    Operator(_other_attribute, "attribute", 4),
    Operator(_drop_attribute, "attribute", 3),
    Operator(_return_attribute, "attribute", 3),
    Operator(_add_attribute, "attribute", 4),
    Operator(_expression_nearby, "name", 4),
    Operator(_expression_farther, "name", 6),
)
"""For repairs alone."""

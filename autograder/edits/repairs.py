"""Make changes that repairs need and mutants do not: in expressions, calls, assignments and shared attributes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice
from typing import Any

from autograder.edits.model import Operator, Scope, call_node, changed, leave_one_out, name_node, replace_each
from autograder.edits.names import bound_names

OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod)
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn)
WHERE_VALUES_ARE = (
    "value", "args", "iter", "left", "right", "comparators", "elts", "elt", "body", "orelse", "values"
)  # fmt: skip
METHODS = ("append", "add", "extend", "update", "pop", "remove", "discard", "get", "copy", "items", "insert")
BUILTINS = frozenset(dir(builtins))
NUMBERS = (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript, ast.IfExp, ast.UnaryOp)
FEW = 6
"""How many expressions that stand nearby are put in many places."""


def _is_value(node: ast.AST, scope: Scope) -> bool:
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
    return _is_value(node, scope) and isinstance(node, NUMBERS) and scope.field not in ("iter", "comparators", "elts")


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


def _change_members_of_sum(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Change each member before they are added up: ``sum(a) ** 2`` -> ``sum([x ** 2 for x in a])``."""
    match node:
        case ast.BinOp(left=ast.Call(func=ast.Name(id="sum"), args=[members]) as call, op=ast.Pow()):
            each = changed(node, left=name_node("x"))
            loop = ast.comprehension(ast.Name("x", ast.Store()), members, [], 0)
            yield changed(call, args=[ast.ListComp(each, [loop])])


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
        _is_value(node, scope) or scope.field in ("test", "operand", "upper", "lower", "slice")
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
    Operator(_drop_operand, "operands", 2),
    Operator(_regroup, "operands", 3),
    Operator(_change_power, "term", 4),
    Operator(_change_members_of_sum, "operands", 3),
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


WRAPPERS = ("list", "set", "tuple", "reversed", "iter", "id", "len", "enumerate", "sorted", "abs", "float")
SUBSCRIPTS = [ast.parse(f"a[{index}]", mode="eval").body for index in ("::-1", "0", "-1", "1:", ":-1", ":")]


def _change_arguments(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Leave out an argument or keyword; add one that stands nearby; one argument alone in place of the call."""
    if not isinstance(node, ast.Call):
        return
    yield from (changed(node, args=rest) for rest in leave_one_out(node.args))
    yield from (changed(node, keywords=rest) for rest in leave_one_out(node.keywords))
    if not (isinstance(node.func, ast.Name) and node.func.id in BUILTINS):
        for other in scope.names.expressions[:FEW]:
            yield changed(node, args=[*node.args, other])
            yield changed(node, args=[other, *node.args])
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[end]):
            yield changed(node, args=[ast.Constant(1), end])


def _other_kind(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Ask for both kinds of numbers: ``isinstance(a, int)`` -> ``isinstance(a, (int, float))``; likewise ``type``."""
    numbers = ast.Tuple([name_node("int"), name_node("float")], ast.Load())
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[one, kind]):
            yield changed(node, args=[one, numbers])
            if ast.unparse(kind) not in ("int", "float"):
                yield changed(node, args=[one, ast.Tuple([kind, *numbers.elts], ast.Load())])
            yield from (changed(node, args=[one, name]) for name in numbers.elts)
        case ast.Compare(left=ast.Call(func=ast.Name(id="type"), args=[one]), ops=[ast.Eq() | ast.Is() | ast.In()]):
            yield changed(node, ops=[ast.In()], comparators=[numbers])
            yield call_node("isinstance", one, numbers)
            yield call_node("isinstance", one, node.comparators[0])


def _compare_by_identity(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Let objects of a dataclass be told apart, and hashed: ``@dataclass`` -> ``@dataclass(eq=False)``."""
    identity = ast.keyword("eq", ast.Constant(False))
    match node:
        case ast.Name(id="dataclass") | ast.Attribute(attr="dataclass") if scope.field == "decorator_list":
            yield ast.Call(node, [], [identity])
        case ast.Call(func=ast.Name(id="dataclass") | ast.Attribute(attr="dataclass"), keywords=keywords):
            yield changed(node, keywords=[*(one for one in keywords if one.arg != "eq"), identity])


def _drop_call(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Leave out a call: ``f(a)`` -> ``a``, ``f()`` -> ``f``, ``a.copy()`` -> ``a``."""
    if isinstance(node, ast.Call):
        yield from (one for one in node.args if not isinstance(one, ast.Starred))
        if not node.args and not node.keywords:
            yield node.func
        if isinstance(node.func, ast.Attribute) and not isinstance(scope.parent, ast.Expr):
            yield node.func.value


def _call(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Call what is a function: ``f`` -> ``f()``."""
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and scope.field != "func":
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in scope.functions or name in scope.names.methods:
            yield ast.Call(node, [], [])


def _wrap_iterable(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Put a call around what is gone through: ``for a in b`` -> ``for a in reversed(b)``."""
    if isinstance(node, ast.expr) and scope.field == "iter":
        yield from (call_node(wrapper, node) for wrapper in WRAPPERS)


def _wrap(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Put a call around a value: ``a`` -> ``list(a)``."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) and _is_value(node, scope):
        wrappers: tuple[str, ...] = WRAPPERS
        if isinstance(scope.parent, ast.BinOp | ast.AugAssign):
            wrappers = ("abs", "float", "len")
        elif scope.field in ("left", "comparators", "elts"):
            wrappers = ("id", "len", "abs", "list", "tuple", "set")
        yield from (call_node(wrapper, node) for wrapper in wrappers)


def _insert(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Put a member at the beginning, which is slow: ``a.append(b)`` -> ``a.insert(0, b)``."""
    match node:
        case ast.Call(func=ast.Attribute(attr="append") as function, args=[member]):
            yield ast.Call(changed(function, attr="insert"), [ast.Constant(0), member], [])


def _append(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Put a member at the end: ``a.insert(0, b)`` -> ``a.append(b)``."""
    match node:
        case ast.Call(func=ast.Attribute(attr="insert") as function, args=[_, member]):
            yield ast.Call(changed(function, attr="append"), [member], [])


def _change_subscript(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Add an index or slice, or move its bounds."""
    match node:
        case ast.Slice(lower=lower, upper=upper, step=step):
            for one in (ast.Constant(1), None):
                yield ast.Slice(one, upper, step)
            for bound in (ast.UnaryOp(ast.USub(), ast.Constant(1)), None):
                yield ast.Slice(lower, bound, step)
            yield ast.Slice(lower, upper, ast.UnaryOp(ast.USub(), ast.Constant(1)) if step is None else None)
    readable = isinstance(node, ast.Name | ast.Attribute | ast.Call) and _is_value(node, scope)
    if readable and scope.field in ("args", "iter", "value") and not isinstance(scope.parent, ast.AugAssign):
        yield from (changed(pattern, value=node) for pattern in SUBSCRIPTS)


def _change_display(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another empty collection, or one thing in place of a collection with it alone."""
    empty = {"[]": ast.List([], ast.Load()), "{}": ast.Dict([], []), "()": ast.Tuple([], ast.Load())}
    match node:
        case ast.List(elts=[], ctx=ast.Load()) | ast.Dict(keys=[]) | ast.Tuple(elts=[], ctx=ast.Load()):
            yield call_node("set")
            yield from (other for other in empty.values() if type(other) is not type(node))
        case ast.Call(func=ast.Name(id="set" | "list" | "dict" | "tuple"), args=[]):
            yield call_node("set")
            yield from empty.values()
        case ast.List(elts=[member], ctx=ast.Load()) | ast.Tuple(elts=[member], ctx=ast.Load()):
            yield member
        case ast.Set(elts=members):
            yield ast.List(members, ast.Load())


def _make_one_by_one(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Make each member by itself: ``[f()] * n`` -> ``[f() for _ in range(n)]``."""
    match node:
        case ast.BinOp(left=ast.List(elts=[member]), op=ast.Mult(), right=count):
            loop = ast.comprehension(ast.Name("_", ast.Store()), call_node("range", count), [], 0)
            yield ast.ListComp(member, [loop])


def _change_members(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Add a member to a tuple or list, or unpack one: ``(a,)`` -> ``(a, b)`` and ``(*a,)``."""
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load) and len(node.elts) < FEW:
        near = [one for one in scope.names.expressions if isinstance(one, ast.Name)][:FEW]
        yield from (changed(node, elts=[*node.elts, other]) for other in near)
        yield from (changed(node, elts=others) for others in replace_each(node.elts, _starred_or_not))


def _starred_or_not(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Starred):
        yield node.value
    else:
        yield ast.Starred(node, ast.Load())


def _make_tuple(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Put a value in a tuple or list of its own: ``self`` -> ``(self,)``."""
    if isinstance(node, ast.Name) and _is_value(node, scope) and scope.field in ("args", "value", "right"):
        yield ast.Tuple([node], ast.Load())
        yield ast.List([node], ast.Load())


def _cross_pairs(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Give each of two pairs what the other has: ``(a, b), (c, d)`` -> ``(a, d), (c, b)``."""
    match node:
        case (
            ast.Tuple(elts=[ast.Tuple(elts=[a, b]) as one, ast.Tuple(elts=[c, d]) as other])
            | ast.List(elts=[ast.Tuple(elts=[a, b]) as one, ast.Tuple(elts=[c, d]) as other])
        ):
            yield changed(node, elts=[changed(one, elts=[a, d]), changed(other, elts=[c, b])])


def _bind_loop_variable(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Let a function keep what the loop's variables are now: ``lambda: f(a)`` -> ``lambda a=a: f(a)``."""
    if isinstance(node, ast.Lambda | ast.FunctionDef):
        read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        own = bound_names(ast.walk(node))
        bound = [name for name in scope.names.loop_variables if name in read.difference(own)]
        if bound:
            arguments = changed(
                node.args,
                args=[*node.args.args, *map(ast.arg, bound)],
                defaults=[*node.args.defaults, *map(name_node, bound)],
            )
            yield changed(node, args=arguments)


def _other_default(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another default argument: an empty tuple, ``None``, a number, a truth."""
    if isinstance(node, ast.arguments):
        others = [ast.Tuple([], ast.Load()), *map(ast.Constant, (None, 0, 0.0, 1, True, False, ""))]
        yield from (changed(node, defaults=one) for one in replace_each(node.defaults, lambda _: iter(others)))


CALL_REPAIRS: tuple[Operator, ...] = (
    Operator(_change_arguments, "argument", 4),
    Operator(_other_kind, "argument", 2),
    Operator(_compare_by_identity, "call", 1),
    Operator(_drop_call, "call", 3),
    Operator(_call, "call", 2),
    Operator(_wrap_iterable, "call", 3),
    Operator(_wrap, "call", 5),
    Operator(_append, "call", 2),
    Operator(_insert, "call", 4),
    Operator(_change_subscript, "operands", 5),
    Operator(_make_one_by_one, "constant", 1),
    Operator(_change_display, "constant", 4),
    Operator(_change_members, "argument", 4),
    Operator(_make_tuple, "argument", 5),
    Operator(_cross_pairs, "operands", 2),
    Operator(_bind_loop_variable, "default", 2),
    Operator(_other_default, "default", 3),
)
"""For repairs alone."""


def _other_assignment(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Change an assignment: ``a = b`` -> ``a += b`` and ``a *= b``, ``a += b`` -> ``a *= b``."""
    match node:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target], value=value):
            yield from (ast.AugAssign(target, operator(), value) for operator in (ast.Add, ast.Sub, ast.Mult))
        case ast.AugAssign(op=operator):
            others = (ast.Add, ast.Sub, ast.Mult, ast.Div)
            yield from (changed(node, op=other()) for other in others if not isinstance(operator, other))


def _change_in_place(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Change what others have as well: ``a = a + [b]`` -> ``a.append(b)`` and ``a += [b]``."""
    match node:
        case ast.Assign(
            targets=[ast.Name() | ast.Attribute() | ast.Subscript() as target],
            value=ast.BinOp(left=left, op=operator, right=right),
        ) if ast.unparse(target) == ast.unparse(left):
            if isinstance(operator, ast.Add) and isinstance(right, ast.List) and len(right.elts) == 1:
                yield ast.Expr(ast.Call(ast.Attribute(left, "append", ast.Load()), right.elts, []))
            yield ast.AugAssign(target, operator, right)


def _drop_target(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Assign to one place less: ``a = b = c`` -> ``a = c``."""
    if isinstance(node, ast.Assign):
        yield from (changed(node, targets=rest) for rest in leave_one_out(node.targets) if rest)


def _share_counter(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Change a class's attribute, not an object's own: ``self.count += 1`` -> ``Value.count += 1``."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            classes = [class_ for class_, known in scope.names.class_attributes if known == attribute]
            yield from (changed(node, value=name_node(class_)) for class_ in classes if class_ != name)


def _other_lambda_parameter(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Use another parameter of a lambda: ``lambda a, b: a`` -> ``lambda a, b: b``."""
    if isinstance(node, ast.Lambda):
        names = [one.arg for one in node.args.args]
        for inner in ast.walk(node.body):
            if isinstance(inner, ast.Name) and inner.id in names:
                others = (name for name in names if name != inner.id)
                yield from (changed(node, body=_replace(node.body, inner, name_node(name))) for name in others)


def _replace(root: Any, old: ast.AST, new: ast.AST) -> Any:
    """Return a tree in which one node is another; what does not hold the node is shared."""
    if root is old or not any(one is old for one in ast.walk(root)):
        return new if root is old else root
    fields = {
        field: [_replace(one, old, new) for one in value] if isinstance(value, list) else _replace(value, old, new)
        for field, value in ast.iter_fields(root)
        if isinstance(value, ast.AST) or (isinstance(value, list) and all(isinstance(one, ast.AST) for one in value))
    }
    return changed(root, **fields)


def _make_truth(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Count a factor as 1 or 0: ``a * b`` -> ``(a > 0) * b``."""
    match node, scope.parent:
        case ast.Name() | ast.Attribute(), ast.BinOp(op=ast.Mult()):
            yield ast.Compare(node, [ast.Gt()], [ast.Constant(0)])


def _other_exit(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Return, or do not: ``a`` <-> ``return a``; ``a = b`` -> ``return b``; ``break`` -> ``return``."""
    match node:
        case ast.Expr(value=value) if not isinstance(value, ast.Constant):
            yield ast.Return(value)
        case ast.Return(value=ast.expr() as value):
            yield ast.Expr(value)
        case ast.Assign(value=value):
            yield ast.Return(value)
        case ast.Break() | ast.Continue():
            yield ast.Return()
        case ast.Return(value=None):
            yield from (ast.Break(), ast.Continue())


STATEMENT_REPAIRS: tuple[Operator, ...] = (
    Operator(_other_assignment, "assignment", 2),
    Operator(_change_in_place, "assignment", 1),
    Operator(_drop_target, "assignment", 2),
    Operator(_share_counter, "attribute", 2),
    Operator(_other_lambda_parameter, "name", 2),
    Operator(_make_truth, "comparison", 4),
    Operator(_other_exit, "add statement", 4),
)
"""For repairs alone."""

"""Change calls, their arguments, subscripts and collections, as repairs need it and mutants do not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.edits.model import Operator, Scope, call_node, changed, leave_one_out, name_node, replace_each
from autograder.edits.repairs import BUILTINS, FEW, is_value

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
    if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript) and is_value(node, scope):
        wrappers: tuple[str, ...] = WRAPPERS
        if isinstance(scope.parent, ast.BinOp | ast.AugAssign):
            wrappers = ("abs", "float", "len")
        elif scope.field in ("left", "comparators", "elts"):
            wrappers = ("id", "len", "abs", "list", "tuple", "set")
        yield from (call_node(wrapper, node) for wrapper in wrappers)


def _insert_or_append(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Put a member at the other end: ``a.append(b)`` <-> ``a.insert(0, b)``; ``a.append(b)`` -> ``a.extend(b)``."""
    match node:
        case ast.Call(func=ast.Attribute(attr="append") as function, args=[member]):
            yield ast.Call(changed(function, attr="insert"), [ast.Constant(0), member], [])
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
    readable = isinstance(node, ast.Name | ast.Attribute | ast.Call) and is_value(node, scope)
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
    if isinstance(node, ast.Name) and is_value(node, scope) and scope.field in ("args", "value", "right"):
        yield ast.Tuple([node], ast.Load())
        yield ast.List([node], ast.Load())


def _bind_loop_variable(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Let a function keep what the loop's variable is now: ``lambda: f(a)`` -> ``lambda a=a: f(a)``."""
    if isinstance(node, ast.Lambda):
        read = {one.id for one in ast.walk(node.body) if isinstance(one, ast.Name)}
        own = {one.arg for one in node.args.args}
        bound = [name for name in scope.names.loop_variables if name in read - own]
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
    Operator(_insert_or_append, "call", 2),
    Operator(_change_subscript, "operands", 5),
    Operator(_make_one_by_one, "constant", 1),
    Operator(_change_display, "constant", 4),
    Operator(_change_members, "argument", 4),
    Operator(_make_tuple, "argument", 5),
    Operator(_bind_loop_variable, "default", 2),
    Operator(_other_default, "default", 3),
)
"""For repairs alone."""

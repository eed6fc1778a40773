"""Read off a syntax tree which names stand where: what is bound, and what a chain of attributes begins with."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
BINDING = frozenset(
    {
        *(ast.Name, ast.Assign, ast.AnnAssign, ast.ClassDef, ast.ExceptHandler),
        *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom),
    }
)
CLASS_OF = frozenset({"__class__", "cls", "type"})
"""Names through which an object's class is reached."""


def walk_own_scope(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, class or function and of its blocks, without those inside nested definitions."""
    left = [*ast.iter_child_nodes(tree)][::-1]  # a stack in place of recursion: a tree may be deep
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            left += [*ast.iter_child_nodes(node)][::-1]


def get_bound_names(node: ast.AST) -> Set[str]:
    """Return the names that a node itself binds."""
    if type(node) not in BINDING:  # fast path: called for every node, and few nodes bind names
        return frozenset()
    match node:
        case ast.Name(id=name, ctx=context):
            return frozenset() if isinstance(context, ast.Load) else {name}
        case ast.Assign(targets=targets):
            names = [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
            return {one.id for one in names if isinstance(one.ctx, ast.Store)}
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
            return {name}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(one.asname or one.name).partition(".")[0] for one in names}
    return frozenset()


def iterate_all_parameters(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Yield every parameter, of whatever kind."""
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from (one for one in (arguments.vararg, arguments.kwarg) if one is not None)


def pair_parameters_with_defaults(arguments: ast.arguments) -> list[tuple[ast.arg, ast.expr | None]]:
    """Return the parameters that may have a default value, each with that value; None for one without."""
    positional = [*arguments.posonlyargs, *arguments.args]
    return [
        *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]


def get_root_of_attribute_chain(node: ast.AST) -> ast.AST:
    """Return what ``a`` is in ``a.b[c].d`` and in ``(a := f()).b``.

    It is a constant where the chain goes through the class of an object.
    """
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and node.attr in CLASS_OF:
            return ast.Constant(None)
        node = node.value
    return node.target if isinstance(node, ast.NamedExpr) else node


def get_last_name(node: ast.AST) -> str:
    """Return the last name: ``setter`` in ``x.setter``, ``dataclass`` in ``@dataclass(eq=False)``."""
    while isinstance(node, ast.Call):
        node = node.func
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""

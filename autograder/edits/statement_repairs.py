"""Change assignments, exits, shared attributes and lambdas, as repairs need it and mutants do not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.edits.model import Operator, Scope, changed, name_node


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
                for name in names:
                    if name != inner.id:
                        yield changed(node, body=_replaced(node.body, inner, name_node(name)))


def _replaced(root: ast.expr, old: ast.AST, new: ast.AST) -> ast.expr:
    """Return a tree in which one node is another; the rest is shared."""
    if root is old:
        assert isinstance(new, ast.expr)
        return new
    for field, value in ast.iter_fields(root):
        members = value if isinstance(value, list) else [value]
        for place, member in enumerate(members):
            if isinstance(member, ast.expr) and any(one is old for one in ast.walk(member)):
                other = _replaced(member, old, new)
                return changed(
                    root,
                    **{field: [*members[:place], other, *members[place + 1 :]] if isinstance(value, list) else other},
                )
    return root


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
    Operator(_share_counter, "attribute", 2),
    Operator(_other_lambda_parameter, "name", 2),
    Operator(_make_truth, "comparison", 4),
    Operator(_other_exit, "add statement", 4),
)
"""For repairs alone."""

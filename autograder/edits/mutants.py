"""Make every mutant of a program: the program with one thing wrong in one place."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.edits.model import ARITHMETIC, Operator, Scope, changed, leave_one_out, name_node

NO_CODE = ("annotation", "returns", "type_comment", "type_params", "ctx")
"""Fields of a node that have no effect when the program runs."""
OUTSIDE = Scope()


@dataclass(frozen=True, slots=True)
class MutationSite:
    """A place in the tree where a node can be replaced: a field of its parent, or an item of a list in that field."""

    parent: ast.AST
    field: str
    index: int | None
    scope: Scope

    @property
    def node(self) -> ast.AST:
        """Return the node that is at this place now."""
        value = getattr(self.parent, self.field)
        node: ast.AST = value if self.index is None else value[self.index]
        return node

    def replace_node(self, replacement: ast.AST) -> None:
        """Put another node at this place."""
        if self.index is None:
            setattr(self.parent, self.field, replacement)
        else:
            getattr(self.parent, self.field)[self.index] = replacement


def iterate_mutation_sites(root: ast.AST, root_scope: Scope = OUTSIDE) -> Iterator[MutationSite]:
    """Yield every place below a node, from the top of the file to its end.

    Args:
        root: a node of a tree that does not change during the iteration.
        root_scope: the functions around the node.
    """
    for field, value in ast.iter_fields(root):
        if field in NO_CODE:
            continue
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST):
                child_scope = _extend_scope(child, root_scope)
                yield MutationSite(
                    root, field, index, child_scope if isinstance(child, ast.FunctionDef) else root_scope
                )
                yield from iterate_mutation_sites(child, child_scope)


def _extend_scope(node: ast.AST, scope: Scope) -> Scope:
    """Return the scope of the nodes inside ``node``."""
    if isinstance(node, ast.ClassDef):
        return OUTSIDE
    if not isinstance(node, ast.FunctionDef):
        return scope
    arguments, nodes = node.args, list(ast.walk(node))
    parameters = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    assigned = [one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    functions = [one.name for one in nodes if isinstance(one, ast.FunctionDef) and one is not node]
    return Scope(
        (*scope.enclosing, node.name),
        tuple(dict.fromkeys((*scope.local_variables, *parameters, *assigned))),
        tuple(dict.fromkeys((*scope.functions, *functions))),
    )


COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}  # fmt: skip
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


MOST_LINES = 2
"""How many lines of a changed piece an id quotes; of a longer piece, it quotes only the first line."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one thing wrong."""

    id: str
    """The function, the old lines and the new ones: ``__mul__: out = Value(...) -> out = ...``. The id stays the same
    if the program is changed elsewhere."""
    source: str
    affected_functions: tuple[str, ...]
    """Names of functions that it makes wrong: the outermost one around the change, then those that use its name.

    Empty if the change is outside functions.
    """


def make_mutants(source: str, given_lines: Collection[int] = ()) -> list[Mutant]:
    r"""Return every mutant of a program, each once, in the order of its lines.

    Messages in ``raise`` statements are not changed, because a contract names the exception, and seldom its message.

    Args:
        source: the program. Mutants do not keep its comments and docstrings.
        given_lines: numbers of the lines of given code, which is not changed, because students do not write it.

    Raises:
        SyntaxError: the program is not Python.

    >>> [mutant.id for mutant in make_mutants("def half(x):\n    return x / 2\n")][-2:]
    ['half: return x / 2 -> return 2 / x', 'half: return x / 2 -> return x / 3']
    """
    tree = _without_docstrings(ast.parse(source))
    original = ast.unparse(tree)
    callers = _map_names_to_callers(tree)
    mutant_by_text: dict[str, Mutant] = {}
    ids: Counter[str] = Counter()
    untouched_ids = _find_messages(tree)
    for statement in tree.body:
        if statement.lineno in given_lines:
            untouched_ids.update(map(id, ast.walk(statement)))
    for site in list(iterate_mutation_sites(tree)):
        old_node = site.node
        if not untouched_ids.isdisjoint((id(site.parent), id(old_node))):
            continue
        for operator in (*EXPRESSION_OPERATORS, *STATEMENT_OPERATORS):
            for new_node in operator.change(old_node, site.scope):
                site.replace_node(new_node)
                text = ast.unparse(tree)
                site.replace_node(old_node)
                if text == original or text in mutant_by_text or not _can_compile(text):
                    continue
                id_ = f"{'.'.join(site.scope.enclosing) or 'outside functions'}: {_describe_change(original, text)}"
                ids[id_] += 1
                affected = [name for one in site.scope.enclosing[:1] for name in (one, *sorted(callers.get(one, ())))]
                unique_id = id_ if ids[id_] == 1 else f"{id_} ({ids[id_]})"
                mutant_by_text[text] = Mutant(unique_id, text, tuple(affected))
    return list(mutant_by_text.values())


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


def _find_messages(tree: ast.Module) -> set[int]:
    """Return ``id()`` of the calls that make exceptions in ``raise`` statements, and of nodes in their arguments."""
    exceptions = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    calls = [error for error in exceptions if isinstance(error, ast.Call)]
    return {id(call) for call in calls} | {
        id(node) for call in calls for part in (*call.args, *call.keywords) for node in ast.walk(part)
    }


def _map_names_to_callers(tree: ast.Module) -> dict[str, set[str]]:
    """Return the names of the functions that use each name, by that name."""
    callers: dict[str, set[str]] = {}
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        for node in ast.walk(function):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if name and name != function.name:
                callers.setdefault(name, set()).add(function.name)
    return callers


def _can_compile(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd code is expected in mutants
        try:
            compile(text, "mutant", "exec")
        except SyntaxError:
            return False
    return True


def _describe_change(old: str, new: str) -> str:
    """Return the old and the new lines that differ; if lines were only added, include the line above them."""
    old_lines, new_lines = old.splitlines(), new.splitlines()
    fewest = min(len(old_lines), len(new_lines))
    start = next((at for at in range(fewest) if old_lines[at] != new_lines[at]), len(old_lines))
    rest = fewest - start
    end = next((at for at in range(rest) if old_lines[-1 - at] != new_lines[-1 - at]), rest)
    start -= start == len(old_lines) - end
    return " -> ".join(_join_lines(lines[start : len(lines) - end]) for lines in (old_lines, new_lines))


def _join_lines(lines: list[str]) -> str:
    texts = [line.strip() for line in lines if line]
    if len(texts) > MOST_LINES:
        texts = [texts[0], "..."]
    return " / ".join(texts) or "nothing"

"""Find slips in a submission's source that explain failed tests, and hints that it already follows."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from autograder.syntax_trees import FEW, SHARED, SyntaxTree, try_parse_program
from autograder.text import escape_for_display

CODE = re.compile(r"`([^`\n]+)`")
OPERATORS: Mapping[str, type[ast.operator]] = {"+=": ast.Add, "-=": ast.Sub, "*=": ast.Mult}
DOES_SOMETHING = (
    ast.Assign, ast.AugAssign, ast.Return, ast.BinOp, ast.Compare, ast.Subscript, ast.IfExp, ast.For, ast.Call
)  # fmt: skip


def does_program_follow_hint(
    hint: str, method_names: Collection[str], source_by_file_or_cell: Mapping[str, str]
) -> bool:
    r"""Return whether everything that a hint proposes stands in the methods and functions that it is about.

    Args:
        hint: the hint, with code between backticks.
        method_names: what the failed tests are about, such as ``__add__`` or ``Layer.__call__``.
        source_by_file_or_cell: the submission's text.

    >>> source = {"value.py": "def f(a, out):\n    a.grad += out.grad\n    return out"}
    >>> does_program_follow_hint("Add, with `+=`.", ["f"], source)
    True
    >>> does_program_follow_hint("The last line is `return a`.", ["f"], source)
    False
    """
    spans = CODE.findall(hint)
    proposals = [tree for tree in map(_parse_proposal, spans) if tree is not None]
    operators = [OPERATORS[span] for span in spans if span in OPERATORS]
    if not proposals and not operators:
        return False
    names = frozenset(name.rpartition(".")[2] for name in method_names)
    nodes = _list_nodes_of_functions((*source_by_file_or_cell.values(),), names)
    return all(_stands_among(tree, nodes) for tree in proposals) and all(
        _changes_with((node for node, _ in nodes), operator) for operator in operators
    )


def writes_code_out(hint: str) -> bool:
    """Return whether a hint writes out what stands in a right program: a statement, an attribute, `+=`.

    >>> writes_code_out("Write `self.grad += out.grad`."), writes_code_out("In `a + a` there are two uses.")
    (True, False)
    """
    spans = CODE.findall(hint)
    trees = (_parse_proposal(span) for span in spans)
    return any(span in OPERATORS for span in spans) or any(
        isinstance(node, WRITTEN_OUT) for tree in trees if tree for node in ast.walk(tree)
    )


def _parse_proposal(code: str) -> ast.AST | None:
    """Return the node of code that does something; None for names, for what is not Python, and for an open end."""
    try:
        (statement,) = ast.parse(code).body
    except (SyntaxError, ValueError):
        return None
    node = statement.value if isinstance(statement, ast.Expr) else statement
    if not isinstance(node, DOES_SOMETHING) or any(
        isinstance(part, ast.Constant) and part.value is ... for part in ast.walk(node)
    ):
        return None
    return None if isinstance(node, ast.Call) and not node.args else node


def _stands_among(proposal: ast.AST, nodes: Iterable[tuple[ast.AST, int]]) -> bool:
    size = sum(not isinstance(part, SHARED) for part in ast.walk(proposal))
    text = ast.dump(proposal)
    return any(type(node) is type(proposal) and size == own and ast.dump(node) == text for node, own in nodes)


def _changes_with(nodes: Iterable[ast.AST], operator: type[ast.operator]) -> bool:
    """Return whether attributes are changed by an operator, and none of these is set by ``=`` or another operator."""
    changed, otherwise = set[str](), set[str]()
    for node in nodes:
        match node:
            case ast.AugAssign(target=ast.Attribute(attr=name), op=op):
                (changed if isinstance(op, operator) else otherwise).add(name)
            case ast.Assign(targets=targets):
                otherwise.update(target.attr for target in targets if isinstance(target, ast.Attribute))
    return bool(changed) and changed.isdisjoint(otherwise)


@lru_cache(FEW)
def _list_nodes_of_functions(sources: tuple[str, ...], names: frozenset[str]) -> list[tuple[ast.AST, int]]:
    """Return every node of the functions with these names, each with the size of its subtree."""
    return [
        (node, syntax.count_subtree(node))
        for syntax in try_parse_program(sources)
        if syntax is not None
        for function in syntax.nodes
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name in names
        for node in syntax.list_subtree(function)
    ]


CALLBACK = "_backward"
WRITTEN_OUT = (ast.Attribute, ast.Assign, ast.AugAssign, ast.For, ast.IfExp, ast.Return)
WITHOUT_RESULT = frozenset({"append", "extend", "insert", "reverse", "sort", "add", "update", "clear"})
"""Methods of lists and sets that return None."""
OF_GRADIENTS = re.compile(r"grad|_backward|called")
"""Matches the message of a test that looked at gradients, or at which functions were called."""
OF_LISTS = re.compile(
    r"generator|\bn(?:o|ot a) list\b|without a list|has no len\(\)|not (?:subscriptable|reversible)"
)
"""Matches the message of a test that was given something else than a list, and Python's messages on that."""
ITERATORS = frozenset({"filter", "map", "reversed", "zip"})
SHOWN = 40
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class FailureExplainingSlip:
    """One slip in the source, and which failures it explains."""

    function: str
    """The outermost method or function that contains the slip."""
    hint: str
    holds_for_any_failure: bool = False
    """Whether it explains every failure of that function, not only those whose message it matches."""
    message_pattern: re.Pattern[str] = OF_GRADIENTS
    """Matches the messages of the failures that it explains."""

    def explains_failure(self, required_names: Iterable[str], failure_text: str) -> bool:
        """Return whether the slip explains what a test saw.

        Args:
            required_names: the functions that the test needs.
            failure_text: what the test says, or the exception's message.
        """
        return self.function in required_names and (
            self.holds_for_any_failure or self.message_pattern.search(failure_text) is not None
        )


def find_slips(source_by_file_or_cell: Mapping[str, str]) -> tuple[FailureExplainingSlip, ...]:
    """Return the slips in a submission's files or cells, given by name; code that cannot be parsed has none."""
    return _find_slips_in((*source_by_file_or_cell.values(),))


@lru_cache(FEW)
def _find_slips_in(sources: Sequence[str]) -> tuple[FailureExplainingSlip, ...]:
    trees = [syntax for syntax in try_parse_program(sources) if syntax is not None]
    functions = [(syntax, function) for syntax in trees for function in _iterate_outermost_functions(syntax.tree)]
    slips = (_slips(function, syntax.list_subtree(function)) for syntax, function in functions)
    return (*chain.from_iterable(slips), *_iterate_never_called(trees))


def find_dataclasses_with_generated_eq(source_by_file_or_cell: Mapping[str, str]) -> frozenset[str]:
    """Return the classes whose `__eq__` is the one that `@dataclass` makes."""
    trees = try_parse_program([*source_by_file_or_cell.values()])
    return frozenset(
        node.name
        for syntax in trees
        if syntax is not None
        for node in syntax.nodes
        if isinstance(node, ast.ClassDef)
        and any(map(_names_dataclass, (part for one in node.decorator_list for part in syntax.list_subtree(one))))
        and not any(isinstance(part, FUNCTIONS) and part.name == "__eq__" for part in node.body)
    )


def _names_dataclass(node: ast.AST) -> bool:
    """Return whether a node itself holds the word, as a name, an attribute or a text."""
    return any(isinstance(text, str) and "dataclass" in text for _, text in ast.iter_fields(node))


def _iterate_outermost_functions(tree: ast.AST) -> Iterator[Function]:
    """Yield the functions of a module and the methods of its classes, without those nested in others."""
    left = [tree]  # a stack in place of recursion: a tree may be deep
    while left:
        node = left.pop()
        if isinstance(node, FUNCTIONS):
            yield node
        else:
            left += [*ast.iter_child_nodes(node)][::-1]


def _slips(function: Function, nodes: Sequence[ast.AST]) -> Iterator[FailureExplainingSlip]:
    name = function.name
    uses_by_name = _group_uses_by_name(nodes)
    if generator_hint := _describe_generator(function):
        yield FailureExplainingSlip(name, generator_hint, message_pattern=OF_LISTS)
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Attribute(attr=attr) as mentioned) if attr == CALLBACK:
                yield FailureExplainingSlip(
                    name, f"Line {node.lineno}: `{_text(mentioned)}` alone calls nothing; add `()`."
                )
            case ast.Expr(value=ast.Compare(left=ast.Attribute(attr="grad") as left, ops=[ast.Eq()])):
                yield FailureExplainingSlip(name, f"Line {node.lineno}: `{_text(left)} == ...` compares; `=` sets.")
            case ast.Assign(targets=[ast.Attribute(attr="grad")], value=ast.UnaryOp(op=ast.UAdd())):
                yield FailureExplainingSlip(name, f"Line {node.lineno}: `=+` sets the gradient, `+=` adds to it.")
            case ast.FunctionDef() if node is function:
                if result := _find_call_giving_none(node):
                    said = f"Line {result.lineno}: `{_text(result)}` changes the list itself and gives None"
                    yield FailureExplainingSlip(
                        name,
                        f"{said}. Write it on a line of its own, and return the list.",
                        holds_for_any_failure=True,
                    )
            case ast.FunctionDef():
                yield from _describe_lost_function(function, node, uses_by_name.get(node.name, _Uses()))


@dataclass(slots=True)
class _Uses:
    """Where a name stands in a function."""

    count: int = 0
    calls: list[ast.Call] = field(default_factory=list)
    assignments: list[ast.Assign] = field(default_factory=list)


def _group_uses_by_name(nodes: Sequence[ast.AST]) -> Mapping[str, _Uses]:
    found: defaultdict[str, _Uses] = defaultdict(_Uses)
    for node in nodes:
        match node:
            case ast.Name(id=name):
                found[name].count += 1
            case ast.Call(func=ast.Name(id=name)):
                found[name].calls.append(node)
            case ast.Assign(value=ast.Name(id=name)):
                found[name].assignments.append(node)
    return found


def _describe_lost_function(
    function: Function, nested: ast.FunctionDef, uses: _Uses
) -> Iterator[FailureExplainingSlip]:
    """Yield a slip for a nested function without parameters that is not kept for later.

    Args:
        function: the outermost function.
        nested: the function nested in it.
        uses: the uses of its name within the outermost function.
    """
    if nested.args.args or nested.args.vararg or nested.decorator_list:
        return
    name = nested.name
    calls, stored = uses.calls, uses.assignments
    if not uses.count:
        yield FailureExplainingSlip(
            function.name, f"Line {nested.lineno}: `{name}` is never stored: `out.{CALLBACK} = {name}`."
        )
    elif uses.count == 1 and len(calls) == 1 and "backward" in name:
        hint = f"Line {calls[0].lineno}: `{name}()` runs it at once, before the gradient is there"
        yield FailureExplainingSlip(function.name, f"{hint}. Store it for later: `out.{CALLBACK} = {name}`.")
    elif uses.count == 1 and len(stored) == 1:
        match stored[0].targets:
            case [ast.Attribute(attr="backward") as target]:
                hint = f"Line {stored[0].lineno}: `{_text(target)}` hides the method `backward` of this node"
                yield FailureExplainingSlip(
                    function.name, f"{hint}. The function belongs in `{_text(target.value)}.{CALLBACK}`."
                )


def _iterate_never_called(trees: Sequence[SyntaxTree]) -> Iterator[FailureExplainingSlip]:
    """Report a `_backward` that is stored but never read, so that nothing can call it."""
    nodes = [node for tree in trees for node in tree.nodes]
    here = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == CALLBACK]
    by_name = any(isinstance(node, ast.Constant) and node.value == CALLBACK for node in nodes)
    if here and not by_name and all(isinstance(node.ctx, ast.Store) for node in here):
        yield FailureExplainingSlip(
            "backward", f"Nothing calls `{CALLBACK}`: go through the nodes and call `node.{CALLBACK}()`."
        )


def _describe_generator(function: Function) -> str:
    """Say that a function gives, or stores, a generator or another iterator; empty if it does not."""
    for node in _walk_own_scope(function):
        match node:
            case ast.Yield() | ast.YieldFrom():
                name = escape_for_display(function.name, SHOWN)
                return (
                    f"Line {node.lineno}: `yield` lets `{name}` give a generator. "
                    "Collect the values in a list, and return that."
                )
            case (
                ast.Return(value=ast.GeneratorExp() as value)
                | ast.Assign(targets=[ast.Attribute()], value=ast.GeneratorExp() as value)
            ):
                return f"Line {value.lineno}: `(... for ...)` is a generator. Make a list of it: `[... for ...]`."
            case ast.Return(value=ast.Call(func=ast.Name(id=called)) as value) if called in ITERATORS:
                return f"Line {value.lineno}: `{called}` gives no list. Make one of it: `list({called}(...))`."
    return ""


def _find_call_giving_none(function: ast.FunctionDef) -> ast.Call | None:
    """Return a call that gives None, if every value that a function returns is such a call."""
    results = [
        one.value for one in _walk_own_scope(function) if isinstance(one, ast.Return) and one.value is not None
    ]
    calls = [
        result
        for result in results
        if isinstance(result, ast.Call)
        and isinstance(result.func, ast.Attribute)
        and result.func.attr in WITHOUT_RESULT
        and isinstance(result.func.value, ast.Name)
    ]
    return calls[0] if calls and len(calls) == len(results) else None


def _text(node: ast.AST) -> str:
    """Quote names and calls, with the dots between them; leave out arguments, and show anything else as `...`."""
    match node:
        case ast.Name(id=name):
            return escape_for_display(name, SHOWN)
        case ast.Attribute(value=value, attr=attr):
            return escape_for_display(f"{_text(value)}.{attr}", SHOWN)
        case ast.Call(func=function):
            return f"{_text(function)}()"
        case _:
            return "..."


def _walk_own_scope(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function and of its blocks, without those inside nested definitions."""
    left = [*ast.iter_child_nodes(tree)][::-1]  # a stack in place of recursion: a tree may be deep
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            left += [*ast.iter_child_nodes(node)][::-1]

"""Propose every small change of a wrong program: each a whole source that compiles, the likelier ones first."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from heapq import merge
from itertools import chain, islice, pairwise, product

from autograder.edits.donations import (
    LEAST_DONATED,
    Recipient,
    iterate_donated_statements,
    iterate_missing_methods,
    iterate_similar_functions,
)
from autograder.edits.donors import read_donors
from autograder.edits.insertions import (
    iterate_carried_values,
    iterate_copies,
    iterate_definition_edits,
    iterate_fillings,
)
from autograder.edits.knock_out import find_body
from autograder.edits.model import EditKind, Operator, ProposedEdit, Scope
from autograder.edits.mutants import EXPRESSION_OPERATORS, STATEMENT_OPERATORS, iterate_mutation_sites
from autograder.edits.names import NameCollector
from autograder.edits.repairs import CALL_REPAIRS, STATEMENT_REPAIRS, VALUE_REPAIRS
from autograder.edits.splicing import (
    Candidate,
    Function,
    FunctionPlace,
    Source,
    Splice,
    iterate_block_edits,
    list_functions,
    splice_node,
)
from autograder.syntax_trees import MOST_DEPTH, SHARED, SyntaxTree, parse_bounded_source

MORE = 1
"""How much dearer a change at several places is than at one."""
DEAR, MOST_GROUPS = LEAST_DONATED, 300
"""Changes that cost as much are made only when cheaper ones did not help, and not repeated; how many others are."""
REPEATABLE = ("assignment", "operator", "comparison", "sign", "name", "attribute", "call")


class EqualSites:
    """Gathers changes of single places, and makes one of those that are alike."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._groups: dict[tuple[str, ...], list[Candidate]] = {}

    def add(self, candidate: Candidate, node: ast.AST, scope: Scope, around: FunctionPlace | None) -> None:
        """Add the change of a node in a function."""
        splice, kind, cost = candidate
        if around is None or cost >= DEAR or kind not in REPEATABLE:
            return
        old = self._source.text[splice.start : splice.end]
        change = (kind, old, splice.text)
        places = [_describe_place(node, scope), *[""] * (kind == "attribute")]  # a set's keys, wherever they are used
        function = around.path.split(".")
        is_inner = around.outermost is not around.node
        owners = [".".join(function[: 1 + (is_inner or len(function) > 1)]), function[0]]
        if is_inner:
            owners.append(f"{function[0]}.*.{function[-1]}")  # such as each operation's ``_backward``
        for place, owner in product(places, dict.fromkeys(owners)):
            self._groups.setdefault((*change, place, owner), []).append(candidate)

    def iterate_changes(self) -> Iterator[Candidate]:
        """Yield the change of all places of a function or class together, for each that has several."""
        several = [group for group in self._groups.values() if len(group) > 1]
        for group in sorted(several, key=lambda one: one[0].cost)[:MOST_GROUPS]:
            splices = sorted({one.splice for one in group})
            if len(splices) > 1 and all(one.end <= other.start for one, other in pairwise(splices)):
                yield Candidate(self._source.merge(splices), group[0].kind, group[0].cost + MORE)


def _describe_place(node: ast.AST, scope: Scope) -> str:
    """Return which attribute a change is about, such as ``grad``: elsewhere it is another change."""
    match node, scope.parent:
        case ast.AugAssign(target=target) | ast.Assign(targets=[target]), _:
            return target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)
        case ast.Name(), ast.Attribute(attr=attribute):
            return attribute
    return type(scope.parent).__name__


ASSIGNED_TWICE = re.compile(r"\s*([\w.]+) = \1 = ")
NEUTRAL = {ast.Mult: 1, ast.Div: 1, ast.FloorDiv: 1, ast.Pow: 1, ast.Add: 0, ast.Sub: 0}
"""What an operator may have on its right without doing anything."""
EFFECTS = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MEMBERSHIPS = (ast.In, ast.NotIn)
REVERSED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


def _is_idle(node: ast.AST, new: ast.AST, scope: Scope) -> bool:
    """Return whether a change only leaves something out, in a roundabout way: ``a - 1`` -> ``a * 1``, ``a in a``."""
    if isinstance(new, ast.Expr):
        return not isinstance(new.value, EFFECTS)
    if isinstance(scope.parent, ast.Expr):
        return not isinstance(new, EFFECTS)
    if isinstance(scope.parent, ast.Compare):
        others = [one for one in (scope.parent.left, *scope.parent.comparators) if one is not node]
        return any(ast.dump(one) == ast.dump(new) for one in others)
    if isinstance(scope.parent, ast.Attribute) and isinstance(new, ast.Name):
        return new.id in scope.names.functions  # nobody keeps anything on a function
    match new:
        case ast.AugAssign(op=operator, value=ast.Constant(value=int(value) | float(value))):
            return NEUTRAL.get(type(operator)) == value
        case ast.BinOp(op=operator, right=ast.Constant(value=int(value) | float(value))) if isinstance(
            node, ast.BinOp
        ):
            return NEUTRAL.get(type(operator)) == value
    return False


def _rate_strangeness(node: ast.AST, new: ast.AST, scope: Scope) -> int:
    """Return how much dearer a change is than others of its operator.

    A condition that is taken out, or asks for the opposite, often mends one thing by breaking another that no test
    sees; what a function returns is seldom one thing too many; and who asks for the kind of a thing means this thing.
    """
    match node, new:
        case ast.Compare(ops=[one]), ast.Compare(ops=[other]) if REVERSED.get(type(one)) is type(other):
            return 1
        case ast.Compare(ops=[one]), ast.Compare(ops=[other]) if isinstance(one, ORDERS) != isinstance(other, ORDERS):
            return 1
        case ast.Compare(ops=[ast.In() | ast.NotIn()]), ast.Compare(ops=[other]) if not isinstance(
            other, MEMBERSHIPS
        ):
            return 3
        case ast.If() | ast.IfExp() | ast.While(), (
            ast.If(test=ast.Constant()) | ast.IfExp(test=ast.Constant()) | ast.While(test=ast.Constant())
        ):
            return 1
        case ast.Return(value=ast.expr()), ast.Pass() | ast.Return(value=None):
            return 3
        case ast.stmt(), ast.Pass() if len(getattr(scope.parent, scope.field, ())) == 1:
            return 2  # it leaves a branch or a loop that does nothing
    match scope.parent:
        case ast.Call(func=ast.Name(id="isinstance" | "type")) if isinstance(node, ast.Name):
            return 3 * isinstance(new, ast.Name)
    return 0


MOST_CANDIDATES = 7_000
"""Changes of statements, and changes of other nodes, that are thought of; of these the likeliest are tried."""
MOST_EDITS = 5_000
MOST_COMPILED = 8_000_000
"""Characters that are compiled to see whether a change is Python."""
MOST_KEPT = 50_000_000
"""Characters of all proposed programs together."""
DUNDER_COST, METHOD_COST = 2, 8
OPERATORS: tuple[Operator, ...] = tuple(
    sorted(
        (*EXPRESSION_OPERATORS, *STATEMENT_OPERATORS, *VALUE_REPAIRS, *STATEMENT_REPAIRS, *CALL_REPAIRS),
        key=lambda one: one.cost,
    )
)


def propose_edits(
    source: str,
    file: str = "value.py",
    donors: Sequence[str] = (),
    rate_function: Callable[[str], float] = lambda _: 0,
    idle_functions: Collection[str] = (),
) -> Iterator[ProposedEdit]:
    r"""Yield the changes of a program in one place, the cheapest ones first.

    Args:
        source: a student's program. One that is not Python, or too long to be read, has no changes.
        file: its name, for the compiler.
        donors: right programs; statements of their functions are put into the student's functions of the same name.
        rate_function: tells how much cheaper the changes of a function are, by its path such as ``Value.tanh``.
        idle_functions: the paths of outermost functions whose bodies stay as they are.

    >>> edits = propose_edits("def half(x):\n    return x * 2  # half of it\n")
    >>> "def half(x):\n    return x / 2  # half of it\n" in [edit.text for edit in edits]
    True
    """
    parsed = _parse(source)
    if parsed is None:
        return
    functions = list_functions(parsed.tree)
    idle = [place.node for place in functions if place.node is place.outermost and place.path in idle_functions]

    def place(*parts: Iterator[Candidate]) -> list[tuple[str, Candidate]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd code is expected here
            candidates = chain.from_iterable(map(_take_while_small, parts))
            return _place(parsed, functions, _leave_bodies_out(parsed, idle, candidates), rate_function)

    def iterate_placed() -> Iterator[tuple[str, Candidate]]:
        names = NameCollector(parsed.tree, functions)
        node_edits = NodeEdits(parsed, names, idle)
        own = chain(
            iterate_block_edits(parsed),
            iterate_definition_edits(parsed, functions, names.undefined),
            iterate_fillings(parsed, functions),
            iterate_carried_values(parsed, functions),
            iterate_copies(parsed, functions),
        )
        cheap = place(own, node_edits.iterate_cheap())
        highest_rate = max((rate_function(name) for name in {"", *(one.path for one in functions)}), default=0)
        count = bisect_left(cheap, DEAR - highest_rate, key=lambda one: one[1].cost - rate_function(one[0]))
        yield from cheap[:count]
        recipient, right_functions = Recipient(parsed, functions, idle), read_donors(tuple(donors))
        donated = chain(
            iterate_donated_statements(recipient, right_functions),
            iterate_similar_functions(recipient, right_functions, small=True),
        )
        dear = place(donated, node_edits.iterate_dear())
        yield from merge(cheap[count:], dear, key=partial(_get_order, rate_function))

    yield from _select(parsed, functions, iterate_placed(), file)


def propose_methods(source: str, file: str, donors: Sequence[str]) -> Iterator[ProposedEdit]:
    """Yield the program with one function or method of a right program: in place of the student's, or added.

    Args:
        source: a student's program.
        file: its name, for the compiler.
        donors: right programs.
    """
    parsed = _parse(source)
    if parsed is None:
        return
    functions = list_functions(parsed.tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        recipient, right_functions = Recipient(parsed, functions), read_donors(tuple(donors))
        candidates = chain(
            iterate_similar_functions(recipient, right_functions, small=False),
            iterate_missing_methods(recipient, right_functions),
        )
        placed = _place(parsed, functions, _take_while_small(candidates))
    yield from _select(parsed, functions, placed, file)


def _leave_bodies_out(
    source: Source, idle: Sequence[Function], candidates: Iterable[Candidate]
) -> Iterator[Candidate]:
    """Yield the candidates that change something else than the body of an idle function."""
    bodies = sorted(body for node in idle if (body := find_body(source, node)) is not None)
    starts = [start for start, _ in bodies]
    for candidate in candidates:
        at = bisect_right(starts, candidate.splice.start) - 1
        if at < 0 or candidate.splice.end > bodies[at][1] or candidate.splice.start == bodies[at][1]:
            yield candidate


def _take_while_small(candidates: Iterator[Candidate]) -> Iterator[Candidate]:
    characters = 0
    for candidate in islice(candidates, MOST_CANDIDATES):
        characters += len(candidate.splice.text)
        if characters > MOST_KEPT:
            return
        yield candidate


def _parse(text: str) -> Source | None:
    tree = parse_bounded_source(text)
    return Source(text, tree.tree) if isinstance(tree, SyntaxTree) and tree.depth <= MOST_DEPTH else None


class NodeEdits:
    """Makes what the operators make of every node, the cheap ones first.

    In idle functions only what may be part of a change at several places is thought of.
    """

    def __init__(self, source: Source, names: NameCollector, idle: Sequence[Function]) -> None:
        """Find the nodes that may change."""
        self._source, self._names = source, names
        nodes = list(ast.walk(source.tree))
        untouched = {id(inner) for node in nodes if isinstance(node, ast.JoinedStr) for inner in ast.walk(node)} | {
            id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        self._places = [
            (
                site.node,
                replace(site.scope, parent=site.parent, field=site.field, names=names.at(site.node, site.parent)),
            )
            for site in iterate_mutation_sites(source.tree)
            if id(site.node) not in untouched and not isinstance(site.node, SHARED)
        ]
        self._idle_nodes = {id(inner) for node in idle for one in node.body for inner in ast.walk(one)}

    def iterate_cheap(self) -> Iterator[Candidate]:
        """Yield the changes of operators that cost less than ``DEAR``, and in the end those of several places."""
        equal_sites = EqualSites(self._source)
        for operator in OPERATORS:
            if operator.cost < DEAR:
                for candidate, node, scope in self._apply(operator):
                    yield candidate
                    assert scope.parent is not None
                    equal_sites.add(candidate, node, scope, self._names.function_around(node, scope.parent))
        yield from equal_sites.iterate_changes()

    def iterate_dear(self) -> Iterator[Candidate]:
        """Yield the changes of the other operators."""
        for operator in OPERATORS:
            if operator.cost >= DEAR:
                yield from (candidate for candidate, _, _ in self._apply(operator))

    def _apply(self, operator: Operator) -> Iterator[tuple[Candidate, ast.AST, Scope]]:
        is_repeated = operator.kind in REPEATABLE and operator.cost < DEAR
        for node, scope in self._places:
            if not is_repeated and id(node) in self._idle_nodes:
                continue
            for new in operator.change(node, scope):
                assert scope.parent is not None
                if _is_idle(node, new, scope):
                    continue
                try:
                    splice = splice_node(self._source, scope.parent, scope.field, node, new)
                except (ValueError, RecursionError):  # the unparser knows its limits, such as some f-strings
                    continue
                if splice is not None:
                    yield _judge(splice, operator, node, new, scope), node, scope


def _judge(splice: Splice, operator: Operator, node: ast.AST, new: ast.AST, scope: Scope) -> Candidate:
    """Tell a method that is taken out from a statement, and a sign from ``not``; strange changes cost more."""
    if isinstance(new, ast.Pass) and isinstance(node, ast.FunctionDef) and isinstance(scope.parent, ast.ClassDef):
        dunder = node.name.startswith("__") and node.name != "__init__"
        return Candidate(splice, "remove method", DUNDER_COST if dunder else METHOD_COST)
    kind: EditKind = operator.kind
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        kind = "condition"
    return Candidate(splice, kind, operator.cost + _rate_strangeness(node, new, scope))


def _place(
    source: Source,
    functions: Sequence[FunctionPlace],
    candidates: Iterable[Candidate],
    rate_function: Callable[[str], float] = lambda _: 0,
) -> list[tuple[str, Candidate]]:
    """Return candidates with the functions that they change, the cheap ones first."""
    units = _Units(source, functions)
    placed = [(units.name_of(candidate.splice), candidate) for candidate in candidates]
    rates = {name: rate_function(name) for name in {name for name, _ in placed}}
    return sorted(placed, key=partial(_get_order, rates.__getitem__))


def _get_order(rate_function: Callable[[str], float], placed: tuple[str, Candidate]) -> tuple[float, int, int]:
    name, (splice, _, cost) = placed
    return cost - rate_function(name), cost, splice.start


def _select(
    source: Source, functions: Sequence[FunctionPlace], placed: Iterable[tuple[str, Candidate]], file: str
) -> Iterator[ProposedEdit]:
    """Yield the candidates that are Python, each text once; one is compiled when it is asked for."""
    units = _Units(source, functions)
    seen = {source.text}
    count = compiled = kept = 0
    for function, (splice, kind, cost) in placed:
        text = source.text[: splice.start] + splice.text + source.text[splice.end :]
        if text in seen or ASSIGNED_TWICE.match(text, source.line_starts[source.line_at(splice.start) - 1]):
            continue
        seen.add(text)
        unit, length = units.around(splice)
        compiled += length
        kept += len(text)
        if compiled > MOST_COMPILED or kept > MOST_KEPT or count == MOST_EDITS:
            return
        if not _compiles(unit, file):
            continue
        count += 1
        old = source.text[splice.start : splice.end]
        at_end = splice.start == len(source.text)  # what is added there stands below the last line
        line = source.line_at(splice.start - at_end)
        end_line = source.line_at(max(splice.start - at_end, splice.end - (old[-1:] in ("\r", "\n"))))
        yield ProposedEdit(text, line, end_line, kind, function, old.strip(), splice.text.strip(), cost)


def _compiles(text: str, file: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd code is expected here
            compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False
    return True


class _Units:
    """The pieces of a source that can be compiled by themselves: outermost functions, then statements of the file."""

    def __init__(self, source: Source, functions: Sequence[FunctionPlace]) -> None:
        self._source = source
        outermost = [place.node for place in functions if place.node is place.outermost]
        self._functions = sorted(lines for node in outermost if (lines := source.lines_of(node)))
        self._statements = sorted(lines for node in source.tree.body if (lines := source.lines_of(node)))
        self._places = functions

    def around(self, splice: Splice) -> tuple[str, int]:
        """Return the smallest unit around a splice, changed, and its length."""
        text = self._source.text
        for start, end in (*self._functions, *self._statements):
            if start <= splice.start and splice.end < end:
                unit = text[start : splice.start] + splice.text + text[splice.end : end]
                return ("class _:\n" + unit if unit[:1] in " \t" else unit), end - start
        return text[: splice.start] + splice.text + text[splice.end :], len(text)

    def name_of(self, splice: Splice) -> str:
        """Return the innermost function around a splice; lines that are added stand deeper than its ``def``."""
        line = self._source.line_at(splice.start)
        if splice.start < splice.end:
            return _find_path(self._places, line, line)
        column = len(splice.text) - len(splice.text.lstrip())
        return _find_path(self._places, line - 1, line, column)


def find_function_around(source: str, line: int, column: int | None = None) -> str:
    """Return the path of the innermost function at a line of a program, or at what is added below it at a column."""
    parsed = _parse(source)
    if parsed is None:
        return ""
    return _find_path(list_functions(parsed.tree), line, line if column is None else line + 1, column)


def _find_path(places: Sequence[FunctionPlace], above: int, line: int, column: int | None = None) -> str:
    """Return the innermost function at a line or, further to the left than a column, at the line above it."""
    left = sys.maxsize if column is None else column
    return next(
        (
            place.path
            for place in reversed(places)
            if place.node.lineno <= line <= (end := place.node.end_lineno or line)
            or (place.node.lineno <= above <= end and place.node.col_offset < left)
        ),
        "",
    )

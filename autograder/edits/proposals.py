"""Propose every small change of a wrong program: each a whole source that compiles, the likelier ones first."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from autograder.cached_syntax_trees import MOST_DEPTH, parse_bounded_source
from autograder.edits.blocks import Candidate, FunctionPlace, iterate_block_edits, list_functions
from autograder.edits.call_repairs import CALL_REPAIRS
from autograder.edits.donations import (
    Recipient,
    iterate_donated_statements,
    iterate_missing_methods,
    iterate_similar_functions,
)
from autograder.edits.donors import read_donors
from autograder.edits.equal_sites import DEAREST, EqualSites
from autograder.edits.expressions import EXPRESSION_OPERATORS
from autograder.edits.insertions import iterate_copies, iterate_definition_edits, iterate_fillings
from autograder.edits.model import EditKind, Operator, ProposedEdit, Scope
from autograder.edits.names import NameCollector
from autograder.edits.repairs import VALUE_REPAIRS
from autograder.edits.sites import iterate_mutation_sites
from autograder.edits.splicing import Source, Splice, splice_node
from autograder.edits.statement_repairs import STATEMENT_REPAIRS
from autograder.edits.statements import STATEMENT_OPERATORS
from autograder.edits.strangeness import is_idle, rate_strangeness
from autograder.syntax_tree import SHARED, SyntaxTree

MOST_CANDIDATES = 7_000
"""Changes of statements, and changes of other nodes, that are thought of; of these the likeliest are tried."""
MOST_EDITS = 5_000
MOST_COMPILED = 8_000_000
"""Characters that are compiled to see whether a change is Python."""
MOST_KEPT = 50_000_000
"""Characters of all proposed programs together."""
DUNDER_COST, METHOD_COST = 2, 8
EVERYWHERE = Operator(lambda _node, _scope: iter(()), "name", DEAREST + 1)
"""Stands for the changes of several places, among the operators for one."""
OPERATORS: tuple[Operator, ...] = (
    *EXPRESSION_OPERATORS,
    *STATEMENT_OPERATORS,
    *VALUE_REPAIRS,
    *STATEMENT_REPAIRS,
    *CALL_REPAIRS,
)


def propose_edits(
    source: str,
    file: str = "value.py",
    donors: Sequence[str] = (),
    rate_function: Callable[[str], float] = lambda _: 0,
) -> list[ProposedEdit]:
    r"""Return the changes of a program in one place, by their cost and then by their lines.

    Args:
        source: a student's program. One that is not Python, or too long to be read, has no changes.
        file: its name, for the compiler.
        donors: right programs; statements of their functions are put into the student's functions of the same name.
        rate_function: tells how much cheaper the changes of a function are, by its path such as ``Value.tanh``.

    >>> edits = propose_edits("def half(x):\n    return x * 2  # half of it\n")
    >>> "def half(x):\n    return x / 2  # half of it\n" in [edit.text for edit in edits]
    True
    """
    parsed = _parse(source)
    if parsed is None:
        return []
    functions = list_functions(parsed.tree)
    names = NameCollector(parsed.tree, functions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd code is expected here
        recipient, right_functions = Recipient(parsed, functions), read_donors(tuple(donors))
        statement_edits = chain(
            iterate_block_edits(parsed),
            iterate_definition_edits(parsed, functions, names.undefined),
            iterate_fillings(parsed, functions),
            iterate_copies(parsed, functions),
            iterate_donated_statements(recipient, right_functions),
            iterate_similar_functions(recipient, right_functions, small=True),
        )
        candidates = chain(_take_while_small(statement_edits), _take_while_small(_iterate_node_edits(parsed, names)))
        return _select(parsed, functions, candidates, file, rate_function)


def propose_methods(source: str, file: str, donors: Sequence[str]) -> list[ProposedEdit]:
    """Return the program with one function or method of a right program: in place of the student's, or added.

    Args:
        source: a student's program.
        file: its name, for the compiler.
        donors: right programs.
    """
    parsed = _parse(source)
    if parsed is None:
        return []
    functions = list_functions(parsed.tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        recipient, right_functions = Recipient(parsed, functions), read_donors(tuple(donors))
        candidates = chain(
            iterate_similar_functions(recipient, right_functions, small=False),
            iterate_missing_methods(recipient, right_functions),
        )
        return _select(parsed, functions, _take_while_small(candidates), file)


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


def _iterate_node_edits(source: Source, names: NameCollector) -> Iterator[Candidate]:
    """Yield what the operators make of every node, the cheap ones first."""
    nodes = list(ast.walk(source.tree))
    untouched = {id(inner) for node in nodes if isinstance(node, ast.JoinedStr) for inner in ast.walk(node)} | {
        id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    places = [
        (site.node, replace(site.scope, parent=site.parent, field=site.field, names=names.at(site.node, site.parent)))
        for site in iterate_mutation_sites(source.tree)
        if id(site.node) not in untouched and not isinstance(site.node, SHARED)
    ]
    equal_sites = EqualSites(source)
    for operator in sorted((EVERYWHERE, *OPERATORS), key=lambda one: one.cost):
        if operator is EVERYWHERE:
            yield from equal_sites.iterate_changes()
        for node, scope in places:
            for new in operator.change(node, scope):
                assert scope.parent is not None
                if is_idle(node, new, scope):
                    continue
                try:
                    splice = splice_node(source, scope.parent, scope.field, node, new)
                except (ValueError, RecursionError):  # the unparser knows its limits, such as some f-strings
                    continue
                if splice is not None:
                    candidate = _judge(splice, operator, node, new, scope)
                    yield candidate
                    equal_sites.add(candidate, node, scope, names.function_around(node, scope.parent))


def _judge(splice: Splice, operator: Operator, node: ast.AST, new: ast.AST, scope: Scope) -> Candidate:
    """Tell a method that is taken out from a statement, and a sign from ``not``; strange changes cost more."""
    if isinstance(new, ast.Pass) and isinstance(node, ast.FunctionDef) and isinstance(scope.parent, ast.ClassDef):
        dunder = node.name.startswith("__") and node.name != "__init__"
        return Candidate(splice, "remove method", DUNDER_COST if dunder else METHOD_COST)
    kind: EditKind = operator.kind
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        kind = "condition"
    return Candidate(splice, kind, operator.cost + rate_strangeness(node, new, scope))


def _select(
    source: Source,
    functions: list[FunctionPlace],
    candidates: Iterable[Candidate],
    file: str,
    rate_function: Callable[[str], float] = lambda _: 0,
) -> list[ProposedEdit]:
    """Return the candidates that are Python, each text once, the cheap ones first."""
    units = _Units(source, functions)
    seen = {source.text}
    found: list[ProposedEdit] = []
    compiled = kept = 0
    placed = [(units.name_of(candidate.splice), candidate) for candidate in candidates]
    placed.sort(key=lambda one: (one[1].cost - rate_function(one[0]), one[1].splice.start))
    for function, (splice, kind, cost) in placed:
        text = source.text[: splice.start] + splice.text + source.text[splice.end :]
        if text in seen:
            continue
        seen.add(text)
        unit, length = units.around(splice)
        compiled += length
        kept += len(text)
        if compiled > MOST_COMPILED or kept > MOST_KEPT or len(found) == MOST_EDITS:
            break
        if not _compiles(unit, file):
            continue
        old = source.text[splice.start : splice.end]
        at_end = splice.start == len(source.text)  # what is added there stands below the last line
        line = source.line_at(splice.start - at_end)
        end_line = source.line_at(max(splice.start - at_end, splice.end - (old[-1:] in ("\r", "\n"))))
        found.append(ProposedEdit(text, line, end_line, kind, function, old.strip(), splice.text.strip(), cost))
    return sorted(found, key=lambda edit: (edit.cost, edit.line))


def _compiles(text: str, file: str) -> bool:
    try:
        compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False
    return True


class _Units:
    """The pieces of a source that can be compiled by themselves: outermost functions, then statements of the file."""

    def __init__(self, source: Source, functions: list[FunctionPlace]) -> None:
        self._source = source
        outermost = [place.node for place in functions if place.node is place.outermost]
        self._functions = sorted(lines for node in outermost if (lines := source.lines_of(node)))
        self._statements = sorted(lines for node in source.tree.body if (lines := source.lines_of(node)))
        self._names = [
            (place.node.lineno, place.node.end_lineno or place.node.lineno, place.node.col_offset, place.path)
            for place in functions
        ]

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
            return self._name_at(line, line)
        column = len(splice.text) - len(splice.text.lstrip())
        return self._name_at(line - 1, line, column)

    def _name_at(self, above: int, line: int, column: int = sys.maxsize) -> str:
        """Return the innermost function at a line or, further to the left than a column, at the line above it."""
        return next(
            (
                path
                for start, end, left, path in reversed(self._names)
                if start <= line <= end or (start <= above <= end and left < column)
            ),
            "",
        )

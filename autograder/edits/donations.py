"""Put statements and whole functions of right programs into a student's, with the student's names."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from autograder.edits.donors import (
    DonorFunction,
    MergedLines,
    Merger,
    Piece,
    bring_helpers,
    indent_statement,
    list_unknown_names,
    rename_like,
    trim_same_lines,
)
from autograder.edits.insertions import list_spots
from autograder.edits.model import EditKind
from autograder.edits.names import bound_names
from autograder.edits.splicing import (
    LEAVES,
    Candidate,
    Function,
    FunctionPlace,
    Source,
    Splice,
    after,
    code_start,
    insert_text,
    iterate_blocks,
)

ADDED, REPLACED, UNLIKE = 5, 4, 2
"""The costs of a statement that is added, of one in the place of another, and how much more if they are not alike."""
ROUNDABOUT = 4
"""How much dearer a statement is in more loops than where it comes from, and one that overwrites what is computed."""
METHOD, SMALL_METHOD = 20, 4
"""The cost of another method, to which the lines that it changes are added, and of one that changes a few."""
LEAST_DONATED = min(ADDED - 1, REPLACED, SMALL_METHOD)
"""Nothing that comes from a right program costs less."""
MOST_STATEMENTS, MOST_METHODS, MOST_ADDED_METHODS = 40, 16, 3
"""What is tried of right programs for one function."""
LONGEST_STATEMENT = 360
FEW_LINES = 3
"""So few lines are a change of their own, not another method."""
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
ALIKE = 0.5

Donors = Mapping[str, Sequence[DonorFunction]]


class Recipient:
    """What a student's file defines and speaks of, as far as donors must know."""

    def __init__(self, source: Source, functions: Sequence[FunctionPlace], idle: Sequence[Function] = ()) -> None:
        """Read a file; idle functions get nothing."""
        self.source = source
        self.functions = [place for place in functions if place.node is place.outermost and place.node not in idle]
        self.classes = {node.name: node for node in source.tree.body if isinstance(node, ast.ClassDef)}
        own_functions = [node.name for node in source.tree.body if isinstance(node, ast.FunctionDef)]
        outside = (node for statement in source.tree.body for node in _walk_outside_functions(statement))
        self.names = frozenset(bound_names(outside))
        self.function_names = frozenset(own_functions)
        self.attributes = frozenset(
            [node.attr for node in ast.walk(source.tree) if isinstance(node, ast.Attribute)]
            + [place.node.name for place in functions if place.in_class]
        )


def iterate_donated_statements(recipient: Recipient, donors: Donors) -> Iterator[Candidate]:
    """Put statements of right functions into the function of the same name; those that most of them have first."""
    for place in recipient.functions:
        statements = _rank_statements(recipient, place, donors.get(place.path, ()))
        loops = _list_loops(recipient.source, place.node)
        for statement, is_usual, depth in statements:
            for candidate in (
                *_replace_statements(recipient.source, place.node, statement),
                *_add_statement(recipient.source, place.node, statement, ADDED - is_usual),
            ):
                start, end = candidate.splice.start, candidate.splice.end
                is_deeper = sum(first < start < last for first, last in loops) > depth
                is_again = start == end and any(at < start for at in _list_overwritten(recipient, place, statement))
                yield candidate._replace(cost=candidate.cost + ROUNDABOUT * (is_deeper or is_again))


def _list_overwritten(recipient: Recipient, place: FunctionPlace, statement: ast.stmt) -> list[int]:
    """Return where a function assigns what a statement assigns anew, from other things."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return []
    name = statement.targets[0].id
    if any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(statement.value)):
        return []
    return [
        recipient.source.span(node)[0]
        for node in ast.walk(place.node)
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
    ]


def _list_loops(source: Source, function: Function) -> list[tuple[int, int]]:
    """Return where the loops of a function start, and where their last lines do."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
    return [(source.span(loop)[0], source.span(loop)[1]) for loop in loops]


def iterate_similar_functions(recipient: Recipient, donors: Donors) -> Iterator[Candidate]:
    """Put a right function in the place of the student's, the most similar one first.

    It is of the kind "method" unless it differs in a few lines in a row alone.
    """
    for place in recipient.functions:
        merged = [one for given in donors.get(place.path, ()) for one in _iterate_merged(recipient, place, given)]
        yield from (candidate for _, candidate in sorted(merged, key=lambda one: one[0])[:MOST_METHODS])


def iterate_missing_methods(recipient: Recipient, donors: Donors) -> Iterator[Candidate]:
    """Add a right method that the student's class lacks."""
    mine = {place.path for place in recipient.functions}
    for path, versions in donors.items():
        class_ = recipient.classes.get(path.rpartition(".")[0])
        spot = after(recipient.source, class_.body[-1]) if class_ and path not in mine else None
        for given in versions[:MOST_ADDED_METHODS] if spot else ():
            functions = bring_helpers(given.node, given, recipient.names, recipient.attributes)
            if functions and spot:
                texts = [indent_statement(recipient.source, one, spot.indent) for one in functions]
                line_break = recipient.source.line_break
                splice = insert_text(recipient.source, spot, line_break + line_break.join(texts))
                yield Candidate(splice, "method", METHOD)


def _rank_statements(
    recipient: Recipient, place: FunctionPlace, versions: Sequence[DonorFunction]
) -> list[tuple[ast.stmt, bool, int]]:
    """Return statements of right functions that make sense in the student's.

    With each comes whether most of these have it, and in how many loops it stands there.
    """
    own = {ast.unparse(one) for _, _, block in iterate_blocks(place.node) for one in block}
    known = recipient.names.union(bound_names(ast.walk(place.node)))
    counts: Counter[str] = Counter()
    statements: dict[str, ast.stmt] = {}
    depths: Counter[str] = Counter()
    for given in versions:
        renamed = rename_like(place.node, given.node)
        loops = [{*ast.walk(node)} for node in ast.walk(renamed) if isinstance(node, ast.For | ast.While)]
        for _, _, block in iterate_blocks(renamed):
            for statement in block:
                text = ast.unparse(statement)
                if text not in own and len(text) <= LONGEST_STATEMENT and not isinstance(statement, ast.Pass):
                    counts[text] += given.count
                    statements.setdefault(text, statement)
                    depths[text] = max(depths[text], sum(statement in nodes for nodes in loops))
    half = sum(given.count for given in versions) / 2
    ranked = [(statements[text], count > half, depths[text]) for text, count in counts.most_common()]
    return [one for one in ranked if _makes_sense(one[0], known, recipient, place.node, versions)][:MOST_STATEMENTS]


def _makes_sense(
    statement: ast.stmt,
    known: frozenset[str],
    recipient: Recipient,
    function: Function,
    versions: Sequence[DonorFunction],
) -> bool:
    nodes = list(ast.walk(statement))
    strange = {node.attr for node in nodes if isinstance(node, ast.Attribute)} - recipient.attributes
    helpers = ((given.in_class, attribute) in given.donor.methods for given in versions for attribute in strange)
    asks_function = any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in recipient.function_names
        for node in nodes
    )
    makes_generator = _makes_generator(statement) and not _makes_generator(function)
    return not (list_unknown_names(nodes, known) or any(helpers) or asks_function or makes_generator)


def _add_statement(source: Source, function: Function, statement: ast.stmt, cost: int) -> Iterator[Candidate]:
    """Put a statement in at every place; one that leaves only at the end of a block, since nothing runs behind it."""
    rows = ast.unparse(statement).split("\n")
    spots = list_spots(source, function)
    if isinstance(statement, LEAVES):
        spots = [spot for _, _, block in iterate_blocks(function) if (spot := after(source, block[-1]))]
    if len(rows) > FEW_LINES:
        return
    for spot in spots:
        text = "".join(f"{spot.indent}{row}{source.line_break}" for row in rows)
        yield Candidate(insert_text(source, spot, text), "add statement", cost + len(rows) - 1)


def _makes_generator(node: ast.AST) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(node))


def _replace_statements(source: Source, function: Function, statement: ast.stmt) -> Iterator[Candidate]:
    """Put a statement in the place of each that may have been meant like it."""
    new = ast.unparse(statement)
    for _, _, block in iterate_blocks(function):
        for old in block[code_start(block) :]:
            both_simple = isinstance(old, SIMPLE) and isinstance(statement, SIMPLE)
            if not (both_simple or type(old) is type(statement)) or not (lines := source.lines_of(old)):
                continue
            if isinstance(statement, LEAVES) and old is not block[-1]:
                continue
            is_alike = SequenceMatcher(None, ast.unparse(old), new).ratio() > ALIKE
            merged = Merger(source).merge([old], [statement], source.indent(old))
            if merged is not None:
                cost = (
                    REPLACED
                    + UNLIKE * (not is_alike)
                    + max(0, merged.count_new_lines() - 1)
                    + max(0, merged.lost - 1)
                )
                yield Candidate(trim_same_lines(source, Splice(*lines, merged.text)), "add statement", cost)


def _iterate_merged(
    recipient: Recipient, place: FunctionPlace, given: DonorFunction
) -> Iterator[tuple[int, Candidate]]:
    """Yield the function with a right one's statements where it differs, and how many lines that changes."""
    source, lines = recipient.source, recipient.source.lines_of(place.node)
    if lines is None:
        return
    renamed = rename_like(place.node, given.node)
    is_generator_alike = _makes_generator(renamed) == _makes_generator(place.node)
    used = {node.id for node in ast.walk(renamed) if isinstance(node, ast.Name)} & recipient.function_names
    own_helpers = used.intersection(given.donor.bindings) - {place.node.name}
    for known in [recipient.names, recipient.names - own_helpers][: 1 + bool(own_helpers)]:
        functions = bring_helpers(renamed, given, known, recipient.attributes)
        if functions is None:
            continue
        first, *helpers = functions
        indent = source.indent(place.node)
        merged = Merger(source).merge([place.node], [first], indent)
        if merged is None:
            merged = MergedLines(
                [Piece(indent_statement(source, first, indent), is_own=False)], first.end_lineno or 0
            )
        text = merged.text + "".join(source.line_break + indent_statement(source, one, indent) for one in helpers)
        changes = merged.count_new_lines() + merged.lost + sum(len(one.body) for one in helpers)
        is_small = (
            is_generator_alike
            and merged.hunks == 1
            and not helpers
            and merged.count_new_lines() <= FEW_LINES >= merged.lost
        )
        kind: EditKind = "add statement" if is_small else "method"
        beyond_one_line = max(0, merged.count_new_lines() - 1) + max(0, merged.lost - 1)
        cost = SMALL_METHOD + beyond_one_line if is_small else METHOD + changes
        yield changes, Candidate(trim_same_lines(source, Splice(*lines, text)), kind, cost)


def _walk_outside_functions(statement: ast.stmt) -> Iterator[ast.AST]:
    yield statement
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                yield from _walk_outside_functions(child)
            else:
                yield from ast.walk(child)

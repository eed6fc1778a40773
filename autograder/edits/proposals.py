"""Propose every small change of a wrong program: each a whole source that compiles, the likelier ones first."""

from __future__ import annotations

import re
import sys
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from heapq import merge
from itertools import chain, islice

from autograder.edits.donations import (
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
    iterate_resets,
)
from autograder.edits.model import ProposedEdit
from autograder.edits.names import NameCollector
from autograder.edits.node_edits import DEAR, NodeEdits
from autograder.edits.probes import find_body
from autograder.edits.splicing import (
    Candidate,
    Function,
    FunctionPlace,
    Source,
    Splice,
    iterate_block_edits,
    list_functions,
)
from autograder.syntax_trees import MOST_DEPTH, SyntaxTree, parse_bounded_source

ASSIGNED_TWICE = re.compile(r"\s*([\w.]+) = \1 = ")
MOST_CANDIDATES = 7_000
"""Changes of statements, and changes of other nodes, that are thought of; of these the likeliest are tried."""
MOST_EDITS = 5_000
MOST_COMPILED = 8_000_000
"""Characters that are compiled to see whether a change is Python."""
MOST_KEPT = 50_000_000
"""Characters of all proposed programs together."""


def propose_edits(
    source: str,
    file: str = "value.py",
    donors: Sequence[str] = (),
    rate_function: Callable[[str], float] = lambda _: 0,
    idle_functions: Collection[str] = (),
    is_wanted: Callable[[str], bool] = lambda _: True,
) -> Iterator[ProposedEdit]:
    r"""Yield the changes of a program in one place, the cheapest ones first.

    Args:
        source: a student's program. One that is not Python, or too long to be read, has no changes.
        file: its name, for the compiler.
        donors: right programs; statements of their functions are put into the student's functions of the same name.
        rate_function: tells how much cheaper the changes of a function are, by its path such as ``Value.tanh``.
        idle_functions: the paths of outermost functions whose bodies stay as they are.
        is_wanted: tells of a function's path, each time that a change of it has its turn, whether it is wanted.

    >>> edits = propose_edits("def half(x):\n    return x * 2  # half of it\n")
    >>> "def half(x):\n    return x / 2  # half of it\n" in [edit.text for edit in edits]
    True
    """
    parsed = _parse(source)
    if parsed is None:
        return
    functions = list_functions(parsed.tree)
    idle = [place.node for place in functions if place.node is place.outermost and place.path in idle_functions]
    placed = _iterate_placed(parsed, functions, idle, tuple(donors), rate_function)
    yield from _select(parsed, functions, (one for one in placed if is_wanted(one[0])), file)


def _iterate_placed(
    source: Source,
    functions: list[FunctionPlace],
    idle: Sequence[Function],
    donors: tuple[str, ...],
    rate_function: Callable[[str], float],
) -> Iterator[tuple[str, Candidate]]:
    """Yield candidates with the functions that they change; the dear ones are not made before they are wanted."""

    def place(*parts: Iterator[Candidate]) -> list[tuple[str, Candidate]]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd code is expected here
            candidates = chain.from_iterable(map(_take_while_small, parts))
            return _place(source, functions, _leave_bodies_out(source, idle, candidates), rate_function)

    names = NameCollector(source.tree, functions)
    node_edits = NodeEdits(source, names, idle)
    statement_edits = chain(
        iterate_block_edits(source),
        iterate_definition_edits(source, functions, names.undefined),
        iterate_fillings(source, functions),
        iterate_resets(source, functions),
        iterate_carried_values(source, functions),
        iterate_copies(source, functions),
    )
    cheap = place(statement_edits, node_edits.iterate_cheap())
    highest_rate = max(rate_function(name) for name in ("", *(one.path for one in functions)))
    count = bisect_left(cheap, DEAR - highest_rate, key=lambda one: one[1].cost - rate_function(one[0]))
    yield from cheap[:count]
    recipient, right_functions = Recipient(source, functions, idle), read_donors(donors)
    similar = iterate_similar_functions(recipient, right_functions)
    donated = chain(
        iterate_donated_statements(recipient, right_functions),
        (candidate for candidate in similar if candidate.kind != "method"),
    )
    dear = place(donated, node_edits.iterate_dear())
    yield from merge(cheap[count:], dear, key=partial(_get_order, rate_function))


def propose_methods(source: str, file: str, donors: Sequence[str]) -> Iterator[ProposedEdit]:
    """Yield the program with one function or method of a right program: in place of the student's, or added.

    One that differs from the student's in a few lines is among the changes of ``propose_edits``, too.

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
            iterate_similar_functions(recipient, right_functions),
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

"""Find the definitions in the text of a submission, with their lines; nothing is run."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from autograder.cached_syntax_trees import may_parse_together
from autograder.english_wording import choose_by_count, join_with_and
from autograder.submissions.ipython_magics import try_parse_cell
from autograder.submissions.submission_model import SourceUnit
from autograder.submissions.untagged_definition_removal import FUNCTION, uses_earlier_binding

LINE = re.compile(r"^(?:class|def)\s+(\w+)", re.M)
"""Matches a definition's line in a text that is too long to be parsed."""


@dataclass(frozen=True, slots=True)
class DefinitionLocation:
    """A class or function, and the line where it begins."""

    name: str
    unit_name: str
    line: int
    replaces_earlier: bool = True
    """Whether it replaces an earlier definition; ``class Value(Value)`` builds on it instead."""


def list_top_level_definitions(units: Sequence[SourceUnit]) -> list[DefinitionLocation]:
    r"""Return the classes and functions that stand at the top level, in order.

    >>> source = "class Value:\n    pass\n\ndef step(): pass\n"
    >>> [(one.name, one.line) for one in list_top_level_definitions([SourceUnit("value.py", source)])]
    [('Value', 1), ('step', 4)]
    """
    may_parse = _may_parse_all(units)
    return [definition for unit in units for definition in _iterate_definitions(unit, may_parse=may_parse)]


def _may_parse_all(units: Sequence[SourceUnit]) -> bool:
    return may_parse_together([unit.source for unit in units])


def _iterate_definitions(unit: SourceUnit, *, may_parse: bool) -> Iterator[DefinitionLocation]:
    tree = try_parse_cell(unit.source) if may_parse else None
    if tree is None:
        line, counted = 1, 0
        for match in LINE.finditer(unit.source):
            line, counted = line + unit.source.count("\n", counted, match.start()), match.start()
            yield DefinitionLocation(match[1], unit.name, line)
    else:
        yield from _iterate_definitions_in_body(tree.body, unit.name)


def _iterate_definitions_in_body(body: Iterable[ast.stmt], unit: str) -> Iterator[DefinitionLocation]:
    for node in body:
        if isinstance(node, (*FUNCTION, ast.ClassDef)):
            yield DefinitionLocation(node.name, unit, node.lineno, not uses_earlier_binding(node, node.name))


def list_redefinition_notes(
    units: Sequence[SourceUnit], required_names: Collection[str], skipped_statements: Collection[tuple[int, int]] = ()
) -> list[str]:
    """Return notes on required names, and methods of such classes, that are defined twice: only the last one counts.

    Args:
        units: what is run, in order.
        required_names: the names that the assignment requires.
        skipped_statements: statements that did not run, as (unit, position).
    """
    if not _may_parse_all(units):
        return []
    places: dict[str, list[DefinitionLocation]] = defaultdict(list)
    for number, unit in enumerate(units):
        tree = try_parse_cell(unit.source)
        if tree is None:
            continue  # a syntax error, or too long to be parsed
        body = [node for place, node in enumerate(tree.body) if (number, place) not in skipped_statements]
        for definition in _iterate_definitions_in_body(body, unit.name):
            if definition.name in required_names:
                if not definition.replaces_earlier:
                    places[definition.name].clear()
                places[definition.name].append(definition)
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name in required_names:
                for method in _iterate_definitions_in_body(_iterate_undecorated(node.body), unit.name):
                    places[f"{node.name}.{method.name} {unit.name} {node.lineno}"].append(method)
    return [
        f"`{name.partition(' ')[0]}` is defined {_format_times(len(definitions))}: "
        f"{_format_places(definitions)}. The last one counts."
        for name, definitions in places.items()
        if len(definitions) > 1
    ]


def _iterate_undecorated(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield methods without decorators: a property and its setter share a name, and both count."""
    return (node for node in body if not getattr(node, "decorator_list", ()))


def _format_times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def _format_places(definitions: Sequence[DefinitionLocation]) -> str:
    """Return the places of definitions, such as ``value.py, lines 3 and 40``."""
    parts = []
    for unit, group in groupby(definitions, key=lambda definition: definition.unit_name):
        lines = [str(definition.line) for definition in group]
        parts.append(f"{unit}, {choose_by_count(len(lines), 'line', 'lines')} {join_with_and(lines)}")
    return "; ".join(parts)

"""Find definitions and imports in the text of a submission, and take out those that do not count."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from autograder.course.assignment_code import GivenCode, list_defined_names_except_imports
from autograder.submissions.notebook_cells import MOST_PARSED, try_parse_cell
from autograder.submissions.submission_model import SourceUnit, Submission, UngradableSubmission
from autograder.syntax_trees import (
    NoSyntaxTreeReason,
    SyntaxTree,
    may_parse_together,
    parse_source_of_any_node_count,
    try_parse_program,
)
from autograder.text import choose_by_count, escape_for_sentence, join_with_and


def list_imported_names(sources: Iterable[str]) -> list[str]:
    """Return each package that is imported somewhere, and each name from a module as ``module.name``, once.

    A source that is too long to be parsed, or is not Python, imports nothing.

    Args:
        sources: the files or cells, in order.

    >>> list_imported_names(["import numpy.linalg", "from math import tanh"])
    ['numpy', 'math', 'math.tanh']
    """
    return [
        *dict.fromkeys(name for syntax in try_parse_program([*sources]) for name in _iterate_imported_names(syntax))
    ]


def _get_bound_name(alias: ast.alias) -> str:
    """Return the name that a part of an import statement binds: ``a`` for ``import a.b``."""
    return alias.asname or alias.name.partition(".")[0]


def _iterate_imported_names(syntax: SyntaxTree | None) -> Iterator[str]:
    for node in syntax.nodes if syntax else ():
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITION = (*FUNCTION, ast.ClassDef, ast.Import, ast.ImportFrom)
MOST_TOGETHER = 8 * MOST_PARSED
"""Most characters of all cells that mention a required name; with more, none of them is parsed."""
NAMED_LINE = r"^(?:class|def)\s+%(name)s\b(?!\s*\(\s*%(name)s\b)"
"""Matches a definition's line in a cell that is too long to be parsed."""
SCOPE = (*FUNCTION, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def remove_untagged_redefinitions(
    units: tuple[SourceUnit, ...], required_names: Sequence[str]
) -> tuple[tuple[SourceUnit, ...], tuple[str, ...]]:
    """Remove statements of untagged cells about names that a tagged cell defines.

    Args:
        units: the units of one file, in order.
        required_names: the names that a submission must define.

    Returns:
        As many units with the same numbers of lines, and a sentence for each name that was left out somewhere.
    """
    if not any(unit.has_solution_tag for unit in units):
        return units, ()
    is_long = sum(len(unit.source) for unit in units if _names_any(unit.source, required_names)) > MOST_TOGETHER
    tagged_cells = [
        (unit.name, _parse_cell(unit.source, required_names, is_long)[1]) for unit in units if unit.has_solution_tag
    ]
    cells_by_name = {
        name: cells for name in required_names if (cells := [cell for cell, names in tagged_cells if name in names])
    }
    left_out_cells: dict[str, list[str]] = {name: [] for name in cells_by_name}
    new_units = []
    for unit in units:
        if unit.has_solution_tag:
            new_units.append(unit)
            continue
        source, removed_names = _remove_statements(unit.source, *_parse_cell(unit.source, [*cells_by_name], is_long))
        new_units.append(replace(unit, source=source))
        for name in removed_names:
            left_out_cells[name].append(unit.name)
    notes = (
        f"{join_with_and(cells_by_name[name])} {choose_by_count(len(cells_by_name[name]), 'has', 'have')} "
        f"the tag `solution`, so {name} is taken from there; {name} in {join_with_and(cells)} was left out."
        for name, cells in left_out_cells.items()
        if cells
    )
    return tuple(new_units), tuple(notes)


def _parse_cell(source: str, names: Sequence[str], is_long: bool) -> tuple[ast.Module | None, set[str]]:
    """Find the names that a cell defines, by its line beginnings if parsing would take too long.

    Returns:
        The parsed cell, None if it mentions none of the names, or cannot be parsed; and the names that it defines
        anew. ``class Value(Value)`` builds on an earlier definition, and is not included.
    """
    if not _names_any(source, names):
        return None, set()
    if is_long or len(source) > MOST_PARSED:
        return None, {name for name in names if re.search(NAMED_LINE % {"name": re.escape(name)}, source, re.M)}
    tree = try_parse_cell(source)
    return tree, {
        name
        for node in _iterate_nodes_run_with(*(tree.body if tree else ()))  # a cell with a syntax error cannot run
        for name in _list_bound_names(node)
        if name in names and not _uses_earlier_binding(node, name)
    }


def _names_any(source: str, names: Sequence[str]) -> bool:
    return any(name in source for name in names)


def _iterate_nodes_run_with(*nodes: ast.AST) -> Iterator[ast.AST]:
    """Yield nodes and the nodes in them that run at once, without the bodies of functions and classes."""
    stack = [*nodes]  # a stack in place of recursion, because a tree may be deep
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPE):
            stack += ast.iter_child_nodes(node)


def _list_bound_names(statement: ast.AST) -> list[str]:
    """Return the names that a statement binds, imported ones too, without those that statements within it bind."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [_get_bound_name(alias) for alias in statement.names]
    return list_defined_names_except_imports(statement)


def _uses_earlier_binding(definition: ast.AST, name: str) -> bool:
    """Return whether a definition uses the earlier meaning of its own name."""
    match definition:
        case ast.ClassDef():
            nodes: list[ast.AST] = [*definition.decorator_list, *definition.bases, *definition.keywords]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            nodes = [
                *definition.decorator_list,
                *definition.args.defaults,
                *filter(None, definition.args.kw_defaults),
            ]
        case ast.Assign() | ast.AnnAssign() if definition.value is not None:
            nodes = [definition.value]
        case _:
            return False
    return any(isinstance(part, ast.Name) and part.id == name for part in _iterate_nodes_run_with(*nodes))


def _remove_statements(source: str, tree: ast.Module | None, gone: set[str]) -> tuple[str, set[str]]:
    """Return a cell without the statements about the names that it defines, and these names.

    A statement is about a name if it defines the name or works on it at once. Lines keep their numbers.
    """
    if tree is None or not gone:
        return ("" if gone else source), gone
    lines = source.replace("\r\n", "\n").replace("\r", "\n").encode().split(b"\n")
    for statement in reversed(tree.body):
        if _is_about_names(statement, gone):
            _replace_statement_in_place(lines, statement, "pass")
    return b"\n".join(lines).decode(), gone


def _replace_statement_in_place(lines: list[bytes], statement: ast.stmt, new_text: str) -> None:
    """Put a statement of one line where another stands; the lines below keep their numbers.

    Args:
        lines: a source in UTF-8, line by line; changed in place.
        statement: as it was parsed from these lines.
        new_text: what stands there instead.
    """
    first, column = statement.lineno, statement.col_offset
    if decorators := getattr(statement, "decorator_list", []):
        first, column = decorators[0].lineno, statement.col_offset
    last = statement.end_lineno or first
    before, after = lines[first - 1][:column], lines[last - 1][statement.end_col_offset :]
    lines[first - 1 : last] = [b""] * (last - first + 1)
    if before.strip().endswith(b":"):  # ``if x: Value = (1,``
        lines[first - 1] = before + new_text.encode() + after
    else:
        indent = before[: len(before) - len(before.lstrip())]
        lines[first - 1] = before.rstrip()
        lines[last - 1] = (before if first == last else indent) + new_text.encode() + after


def _is_about_names(statement: ast.stmt, names: set[str]) -> bool:
    """Return whether a statement defines one of the names, or mentions one without being a definition."""
    if any(name in names for node in _iterate_nodes_run_with(statement) for name in _list_bound_names(node)):
        return True
    mentions = any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(statement))
    return mentions and not isinstance(statement, DEFINITION)


DEFINITION_LINE = re.compile(r"^(?:class|def)\s+(\w+)", re.M)
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
        for match in DEFINITION_LINE.finditer(unit.source):
            line, counted = line + unit.source.count("\n", counted, match.start()), match.start()
            yield DefinitionLocation(match[1], unit.name, line)
    else:
        yield from _iterate_definitions_in_body(tree.body, unit.name)


def _iterate_definitions_in_body(body: Iterable[ast.stmt], unit: str) -> Iterator[DefinitionLocation]:
    for node in body:
        if isinstance(node, (*FUNCTION, ast.ClassDef)):
            yield DefinitionLocation(node.name, unit, node.lineno, not _uses_earlier_binding(node, node.name))


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


NAME = "given code"
"""The name of the original in messages; its lines have the same numbers as in the template."""
MODULE = "submission"
"""The module that a submission's units run in, for the files beside them."""


def restore_given_code(submission: Submission, given: GivenCode) -> Submission:
    """Return a submission with the original given code, and a note for each part that the student had changed.

    Args:
        submission: as it was read.
        given: the assignment's given code.

    Raises:
        UngradableSubmission: a source with a name of the given code is too long or nested too deeply to be read here,
            so it cannot be seen whether it has another version.
    """
    if not given.definitions:
        return submission
    sources = [*(unit.source for unit in submission.units), *submission.modules.values()]
    if not may_parse_together([source for source in sources if _mentions_given_name(source, given)]):
        raise _make_unreadable("The code", submission)
    changes: dict[str, list[str]] = {}

    def restore(source: str, where: str, instead: str) -> str:
        left = _leave_out_or_none(source, given, instead)
        if left is None:
            raise _make_unreadable(where, submission)
        new_source, changed_lines = left
        for name, line in changed_lines.items():
            changes.setdefault(name, []).append(f"{escape_for_sentence(where, 80)}, line {line},")
        return new_source

    units = [replace(unit, source=restore(unit.source, unit.name, "pass")) for unit in submission.units]
    modules = {
        name: restore(source, f"{name}.py", f"from {MODULE} import %s") for name, source in submission.modules.items()
    }
    notes = [
        f"`{name}` is given, and {join_with_and(places)} {choose_by_count(len(places), 'has', 'have')} another "
        "version of it. The original was used: what you add belongs outside of the given code."
        for name, places in changes.items()
    ]
    return replace(
        submission,
        units=(SourceUnit(NAME, given.source, given=True), *units),
        modules=modules,
        notes=(*submission.notes, *notes),
        given_names=tuple(
            name for name, one in given.definitions.items() if isinstance(one, ast.ClassDef | ast.FunctionDef)
        ),
    )


def _make_unreadable(where: str, submission: Submission) -> UngradableSubmission:
    return UngradableSubmission(
        "too-large",
        f"{escape_for_sentence(where, 80)} is too long, or nested too deeply, to be compared with the given code. "
        "Hand in your own code alone, and divide its longest statement into several.",
        sha256=submission.sha256,
        files=submission.files,
    )


def _mentions_given_name(source: str, given: GivenCode) -> bool:
    return any(name in source for name in given.definitions)


def _leave_out_or_none(source: str, given: GivenCode, instead: str) -> tuple[str, dict[str, int]] | None:
    """Leave the definitions of given names out of a source; return None where it cannot be seen if there are any.

    Args:
        source: of a file or a cell. One that is not Python stays as it is.
        instead: the statement that replaces a definition; ``%s`` stands for the names.

    Returns:
        The source, and the line of each statement that was left out and differs from the original, by its name.
    """
    tree = (
        parse_source_of_any_node_count(source)
        if _mentions_given_name(source, given)
        else NoSyntaxTreeReason.NOT_PYTHON
    )
    if isinstance(tree, NoSyntaxTreeReason):
        return (source, {}) if tree is NoSyntaxTreeReason.NOT_PYTHON else None
    lines = source.replace("\r\n", "\n").replace("\r", "\n").encode().split(b"\n")
    changed: dict[str, int] = {}
    for statement in sorted(_statements(tree.body), key=lambda one: (one.lineno, one.col_offset), reverse=True):
        names = [name for name in dict.fromkeys(_list_bound_names(statement)) if name in given.definitions]
        if not names or any(_uses_earlier_binding(statement, name) for name in names):
            continue
        _replace_statement_in_place(
            lines, statement, _others(statement, names) or instead.replace("%s", ", ".join(names))
        )
        # an imported file is checked itself, or does not exist
        is_import = isinstance(statement, ast.Import | ast.ImportFrom)
        if not is_import and not all(_is_same(statement, given.definitions[name]) for name in names):
            changed |= dict.fromkeys(names, statement.lineno)
    return b"\n".join(lines).decode(), dict(reversed(changed.items()))


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run when a source is loaded, those under ``if`` and ``try`` too."""
    left = [*body]  # a stack in place of recursion: a tree may be deep
    while left:
        statement = left.pop()
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for part in (statement, *getattr(statement, "handlers", ())):
                for field in ("body", "orelse", "finalbody"):
                    left += getattr(part, field, [])
        else:
            yield statement


def _others(statement: ast.stmt, names: list[str]) -> str:
    """Return what an import brings besides the given names, as a statement; empty if that is nothing."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return ""
    others = [alias for alias in statement.names if _get_bound_name(alias) not in names]
    if not others:
        return ""
    if isinstance(statement, ast.Import):
        return ast.unparse(ast.Import(others))
    return ast.unparse(ast.ImportFrom(statement.module, others, statement.level))


def _is_same(statement: ast.stmt, original: ast.stmt) -> bool:
    """Return whether two definitions differ in comments, layout and docstrings at most."""
    left: list[tuple[Any, Any]] = [(statement, original)]  # a stack in place of recursion: a tree may be deep
    while left:
        one, other = left.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.AST):
            left += zip(_list_parts(one), _list_parts(other), strict=True)
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            left += zip(one, other, strict=True)
        elif repr(one) != repr(other):  # -0.0 == 0.0
            return False
    return True


def _list_parts(node: ast.AST) -> list[Any]:
    """Return the values of a node's fields, its body without a docstring."""
    parts = {name: getattr(node, name, None) for name in node._fields}
    if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
        parts["body"] = node.body[1:] or [ast.Pass()]
    return [*parts.values()]

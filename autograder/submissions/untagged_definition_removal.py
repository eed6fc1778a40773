"""Remove the definitions of untagged cells for each name that a cell tagged ``solution`` defines.

Only the statements about such a name are removed from an untagged cell, because the tagged cell may need an import or
a helper from the same cell.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.course.given_code import list_defined_names_except_imports
from autograder.english_wording import choose_by_count, join_with_and
from autograder.submissions.imported_names import get_bound_name
from autograder.submissions.ipython_magics import MOST_PARSED, try_parse_cell
from autograder.submissions.submission_model import SourceUnit

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITION = (*FUNCTION, ast.ClassDef, ast.Import, ast.ImportFrom)
MOST_TOGETHER = 8 * MOST_PARSED
"""Most characters of all cells that mention a required name; with more, none of them is parsed."""
LINE = r"^(?:class|def)\s+%(name)s\b(?!\s*\(\s*%(name)s\b)"
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
        return None, {name for name in names if re.search(LINE % {"name": re.escape(name)}, source, re.M)}
    tree = try_parse_cell(source)
    return tree, {
        name
        for node in _iterate_nodes_run_with(*(tree.body if tree else ()))  # a cell with a syntax error cannot run
        for name in list_bound_names(node)
        if name in names and not uses_earlier_binding(node, name)
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


def list_bound_names(statement: ast.AST) -> list[str]:
    """Return the names that a statement binds, imported ones too, without those that statements within it bind."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [get_bound_name(alias) for alias in statement.names]
    return list_defined_names_except_imports(statement)


def uses_earlier_binding(definition: ast.AST, name: str) -> bool:
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
            replace_statement_in_place(lines, statement, "pass")
    return b"\n".join(lines).decode(), gone


def replace_statement_in_place(lines: list[bytes], statement: ast.stmt, new_text: str) -> None:
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
    if any(name in names for node in _iterate_nodes_run_with(statement) for name in list_bound_names(node)):
        return True
    mentions = any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(statement))
    return mentions and not isinstance(statement, DEFINITION)

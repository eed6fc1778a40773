"""Put in what a program lacks: statements of its own, an import, a default, ``self``."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product

from autograder.edits.names import bound_names
from autograder.edits.splicing import (
    Candidate,
    FunctionPlace,
    Source,
    Splice,
    Spot,
    after,
    before,
    code_start,
    insert_text,
    iterate_blocks,
)

MOST_COPIES = 150
"""Copies of statements that are put into one function."""
LONGEST_COPY = 120
FILLING = {"set()": ".add(%s)", "[]": ".append(%s)", "list()": ".append(%s)", "{}": "[%s] = True"}
"""How a thing is put into what was made empty."""


def list_spots(source: Source, function: ast.AST) -> list[Spot]:
    """Return the places in a function where a statement can be put in."""
    spots: dict[Spot, None] = {}
    for _, _, block in iterate_blocks(function):
        for statement in block[code_start(block) :]:
            if spot := before(source, statement):
                spots[spot] = None
        if spot := after(source, block[-1]):
            spots[spot] = None
    return list(spots)


def iterate_copies(source: Source, functions: list[FunctionPlace]) -> Iterator[Candidate]:
    """Put statements of a class into its other methods, and of a function elsewhere in it; the shared ones first."""
    for place in functions:
        if place.node is not place.outermost:
            continue
        siblings = [
            other for other in functions if other.in_class is place.in_class and other.node is other.outermost
        ]
        own = _list_simple_statements(source, place.node)
        counts = Counter(text for other in siblings for text in _list_simple_statements(source, other.node))
        nodes = list(ast.walk(place.node))
        local = {one.id for one in nodes if isinstance(one, ast.Name)} | {
            one.arg for one in nodes if isinstance(one, ast.arg)
        }
        shared = [text for text, count in counts.most_common() if count > 1 and text not in own]
        spots = list_spots(source, place.node)
        ends = [spot for _, _, block in iterate_blocks(place.node) if (spot := after(source, block[-1]))]
        made = 0
        for text in (*shared, *own):
            if made > MOST_COPIES or not _names_in(text) <= local:
                continue
            for spot in ends if text.startswith(("return", "continue", "break")) else spots:
                made += 1
                splice = insert_text(source, spot, spot.indent + text + source.line_break)
                yield Candidate(splice, "add statement", 6 if text in own else 4)


def iterate_fillings(source: Source, functions: list[FunctionPlace]) -> Iterator[Candidate]:
    """Fill what is asked and never filled: put ``seen.add(node)`` into a function that asks ``node in seen``."""
    for place in functions:
        if place.node is not place.outermost:
            continue
        nodes = list(ast.walk(place.node))
        asked_at = {id(one) for node in nodes if isinstance(node, ast.Compare) for one in node.comparators}
        made_at = {id(target) for node in nodes for target, _ in _list_assignments(node)}
        uses = Counter(
            one.id
            for one in nodes
            if isinstance(one, ast.Name) and id(one) not in asked_at and id(one) not in made_at
        )
        empty = {
            target.id: FILLING[ast.unparse(value)]
            for node in nodes
            for target, value in _list_assignments(node)
            if isinstance(target, ast.Name) and not uses[target.id] and ast.unparse(value) in FILLING
        }
        for node in nodes:
            match node:
                case ast.Compare(
                    left=ast.Name() as member, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]
                ):
                    for spot in list_spots(source, place.node) if name in empty else ():
                        text = f"{spot.indent}{name}{empty[name] % member.id}{source.line_break}"
                        yield Candidate(insert_text(source, spot, text), "add statement", 1)


def iterate_resets(source: Source, functions: list[FunctionPlace]) -> Iterator[Candidate]:
    """Empty in each call what would be kept from the one before: ``self.seen = set()`` at a method's beginning."""
    kept: dict[str, str] = {}
    for node in ast.walk(source.tree):
        for target, value in _list_assignments(node):
            if isinstance(target, ast.Attribute) and (made := ast.unparse(value)) in FILLING:
                kept[source.piece(target)] = f" = {made}"
    for statement in source.tree.body:
        for target, value in _list_assignments(statement):
            if isinstance(target, ast.Name) and ast.unparse(value) in FILLING:
                kept[target.id] = ".clear()"
    for place in functions if kept else ():
        function = place.node
        spot = before(source, function.body[min(code_start(function.body), len(function.body) - 1)])
        if function is not place.outermost or function.name == "__init__" or spot is None:
            continue
        used = (source.piece(node) for node in ast.walk(function) if isinstance(node, ast.Name | ast.Attribute))
        for name in dict.fromkeys(name for name in used if name in kept):
            text = f"{spot.indent}{name}{kept[name]}{source.line_break}"
            yield Candidate(insert_text(source, spot, text), "add statement", 2)


def _list_assignments(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return list(zip(targets, values, strict=False))
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            return [(target, value)]
    return []


def _names_in(text: str) -> set[str]:
    return {one.id for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Name) and one.id[:1].islower()}


def _list_simple_statements(source: Source, function: ast.AST) -> list[str]:
    """Return the short statements of one line in a function, each once."""
    texts = (
        source.piece(statement)
        for _, _, block in iterate_blocks(function)
        for statement in block[code_start(block) :]
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return | ast.Continue | ast.Break)
    )
    short = (text for text in texts if "\n" not in text and "\r" not in text and len(text) <= LONGEST_COPY)
    return list(dict.fromkeys(short))


def iterate_definition_edits(
    source: Source, functions: list[FunctionPlace], undefined: frozenset[str]
) -> Iterator[Candidate]:
    """Yield what a file, class or function may lack: an import, ``self``, a default, ``nonlocal``, ``return``."""
    body = source.tree.body
    if body and (spot := before(source, body[min(code_start(body), len(body) - 1)])):
        later = [one for one in body if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
        spot = after(source, later[-1]) if later else spot
        for name in sorted(undefined & sys.stdlib_module_names):
            if spot:
                yield Candidate(insert_text(source, spot, f"import {name}{source.line_break}"), "add statement", 0)
    for place in functions:
        yield from _complete_definition(source, place)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            yield from _move_into_init(source, node)


def _complete_definition(source: Source, place: FunctionPlace) -> Iterator[Candidate]:
    function = place.node
    parameters = function.args.args
    decorated = {one.id for one in function.decorator_list if isinstance(one, ast.Name)}
    header = re.compile(r"def\s+\w+\s*\(").search(source.text, source.offset(function.lineno, function.col_offset))
    if place.in_class and header and (not parameters or parameters[0].arg != "self") and not decorated:
        yield Candidate(Splice(header.end(), header.end(), "self, " if parameters else "self"), "argument", 1)
    if place.in_class and not decorated and (spot := before(source, function)):
        decorator = "property" if len(parameters) == 1 else "staticmethod"
        text = f"{spot.indent}@{decorator}{source.line_break}"
        yield Candidate(insert_text(source, spot, text), "add statement", 7)
    for parameter in parameters[len(function.args.posonlyargs) : len(parameters) - len(function.args.defaults)][-1:]:
        if parameter.arg != "self":
            end = source.span(parameter)[1]
            for default in ("()", "None", "0", "0.0", '""', "True", "False"):
                sign = " = " if parameter.annotation else "="
                yield Candidate(Splice(end, end, sign + default), "default", 4)
    yield from _make_default_anew(source, function)
    start = code_start(function.body)
    first, last = before(source, function.body[min(start, len(function.body) - 1)]), after(source, function.body[-1])
    if first is None or last is None:
        return
    stored = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    read = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)} | {one.arg for one in parameters}
    word = "nonlocal" if place.outermost is not function else "global"
    for name in sorted(stored):
        text = f"{first.indent}{word} {name}{source.line_break}"
        yield Candidate(insert_text(source, first, text), "add statement", 4 if word == "nonlocal" else 6)
    for name in (*sorted(read | {one.node.name for one in place.inner}), "NotImplemented"):
        text = f"{last.indent}return {name}{source.line_break}"
        yield Candidate(insert_text(source, last, text), "add statement", 3)


def _make_default_anew(source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Candidate]:
    """Make a default that calls would share anew in each: ``seen=set()`` -> ``seen=None`` and ``if seen is None``."""
    parameters, defaults = [*function.args.posonlyargs, *function.args.args], function.args.defaults
    spot = before(source, function.body[min(code_start(function.body), len(function.body) - 1)])
    for parameter, default in zip(parameters[len(parameters) - len(defaults) :], defaults, strict=True):
        if spot and isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call | ast.ListComp):
            made = source.piece(default)
            rows = (f"if {parameter.arg} is None:", f"    {parameter.arg} = {made}")
            text = "".join(f"{spot.indent}{row}{source.line_break}" for row in rows)
            yield Candidate(
                source.merge([Splice(*source.span(default), "None"), insert_text(source, spot, text)]), "default", 1
            )


def iterate_carried_values(source: Source, functions: list[FunctionPlace]) -> Iterator[Candidate]:
    """Let the next round of a loop go on from this one: put ``before = after`` at the loop's end."""
    for place in functions:
        if place.node is not place.outermost:
            continue
        parameters = [one.arg for one in place.node.args.args if one.arg != "self"]
        stored = [*parameters, *bound_names(ast.walk(place.node))]
        for loop in ast.walk(place.node):
            if not isinstance(loop, ast.For | ast.While) or not (spot := after(source, loop.body[-1])):
                continue
            nodes = [node for statement in loop.body for node in ast.walk(statement)]
            read = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
            own = [*bound_names(ast.walk(loop.target)), *bound_names(nodes)] if isinstance(loop, ast.For) else []
            kept = [name for name in dict.fromkeys(stored) if name in read and name not in own]
            for name, value in product(kept, dict.fromkeys(own)):
                text = f"{spot.indent}{name} = {value}{source.line_break}"
                yield Candidate(insert_text(source, spot, text), "add statement", 3)
            yield from _add_once(source, loop, frozenset(own))


def _add_once(source: Source, loop: ast.For | ast.While, own: frozenset[str]) -> Iterator[Candidate]:
    """Add a term behind a loop, and not in each round: ``a += b + c`` -> ``a += b`` and, below, ``a += c``."""
    below = after(source, loop)
    for statement in loop.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=total)], value=value):
                start = f"{total} = {total} + "
            case ast.AugAssign(target=ast.Name(id=total), op=ast.Add(), value=value):
                start = f"{total} += "
            case _:
                continue
        for node in ast.walk(value):
            match node:
                case ast.BinOp(left=left, op=ast.Add(), right=right) if below:
                    for kept, term in ((left, right), (right, left)):
                        if _names_in(ast.unparse(term)).isdisjoint({*own, total}):
                            text = f"{below.indent}{start}{source.piece(term)}{source.line_break}"
                            splices = [
                                Splice(*source.span(node), source.piece(kept)),
                                insert_text(source, below, text),
                            ]
                            yield Candidate(source.merge(splices), "term", 3)


def _move_into_init(source: Source, class_: ast.ClassDef) -> Iterator[Candidate]:
    """Let every object have its own: ``grad = 0`` in a class -> ``self.grad = 0`` in ``__init__``."""
    init = next((one for one in class_.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    for index, statement in enumerate(class_.body):
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                pass
            case _:
                continue
        removed, lines = source.without(class_.body, index), source.lines_of(statement)
        if removed is None or lines is None:
            continue
        text = f"self.{name} = {source.piece(value)}{source.line_break}"
        if init is None:
            indent, line_break = source.indent(statement), source.line_break
            made = f"{indent}def __init__(self):{line_break}{indent * 2}{text}"
            yield Candidate(Splice(*lines, made), "move statement", 2)
        elif spot := before(source, init.body[min(code_start(init.body), len(init.body) - 1)]):
            yield Candidate(
                source.merge([removed, insert_text(source, spot, spot.indent + text)]), "move statement", 1
            )

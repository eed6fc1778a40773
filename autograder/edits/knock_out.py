"""Take the body out of one function after another, to see which of them a test has anything to do with."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.edits.splicing import Function, Source, list_functions
from autograder.syntax_trees import SyntaxTree, parse_bounded_source


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """The lines of a function below its head, and the program without them."""

    function: str
    """The outermost function's path, such as ``Value.tanh``."""
    line: int
    end_line: int
    text_without: str
    """The whole source, in which the function raises, and all other lines stand where they stood."""


def list_function_bodies(source: str) -> list[FunctionBody]:
    r"""Return the outermost functions of a program whose bodies begin on a line of their own.

    >>> [body.text_without for body in list_function_bodies("def half(x):\n    y = x / 2\n    return y\n")]
    ['def half(x):\n    raise ArithmeticError\n\n']
    """
    tree = parse_bounded_source(source)
    if not isinstance(tree, SyntaxTree):
        return []
    parsed = Source(source, tree.tree)
    functions = [place for place in list_functions(tree.tree) if place.node is place.outermost]
    bodies = []
    for place in functions:
        span = find_body(parsed, place.node)
        if span is None:
            continue
        start, end = span
        raising = parsed.indent(place.node.body[0]) + "raise ArithmeticError"
        breaks = parsed.line_break * (len(parsed.text[start:end].splitlines()) - 1)
        rest = source[end:] if source[end - 1] not in "\r\n" else parsed.line_break + source[end:]
        bodies.append(
            FunctionBody(
                place.path, parsed.line_at(start), parsed.line_at(end - 1), source[:start] + raising + breaks + rest
            )
        )
    return bodies


def find_body(source: Source, function: Function) -> tuple[int, int] | None:
    """Return where the lines of a function's body start and end; None where other code shares these lines."""
    first, last = function.body[0], function.body[-1]
    if getattr(first, "decorator_list", None):
        return None
    return source.lines_of(first, last)

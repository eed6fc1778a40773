"""Find in a program's text which attributes are assigned to the objects of a class.

This is used when no object could be made for inspection.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from autograder.cached_syntax_trees import FEW, try_parse_program


@lru_cache(FEW)
def collect_instance_attributes(source_texts: Sequence[str], class_name: str) -> frozenset[str]:
    """Return the attributes that a class, or one of its base classes, gives its objects.

    Args:
        source_texts: the texts of the program.
        class_name: the name of the class; if several classes have it, all of them count.

    >>> sorted(collect_instance_attributes(("class A: x: int", "class B(A): y: int"), "B"))
    ['x', 'y']
    """
    classes: dict[str, list[ast.ClassDef]] = {}
    for syntax in filter(None, try_parse_program(source_texts)):
        for node in syntax.nodes:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(node)
    names, left = {class_name}, [class_name]
    while left:
        made_so = classes.get(left.pop(), ())
        bases = {base.id for made in made_so for base in made.bases if isinstance(base, ast.Name)} - names
        names |= bases
        left += bases
    found = (made for one in names for made in classes.get(one, ()))
    return frozenset(attribute for made in found for attribute in _given_by(made))


def _given_by(made: ast.ClassDef) -> Iterator[str]:
    for statement in made.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            yield statement.target.id  # an annotated name, such as a field of a dataclass
        elif isinstance(statement, ast.FunctionDef) and statement.args.args:
            owner = statement.args.args[0].arg
            for name, attribute in _set_in(ast.walk(statement)):
                if name == owner or statement.name == "__new__":  # `__new__` may use any name for the new object
                    yield attribute


def _set_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield (name, attribute) for each attribute that is assigned, by a statement or by ``setattr``."""
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute, ctx=ast.Store()):
                yield name, attribute
            case ast.Call(
                func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"),
                args=[ast.Name(id=name), ast.Constant(value=str(attribute)), *_],
            ):
                yield name, attribute

"""Describe what programs are made of: operations, given as code with placeholders, and values to put into them."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)(?::(\w+))?\}")
RESULT = "{}"
"""In code, the name of what it gives; in what to look at, the object."""
OPERATORS: dict[type, str] = {
    ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__", ast.Div: "__truediv__", ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__", ast.Pow: "__pow__", ast.MatMult: "__matmul__", ast.USub: "__neg__", ast.Lt: "__lt__",
    ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__", ast.In: "__contains__", ast.NotIn: "__contains__",
}  # fmt: skip
FUNCTIONS = {
    "len": "__len__", "abs": "__abs__", "bool": "__bool__", "iter": "__iter__", "list": "__iter__",
    "sorted": "__iter__", "repr": "__repr__", "str": "__str__", "next": "__next__",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder: something to put into an operation's code."""

    name: str
    """A kind of object, or a name in ``values``."""
    label: str
    """Placeholders with one name and one label are the same thing; ``{Vector:a}`` has the label ``a``."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that programs do: ``Operation("{Vector} + {Vector}", gives="Vector")``.

    Args:
        code: one expression, or some statements, as a student writes them. ``{Vector}`` stands for an object that an
            operation before gave, ``{numbers}`` for one of the values with that name. Two placeholders are two picks;
            with one label, as in ``{Vector:a}``, they are the same. Statements that give something write ``{}`` for
            its name: ``{} = Stack()`` and, in the next line, ``{}.push({number})``.
        gives: the kind of object that an expression gives, a name of your own. When empty, it gives plain data, which
            is looked at; None where what it gives is of no interest.
        about: names by which hidden tests say that they are about it; taken from the code when empty.
        bonus: whether the contract does not ask for it.
    """

    code: str
    gives: str | None = ""
    about: tuple[str, ...] = ()
    bonus: bool = False
    placeholders: tuple[Placeholder, ...] = field(init=False)
    """Its placeholders, each once."""

    def __post_init__(self) -> None:
        """Read the code.

        Raises:
            ValueError: it is not Python code.
        """
        tree = self._parse()
        slots = [Placeholder(m[1], m[2] or f"#{place}") for place, m in enumerate(PLACEHOLDER.finditer(self.code))]
        expression = len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)
        named = RESULT in self.code
        if not expression and not named:
            if self.gives:
                raise ValueError(
                    f"an operation that gives {self.gives!r} must be an expression, or have {{}} for its name: "
                    f"{self.code!r}"
                )
            object.__setattr__(self, "gives", None)
        object.__setattr__(self, "placeholders", tuple(dict.fromkeys(slots)))
        object.__setattr__(self, "about", self.about or tuple(dict.fromkeys(_names_in(tree, self.gives))))

    def fill_placeholders(self, text_by_placeholder: Mapping[Placeholder, str], result_name: str = "") -> str:
        """Return the code with something in the place of each placeholder.

        Args:
            text_by_placeholder: what to put there.
            result_name: what to call what it gives; empty for no name.
        """
        places = iter([Placeholder(m[1], m[2] or f"#{at}") for at, m in enumerate(PLACEHOLDER.finditer(self.code))])
        code = PLACEHOLDER.sub(lambda _: text_by_placeholder[next(places)], self.code)
        if RESULT in self.code:
            return code.replace(RESULT, result_name or "it")
        return f"{result_name} = {code}" if result_name else code

    def _parse(self) -> ast.Module:
        try:
            return ast.parse(PLACEHOLDER.sub(lambda m: f"_{m[1]}", self.code).replace(RESULT, "_it"))
        except SyntaxError as error:
            raise ValueError(f"an operation is not valid Python: {self.code!r}: {error.msg}") from error


def _names_in(tree: ast.Module, gives: str | None) -> Iterator[str]:
    """Yield the names of methods, functions and classes that code uses, as tests call them; the outermost first."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)):
                yield name
            case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
                yield FUNCTIONS[name]
            case ast.Call(func=ast.Name(id=name)) if name not in dir(builtins):
                yield name
                if name == gives:
                    yield "__init__"
            case ast.BinOp(op=operator) | ast.UnaryOp(op=operator) | ast.AugAssign(op=operator):
                yield from [OPERATORS[type(operator)]] if type(operator) in OPERATORS else []
            case ast.Compare(ops=operators):
                yield from (OPERATORS[type(one)] for one in operators if type(one) in OPERATORS)
            case ast.Subscript(ctx=ast.Load()):
                yield "__getitem__"
            case ast.Subscript(ctx=ast.Store()):
                yield "__setitem__"

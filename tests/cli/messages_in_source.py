"""Collect the messages of the package from its source: faults, refusals, usage errors, and warnings.

A message is looked up where its text stands: as an argument of the call, in a variable of the same function, or in a
call of a function that hands its parameter on as a message.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "autograder"
ANYTHING = "…"
"""Stands for what is known only when the message is made."""
MOST_READINGS = 64
BUILTIN_ERRORS = (
    "Exception",
    "BaseException",
    "ValueError",
    "Warning",
    "UserWarning",
    "ImportError",
    "BrokenExecutor",
)
MAKERS = {"UsageError": 0, "BadParameter": 0, "ClickException": 0, "fail": 0, "warn": 0, "UngradableSubmission": 1}
"""Functions and classes whose argument of this index is a message, besides those found in the package."""
NOT_SHOWN = frozenset({"MissingPackageUsed", "HandleGone", "TranscriptMismatch", "StudentError", "StudentStopped"})
"""Exceptions that a student's program sees, or that never leave the package."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message in the source, with one reading of it where it has several."""

    place: str
    maker: str
    what: str
    advice: str = ""
    has_advice: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {self.what}" + (f" ({self.advice})" if self.advice else "")


@dataclass(frozen=True, slots=True)
class _Function:
    """A function with the texts that its variables may have."""

    name: str
    parameters: tuple[str, ...]
    values: dict[str, list[ast.expr]]


def iterate_trees() -> Iterator[tuple[Path, ast.Module]]:
    """Yield every module of the package, parsed."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def find_classes_below(roots: Sequence[str]) -> set[str]:
    """Return the package's classes that derive from any of ``roots``, at any depth."""
    bases = {
        node.name: {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
        for _, tree in iterate_trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found: set[str] = set()
    while more := {name for name, above in bases.items() if above & (found | {*roots})} - found:
        found |= more
    return found


def collect_messages() -> list[Message]:
    """Return every message of the package."""
    errors = find_classes_below(BUILTIN_ERRORS) - NOT_SHOWN
    public = {**dict.fromkeys(errors, 0), "make_fault_at": 0, **MAKERS}
    return [
        message
        for path, tree in iterate_trees()
        for message in _iterate_messages(tree, str(path.relative_to(PACKAGE)), public)
    ]


def _iterate_messages(tree: ast.Module, module: str, public: dict[str, int]) -> Iterator[Message]:
    makers = dict(public)
    calls = [*_iterate_calls(tree)]
    for _ in range(2):  # a function may hand on the parameter of another one
        for function, call in calls:
            what = _get_argument(call, makers.get(_name_called(call)), "what")
            if isinstance(what, ast.Name) and what.id in function.parameters and function.name != "__init__":
                makers[function.name] = function.parameters.index(what.id)
    for function, call in calls:
        name = _name_called(call)
        place = f"{module}:{call.lineno}"
        if name in makers:
            advice = _get_argument(call, 2, "advice")
            advices = _read(advice, function) if advice else []
            for text in _read(_get_argument(call, makers[name], "what"), function):
                for cure in advices or [""]:
                    yield Message(place, name, text, cure, advice is not None)
        elif name in ("echo", "print") and any(one.arg == "err" for one in call.keywords) and call.args:
            for text in _read(call.args[0], function):
                yield Message(place, name, text.removeprefix("error: ").removeprefix("warning: "))


def _iterate_calls(tree: ast.Module) -> Iterator[tuple[_Function, ast.Call]]:
    """Yield each call with the innermost function around it."""
    stack: list[tuple[ast.AST, _Function]] = [(tree, _Function("", (), {}))]
    while stack:
        node, function = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = _describe_function(node)
        if isinstance(node, ast.Call):
            yield function, node
        stack.extend((child, function) for child in ast.iter_child_nodes(node))


def _describe_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> _Function:
    parameters = tuple(one.arg for one in node.args.args if one.arg not in ("self", "cls"))
    values: dict[str, list[ast.expr]] = {}
    for one in ast.walk(node):
        if not isinstance(one, ast.Assign):
            continue
        for target in one.targets:
            if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                pairs = [*zip(target.elts, one.value.elts, strict=False)]
            else:
                pairs = [(target, one.value)]
            for name, value in pairs:
                if isinstance(name, ast.Name):
                    values.setdefault(name.id, []).append(value)
    return _Function(node.name, parameters, values)


def _name_called(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def _get_argument(call: ast.Call, index: int | None, name: str) -> ast.expr | None:
    if index is None:
        return None
    named = {one.arg: one.value for one in call.keywords}
    return call.args[index] if len(call.args) > index else named.get(name)


def _read(node: ast.expr | None, function: _Function, seen: frozenset[str] = frozenset()) -> list[str]:
    """Return the readings of an expression; none if it holds no text of its own."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.FormattedValue(value=value):
            return _read(value, function, seen) or [ANYTHING]
        case ast.JoinedStr(values=parts):
            readings = itertools.product(*(_read(part, function, seen) for part in parts))
            return ["".join(one) for one in itertools.islice(readings, MOST_READINGS)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            starts, ends = (_read(one, function, seen) or [ANYTHING] for one in (left, right))
            return [start + end for start in starts for end in ends]
        case ast.IfExp(body=body, orelse=other):
            return [*_read(body, function, seen), *_read(other, function, seen)]
        case ast.Name(id=name) if name in function.values and name not in seen:
            return [text for one in function.values[name] for text in _read(one, function, seen | {name})]
    return []

"""Collect the messages of the package from its source: faults, refusals, usage errors, and warnings.

A message is looked up where its text stands: as an argument of the call, in a variable of the same function, or in a
call of a function that hands its parameter on as a message.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cli.texts_of_expressions import FunctionTexts, find_assigned_expressions, read_texts

PACKAGE = Path(__file__).parents[2] / "autograder"
BUILTIN_ERRORS = (
    "Exception",
    "BaseException",
    "ValueError",
    "Warning",
    "UserWarning",
    "ImportError",
    "BrokenExecutor",
)
MAKERS = {
    "__init__": 0,
    "make_fault_at": 0,
    "UsageError": 0,
    "BadParameter": 0,
    "ClickException": 0,
    "fail": 0,
    "warn": 0,
    "UngradableSubmission": 1,
}
"""Functions and classes whose argument of this index is a message, besides those found in the package."""
NOT_SHOWN = frozenset({"MissingPackageUsed", "HandleGone", "TranscriptMismatch", "StudentError", "StudentStopped"})
"""Exceptions that a student's program sees, or that never leave the package."""
PREDICATES = frozenset({"InvalidPluginAnswer"})
"""Exceptions whose text becomes a sentence behind the subject that the handler writes: "its reader ..."."""


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


@functools.cache
def parse_package() -> dict[Path, ast.Module]:
    """Return every module of the package, parsed: that takes seconds."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


def find_classes_below(roots: Sequence[str]) -> set[str]:
    """Return the package's classes that derive from any of ``roots``, at any depth."""
    bases = {
        node.name: {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
        for tree in parse_package().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found: set[str] = set()
    while more := {name for name, above in bases.items() if above & (found | {*roots})} - found:
        found |= more
    return found


@functools.cache
def collect_messages() -> list[Message]:
    """Return every message of the package."""
    makers = {**dict.fromkeys(find_classes_below(BUILTIN_ERRORS) - NOT_SHOWN - PREDICATES, 0), **MAKERS}
    calls = {str(path.relative_to(PACKAGE)): [*_iterate_calls(tree)] for path, tree in parse_package().items()}
    for module_calls in calls.values():
        found = _find_functions_that_hand_on_messages(module_calls, makers)
        makers |= {name: index for name, index in found.items() if not name.startswith("_")}
    return [message for module, found in calls.items() for message in _iterate_messages(module, found, makers)]


def _find_functions_that_hand_on_messages(
    calls: Sequence[tuple[FunctionTexts, ast.Call]], makers: Mapping[str, int]
) -> dict[str, int]:
    """Return the functions with a parameter that becomes a message, and the index of that parameter."""
    found: dict[str, int] = {}
    for _ in range(2):  # a function may hand on the parameter of another one
        for function, call in calls:
            what = _get_argument(call, {**makers, **found}.get(_name_called(call)), "what")
            if isinstance(what, ast.Name) and what.id in function.parameters and function.name != "__init__":
                found[function.name] = function.parameters.index(what.id)
    return found


def _iterate_messages(
    module: str, calls: Sequence[tuple[FunctionTexts, ast.Call]], makers: Mapping[str, int]
) -> Iterator[Message]:
    makers = {**makers, **_find_functions_that_hand_on_messages(calls, makers)}
    for function, call in calls:
        name = _name_called(call)
        place = f"{module}:{call.lineno}"
        if name in makers:
            advice = _get_argument(call, 2, "advice")
            advices = read_texts(advice, function) if advice else []
            for text in read_texts(_get_argument(call, makers[name], "what"), function):
                for cure in advices or [""]:
                    yield Message(place, name, text, cure, advice is not None)
        elif name in ("echo", "print") and any(one.arg == "err" for one in call.keywords) and call.args:
            for text in read_texts(call.args[0], function):
                yield Message(place, name, text.removeprefix("error: ").removeprefix("warning: "))
        for text in read_texts(_get_argument(call, len(call.args), "kit_failure"), function):
            yield Message(place, "kit_failure", text)


def _iterate_calls(tree: ast.Module) -> Iterator[tuple[FunctionTexts, ast.Call]]:
    """Yield each call with the innermost function around it."""
    module = FunctionTexts("", (), find_assigned_expressions(tree.body))
    stack: list[tuple[ast.AST, FunctionTexts]] = [(tree, module)]
    while stack:
        node, function = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parameters = tuple(one.arg for one in node.args.args if one.arg not in ("self", "cls"))
            values = {**module.values, **find_assigned_expressions([*ast.walk(node)])}
            function = FunctionTexts(node.name, parameters, values)
        if isinstance(node, ast.Call):
            yield function, node
        stack.extend((child, function) for child in ast.iter_child_nodes(node))


def _name_called(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def _get_argument(call: ast.Call, index: int | None, name: str) -> ast.expr | None:
    if index is None:
        return None
    named = {one.arg: one.value for one in call.keywords}
    return call.args[index] if len(call.args) > index else named.get(name)

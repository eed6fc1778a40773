"""Every regular expression of the package takes linear time on every text, since students write what it reads."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.linear_patterns import find_superlinear_word

ROOT = Path(__file__).parents[1]
METHODS = ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
FILES = [*ROOT.glob("autograder/**/*.py"), *ROOT.glob("assignments/**/*.py")]


class Pattern(NamedTuple):
    """A regular expression in a file, and how it is used."""

    place: str
    text: str | bytes
    flags: int
    method: str


class _Word(str):
    """A short word in place of what only a run has; whatever is read off it is the same."""

    def __getattr__(self, name: str) -> _Word:
        return self

    def __call__(self, *_: object) -> _Word:
        return self


WORD = _Word("ab")


class _Names(dict[str, Any]):
    """The names of a module; a name that only runs have stands for a short word."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, WORD)


def list_patterns(file: Path) -> Iterator[Pattern]:
    """Yield every pattern that a file compiles or uses."""
    text = file.read_text()
    tree = ast.parse(text)
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and _is_of_patterns(one.func)]
    names = _Names(_load_names(file, tree)) if calls else _Names()
    for call in calls:
        method = ast.unparse(call.func)[3:]
        flag_nodes = [one.value for one in call.keywords if one.arg == "flags"]
        if method in ("compile", "search", "match", "fullmatch", "findall", "finditer"):
            flag_nodes += call.args[(1 if method == "compile" else 2) :]
        flags = sum(int(_evaluate(one, names)) for one in flag_nodes)
        methods = [method] if method != "compile" else _list_uses(call, tree, file)
        place = f"{file.relative_to(ROOT)}:{call.lineno}"
        for pattern in _list_values(call.args[0], tree, names):
            yield from (Pattern(place, pattern, flags, one) for one in methods)


def _is_of_patterns(function: ast.expr) -> bool:
    return ast.unparse(function) in {f"re.{one}" for one in METHODS}


def _load_names(file: Path, tree: ast.Module) -> dict[str, Any]:
    """Return what the names of a module stand for; of a file that is no module here, its plain assignments."""
    if file.is_relative_to(ROOT / "autograder") and "handed_out" not in file.parts:
        parts = file.relative_to(ROOT).with_suffix("").parts
        return dict(vars(importlib.import_module(".".join(parts).removesuffix(".__init__"))))
    names = _Names(re=re)
    for one in tree.body:
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            names[one.targets[0].id] = _evaluate_or_word(one.value, names)
    return names


def _evaluate(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "pattern", "eval"), {"__builtins__": {}}, names)


def _evaluate_or_word(node: ast.expr, names: _Names) -> Any:
    try:
        return _evaluate(node, names)
    except Exception:  # made of what only a run has
        return WORD


def _list_values(node: ast.expr, tree: ast.AST, names: _Names) -> list[Any]:
    """Return the values that a pattern may have: more than one where it comes out of a table."""
    local_names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - {*names}
    values = [names]
    for name in sorted(local_names):
        for one in ast.walk(tree):
            if isinstance(one, ast.Assign) and any(ast.unparse(target) == name for target in one.targets):
                choices = [one.value.body, one.value.orelse] if isinstance(one.value, ast.IfExp) else [one.value]
                values = [
                    _Names(old | {name: _evaluate_or_word(choice, old)}) for old in values for choice in choices
                ]
            elif isinstance(one, ast.comprehension | ast.For) and _binds(one.target, name):
                found = [(old, value) for old in values for value in _list_bound_values(one, name, old)]
                values = [_Names(old | {name: value}) for old, value in found] or values
    return list({_evaluate(node, one): None for one in values})


def _binds(target: ast.expr, name: str) -> bool:
    return name in {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}


def _list_bound_values(loop: ast.comprehension | ast.For, name: str, names: _Names) -> Iterator[Any]:
    items = _evaluate_or_word(loop.iter, names)
    for item in items if not isinstance(items, _Word) else ():
        scope: dict[str, Any] = {"item": item}
        with suppress(TypeError, ValueError):  # what is gone through could not be evaluated
            exec(f"{ast.unparse(loop.target)} = item", scope)
            yield scope[name]


@cache
def _read_all() -> dict[Path, str]:
    return {file: file.read_text() for file in FILES}


def _list_uses(call: ast.Call, tree: ast.AST, file: Path) -> list[str]:
    """Return the methods that are called on a compiled pattern; of one without a name, those of all nameless ones."""
    texts = [other for other in _read_all().values() if f"{file.stem} import" in other]
    name = r"(?!re\b|text\b)[a-z_]+"
    for one in ast.walk(tree):
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is call:
            name = ast.unparse(one.targets[0] if isinstance(one, ast.Assign) else one.target)
            texts = [other for other in texts if name in other]
    found = {
        use for text in [_read_all()[file], *texts] for use in re.findall(rf"\b{name}\.({'|'.join(METHODS)})\b", text)
    }
    return sorted(found) or ["search"]


@pytest.mark.parametrize(
    "text",
    [
        r"\s+$",
        r"(?:a|a)*b",
        r"(a*)*b",
        r"x(?:\w+\s?)*y",
        r'(?:^|")\s*name\s*(?::[^=\n]{0,200})?=[^=]',
        r"<[^>]*>",
        r"a.*?b|a",
        r"x(?=.*y)",
        r"\d+-",
    ],
)
def test_a_pattern_that_reads_one_text_in_many_ways_is_found(text: str) -> None:
    assert find_superlinear_word(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        r"(?<!\s)\s+$",
        r"\w+",
        r"^\s+$",
        r"<[^<>]*>",
        r"^(?:[a-z]+-)*x$",
        r"'(?:[^']|'')*+'?",
        r"\bdef\s+\w+\[",
        r"[a-z.]+(?:\+[a-z.]+)*",
    ],
)
def test_a_linear_pattern_is_let_through(text: str) -> None:
    assert find_superlinear_word(text) is None


def test_every_pattern_takes_linear_time() -> None:
    patterns = {one[1:]: one for file in FILES for one in list_patterns(file)}
    slow = [
        f"{one.place}: re.{one.method} of {one.text!r} is slow on many of {word!r}"
        for one in patterns.values()
        if (word := find_superlinear_word(one.text, one.flags, one.method)) is not None
    ]
    assert len(patterns) > 150
    assert not slow, "\n".join(slow)

"""A setting that a platform offers is one that its code reads: what is offered and ignored would mislead."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import autograder.platforms.common
from autograder.platforms.common.installed_platforms import GROUP

OWN = [one for one in entry_points(group=GROUP) if one.module.startswith("autograder.")]
COMMON = Path(autograder.platforms.common.__file__).parent


def read_settings(file: Path) -> set[str]:
    """The settings that a module reads by ``settings.get(key)``, ``settings[key]`` or ``get_choice_setting(key)``.

    A key that is a parameter of a function, or that runs over several names, stands for all names that it may be.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    texts_by_name = find_texts_by_name(tree)
    found: set[str] = set()
    for node in ast.walk(tree):
        if key := find_key_of_reading(node):
            found |= texts_by_name.get(key.id, set()) if isinstance(key, ast.Name) else texts_in(key)
    return found


def find_key_of_reading(node: ast.AST) -> ast.expr | None:
    """The key where a node reads a setting."""
    match node:
        case ast.Call(func=ast.Attribute(value=read, attr="get"), args=[key, *_]) if is_called_settings(read):
            return key
        case ast.Subscript(value=read, slice=key, ctx=ast.Load()) if is_called_settings(read):
            return key
        case ast.Call(func=ast.Attribute(attr="get_choice_setting"), args=[key, *_]):
            return key
    return None


def is_called_settings(node: ast.expr) -> bool:
    return getattr(node, "attr", getattr(node, "id", "")) == "settings"


def find_texts_by_name(tree: ast.Module) -> dict[str, set[str]]:
    """The texts that parameters and variables of comprehensions may be, by their names."""
    constants = {
        target.id: texts_in(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    parameters = {
        node.name: [one.arg for one in node.args.args] for node in tree.body if isinstance(node, ast.FunctionDef)
    }
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.comprehension(target=ast.Name(id=name), iter=ast.Name(id=walked)):
                found.setdefault(name, set()).update(constants.get(walked, ()))
            case ast.comprehension(target=ast.Name(id=name), iter=ast.Tuple() as walked_tuple):
                found.setdefault(name, set()).update(texts_in(walked_tuple))
            case ast.Call(func=ast.Name(id=function), args=arguments) if function in parameters:
                for name, argument in zip(parameters[function], arguments, strict=False):
                    found.setdefault(name, set()).update(texts_in(argument))
    return found


def texts_in(node: ast.expr) -> set[str]:
    elements = node.elts if isinstance(node, ast.Tuple) else node.keys if isinstance(node, ast.Dict) else [node]
    return {one.value for one in elements if isinstance(one, ast.Constant) and isinstance(one.value, str)}


@pytest.mark.parametrize("platform_name", sorted(one.name for one in OWN))
def test_every_setting_that_a_platform_offers_is_read(platform_name: str) -> None:
    (point,) = (one for one in OWN if one.name == platform_name)
    module = Path(str(import_module(point.module).__file__))
    files = [*module.parent.glob("*.py")] if module.name == "__init__.py" else [module]
    read = set().union(*map(read_settings, [*files, *COMMON.glob("*.py")]))
    assert {*point.load().settings} - read == set()


def test_some_platforms_offer_settings() -> None:
    assert sum(len(one.load().settings) for one in OWN) > 10


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ('sent["comment"] = {"comment": 1}', set()),
        ('settings = {"comment": "yes or no"}', set()),
        ('if options.get_choice_setting("comment", "yes", "no") == "no": pass', {"comment"}),
        ('options.settings.get("comment", "")', {"comment"}),
        ('KEYS = ("url", "course")\n{key: settings.get(key) for key in KEYS}', {"url", "course"}),
        ('KEYS = {"url": 1}\n{key: settings.get(key) for key in KEYS}', {"url"}),
        ('def number(options, key): return options.settings[key]\nnumber(options, "MIN")', {"MIN"}),
    ],
)
def test_a_reading_is_told_from_an_equal_text(tmp_path: Path, source: str, read: set[str]) -> None:
    (tmp_path / "module.py").write_text(source, encoding="utf-8")
    assert read_settings(tmp_path / "module.py") == read

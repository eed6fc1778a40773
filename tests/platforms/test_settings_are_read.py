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


def texts_outside_of_offered_settings(file: Path) -> set[str]:
    """The text constants of a module, without the keys of a ``settings`` argument."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    offered = {
        id(key)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "settings" and isinstance(node.value, ast.Dict)
        for key in node.value.keys
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in offered
    }


@pytest.mark.parametrize("platform_name", sorted(one.name for one in OWN))
def test_every_setting_that_a_platform_offers_is_read(platform_name: str) -> None:
    (point,) = (one for one in OWN if one.name == platform_name)
    module = Path(str(import_module(point.module).__file__))
    files = [*module.parent.glob("*.py")] if module.name == "__init__.py" else [module]
    read = set().union(*map(texts_outside_of_offered_settings, [*files, *COMMON.glob("*.py")]))
    assert {*point.load().settings} - read == set()


def test_some_platforms_offer_settings() -> None:
    assert sum(len(one.load().settings) for one in OWN) > 10

"""Files and commands that a page names exist. Decision records are left out: they say what was so then."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from autograder.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks/README.md")),
    *sorted(path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "decisions"),
]
FOLDERS = (
    "autograder",
    "assignments",
    "solutions",
    "student_template",
    "tests",
    "benchmarks",
    "deploy",
    "docs",
    ".ci",
)
CODE = re.compile(r"`((?:[^`\n]|\n(?!\n))+)`")
PATH = re.compile(rf"(?<![\w./-])(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./@-]+")
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\.\.\.|\*")
BLOCK = re.compile(r"^(?:```[a-z]*\n(.*?)^```|((?:    \S[^\n]*\n)+))", re.M | re.S)
COMMAND = re.compile(r"(?:^|[$|&] )(?:\S*/)?autograder ((?:[a-z][a-z-]+)(?: [a-z][a-z-]+)?)")
TARGET = re.compile(r"\bmake ([a-z][\w-]*)")
MODULE = re.compile(r"python -m ((?:benchmarks|autograder)[\w.]*)")
MADE_BY_BUILD = {"autograder/starter/course"}


def pieces_of_code(page: Path) -> Iterator[str]:
    """Yield what stands between backticks, and each line of a block of code."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        lines = [line.strip().partition("   #")[0] for line in (block[1] or block[2]).splitlines()]
        yield from [line for line in lines if line.startswith("$ ")] or lines
    for span in CODE.finditer(re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        yield span[1].replace("\n", " ")


def missing_paths(code: str) -> Iterator[str]:
    for path in (found.rstrip("/.") for found in PATH.findall(code) if not PLACEHOLDER.search(code)):
        in_template = any((ROOT / "student_template").glob(f"*/{path}"))
        if path not in MADE_BY_BUILD and not (ROOT / path).exists() and not in_template:
            yield path


def missing_commands(code: str) -> Iterator[str]:
    for words in (found.split() for found in COMMAND.findall(code)):
        group: click.Command = main
        for word in words:
            if not isinstance(group, click.Group):
                break
            found = group.get_command(click.Context(group), word)
            if found is None:
                yield f"autograder {' '.join(words)}"
                break
            group = found


def missing_targets(code: str) -> Iterator[str]:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    yield from (f"make {name}" for name in TARGET.findall(code) if name not in targets)


def missing_modules(code: str) -> Iterator[str]:
    for name in (found.rstrip(".") for found in MODULE.findall(code)):
        if importlib.util.find_spec(name) is None:
            yield f"python -m {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_names_exists(page: Path) -> None:
    found = [
        gone
        for code in pieces_of_code(page)
        for search in (missing_paths, missing_commands, missing_targets, missing_modules)
        for gone in search(code)
    ]
    assert not found


@pytest.mark.parametrize(
    "code",
    [
        "autograder/bridge/gone.py",
        "autograder gone",
        "autograder decide gone",
        "make gone",
        "python -m benchmarks.gone",
    ],
)
def test_what_does_not_exist_is_noticed(code: str) -> None:
    searches = (missing_paths, missing_commands, missing_targets, missing_modules)
    assert [gone for search in searches for gone in search(code)] == [code]

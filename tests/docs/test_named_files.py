"""Files and commands that a page names exist."""

from __future__ import annotations

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from autograder.cli.main import main
from autograder.grading import Grader

ROOT = Path(__file__).parents[2]
PAGES = [
    *(
        ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "benchmarks/README.md")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
]
FOLDERS = r"autograder|assignments|solutions|student_template|tests|benchmarks|deploy|docs|\.ci"
CODE = re.compile(r"`((?:[^`\n]|\n(?!\n))+)`")
PATH = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w./@*-]+")
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\.\.\.")
BLOCK = re.compile(r"^(?:```[a-z]*\n(.*?)^```|((?:    \S[^\n]*\n)+))", re.M | re.S)
COMMAND = re.compile(r"(?:^|[$|&] )(?:\S*/)?autograder ((?:[a-z][a-z-]+)(?: [a-z][a-z-]+)?)")
COMMAND_LINE = re.compile(r"(?:^|[$|&] )(?:\S*/)?autograder ([a-z][^|&;>]*?)(?=  | [|&;>]|$)", re.M)
OPTION = re.compile(r"(?<!\S)--[a-z][a-z-]*")
FOREIGN_OPTIONS = frozenset({"--help", "--quota", "--user"})
"""Options of other programs, and the one that every command has."""
TARGET = re.compile(r"\bmake ([a-z][\w-]*)")
MODULE = re.compile(r"python -m ((?:benchmarks|autograder)[\w.]*)")
CONTINUED = re.compile(r" *\\\n *")
MADE_BY_BUILD = "autograder/starter/course"


def list_options(command: click.Command) -> Iterator[click.Option]:
    """Yield the options of a command and of those within it."""
    yield from (one for one in command.params if isinstance(one, click.Option))
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from list_options(inner)


OPTIONS = frozenset(name for one in list_options(main) for name in (*one.opts, *one.secondary_opts))
VALUE_OPTIONS = frozenset(
    name for one in list_options(main) if not one.is_flag and not one.count for name in one.opts
)


def pieces_of_code(page: Path) -> Iterator[str]:
    """Yield what stands between backticks, and each line of a block of code."""
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        whole = CONTINUED.sub(" ", block[1] or block[2])
        lines = [line.strip().partition("   #")[0] for line in whole.splitlines()]
        yield from [line for line in lines if line.startswith("$ ")] or lines
    for span in CODE.finditer(re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        yield " ".join(span[1].split())


def missing_paths(code: str) -> Iterator[str]:
    """Yield each path that does not exist, and each pattern that no file matches."""
    for path in (found.rstrip("/.") for found in PATH.findall(code)):
        if PLACEHOLDER.search(code) or path == MADE_BY_BUILD:
            continue
        if not any(ROOT.glob(path)) and not any((ROOT / "student_template").glob(f"*/{path}")):
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


def wrong_command_lines(code: str) -> Iterator[str]:
    """Yield each command line that has an unknown option, or an argument too many."""
    for found in COMMAND_LINE.findall(code):
        name = "autograder"
        command: click.Command = main
        words = shlex.split(found, comments=True)
        while isinstance(command, click.Group) and words:
            inner = command.get_command(click.Context(command), words[0])
            if inner is None:
                break
            name, command = f"{name} {words.pop(0)}", inner
        if isinstance(command, click.Group):
            continue
        if words and words[-1] in VALUE_OPTIONS:
            words.append("VALUE")  # a text names the option alone
        try:
            left = command.make_parser(click.Context(command)).parse_args([*words])[1]
        except click.UsageError as error:
            yield f"{name}: {error.format_message()}"
        else:
            yield from (f"{name}: argument too many: {word}" for word in left if word != "...")


def unknown_options(code: str) -> Iterator[str]:
    """Yield each option, in code that begins with one, that no command has."""
    if code.startswith("--"):
        yield from (option for option in OPTION.findall(code) if option not in {*OPTIONS, *FOREIGN_OPTIONS})


def missing_targets(code: str) -> Iterator[str]:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    yield from (f"make {name}" for name in TARGET.findall(code) if name not in targets)


def missing_modules(code: str) -> Iterator[str]:
    for name in (found.rstrip(".") for found in MODULE.findall(code)):
        if importlib.util.find_spec(name) is None:
            yield f"python -m {name}"


SEARCHES = (missing_paths, missing_commands, wrong_command_lines, unknown_options, missing_targets, missing_modules)


def find_wrong_names(page: Path) -> list[str]:
    searches = [one for one in SEARCHES if one is not unknown_options or page.parent.name != "benchmarks"]
    return [gone for code in pieces_of_code(page) for search in searches for gone in search(code)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_names_exists(page: Path) -> None:
    assert find_wrong_names(page) == []


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        *((code, code) for code in ("autograder/bridge/gone.py", "autograder/bridge/gone_*.py", "autograder gone")),
        *((code, code) for code in ("autograder decide gone", "make gone", "python -m benchmarks.gone")),
        ("autograder report --gone", "autograder report: No such option '--gone'."),
        ("autograder report --out results/ --version 1", ""),
        ("autograder report toy other --out results/   the second one is too many", "argument too many: other"),
        ("autograder decide undo 4 --gone x", "autograder decide undo: No such option '--gone'."),
        ("autograder regrade ... --out", ""),
        ("--out results --gone NAME", "--gone"),
    ],
)
def test_what_does_not_exist_or_is_not_taken_is_noticed(tmp_path: Path, code: str, wrong: str) -> None:
    (tmp_path / "page.md").write_text(f"```\n{code}\n```\n", encoding="utf-8")
    found = find_wrong_names(tmp_path / "page.md")
    assert len(found) == bool(wrong)
    assert not found or wrong in found[0]


def test_the_modules_that_contributors_are_sent_to_exist() -> None:
    named = {*re.findall(r"`([a-z_]+\.py)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))} - {"setup.py"}
    assert named
    assert [name for name in sorted(named) if not any((ROOT / "autograder").rglob(name))] == []


def test_the_hidden_tests_that_a_page_names_exist(grader: Grader) -> None:
    text = (ROOT / "docs" / "teaching-assistants.md").read_text(encoding="utf-8")
    named = set(re.findall(r"--test (\S+)", text))
    assert named
    assert named <= {spec.id for spec in grader.test_specs}


@pytest.mark.parametrize("name", ["administrators.md", "teaching-assistants.md"])
def test_a_page_whose_commands_need_a_checkout_says_so_first(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    first, _, rest = text.partition("```console")
    needed = set(re.findall(r"(?<= )([\w-]+/)\S+", rest.partition("```")[0])) - {"results/", "upload/"}
    kept = {"assignments/", "solutions/", "student_template/"}
    assert [folder for folder in sorted(needed - kept) if f"`{folder}`" not in first] == []


INSTALLED = re.compile(r"\bpip install\b[ \t]*(?:--?\w[\w-]*[ \t]+)*('[^'\n]+'|\{[^}\n]+\}|[\w./\[\]-]+)")
INDEXED = {"pytest", "torch", "babel", "matplotlib", "numpy", "graphviz", "no-such-package-anywhere"}
"""Packages that an index has, and one that none has."""
WORDS = {"it", "the", "of", "once", "installed"}
"""What sentences go on with."""


def list_installed(text: str) -> list[str]:
    """Return what the commands of a text install: the word after ``pip install`` and its options."""
    return [word.strip("'") for word in INSTALLED.findall(text)]


def test_what_is_to_be_installed_exists() -> None:
    files = [*PAGES, *ROOT.glob("autograder/**/*.py"), *ROOT.glob("autograder/**/*.j2"), *ROOT.glob("deploy/*")]
    files += [*ROOT.glob("assignments/**/*.md"), *ROOT.glob("autograder/starter/**/*.md")]
    unknown = {
        f"{path.relative_to(ROOT)}: pip install {name}"
        for path in files
        if path.is_file()
        for name in list_installed(path.read_text(encoding="utf-8"))
        if not re.match(r"[-./{]|autograd_exercise_kit-", name) and name not in INDEXED and name not in WORDS
    }
    assert not unknown, "name a file: " + ", ".join(sorted(unknown))
    assert not [path for path in files if path.is_file() and re.search(r"autograd-exercise-kit\[", path.read_text())]

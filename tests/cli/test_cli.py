"""The command line: exit code 0 when the work was done, 2 and one line when the caller has something to fix."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

import autograder.cli
from autograder import __version__
from autograder.cli.help_examples import HELP_EXAMPLES
from autograder.cli.main import COMMANDS, main
from autograder.cli.terminal import exit_on_fault
from tests.cli.commands import AUTOGRADER, CALLERS_MISTAKE, DONE, Copy, Run, run, run_anew, succeeded, told
from tests.toy import write_toy

DEFINES_COMMAND = re.compile(r"^def command\(", re.M)

# The command itself


def test_every_module_of_a_command_is_listed() -> None:
    root = Path(autograder.cli.__file__).parents[1]
    paths = [*root.glob("cli/*.py"), *root.glob("web/commands/*.py")]
    modules = [path.stem for path in paths if DEFINES_COMMAND.search(path.read_text(encoding="utf-8"))]
    found = {name.replace("_", "-") for name in modules}
    assert found == {*COMMANDS}, "list each command in COMMANDS of autograder/cli/main.py"


def test_help_lists_the_commands() -> None:
    shown = succeeded(run("--help"))
    assert [line.split()[0] for line in shown.partition("Commands:")[2].splitlines() if line.strip()] == list(
        COMMANDS
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    assert f"Usage: autograder {command}" in succeeded(run(command, "--help"))


def find_command(line: str) -> tuple[click.Command, list[str]]:
    """The command that a line calls, and the words after its name."""
    command: click.Command = main
    words = shlex.split(line)
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words.pop(0))
        assert found is not None, line
        command = found
    return command, words


def iterate_command_names(group: click.Group, start: str = "") -> Iterator[str]:
    for name in group.list_commands(click.Context(group)):
        yield start + name
        command = find_command(start + name)[0]
        if isinstance(command, click.Group):
            yield from iterate_command_names(command, f"{start}{name} ")


def test_every_command_has_examples() -> None:
    assert {*iterate_command_names(main)} == {*HELP_EXAMPLES}, "list it in autograder/cli/help_examples.py"


@pytest.mark.parametrize("name", HELP_EXAMPLES)
def test_the_help_of_a_command_ends_with_examples_that_it_takes_and_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "lecture").mkdir()
    monkeypatch.chdir(tmp_path)
    page, *lines = HELP_EXAMPLES[name]
    command = find_command(name)[0]
    shown = command.get_help(click.Context(command, info_name=name))
    assert shown.endswith(f"More: docs/{page}")
    assert (Path(autograder.cli.__file__).parents[2] / "docs" / page).is_file()
    for line in lines:
        assert f"    autograder {line}\n" in shown
        called, words = find_command(line)
        called.make_context(line, words)


@pytest.mark.parametrize("command", [(AUTOGRADER,), (sys.executable, "-m", "autograder")], ids=["script", "module"])
def test_it_can_be_started_in_two_ways(command: tuple[str | Path, ...]) -> None:
    assert succeeded(run_anew("--version", command=command)).strip() == f"autograder, version {__version__}"


@pytest.mark.thorough
@pytest.mark.parametrize("some", [("grade", "report"), pytest.param(None, marks=pytest.mark.thorough)], ids=str)
def test_commands_of_a_prepared_process_do_what_new_interpreters_do(
    tmp_path: Path, some: tuple[str, ...] | None
) -> None:
    course = write_toy(tmp_path / "course")
    submissions = course / "solutions" / "toy"
    ways: dict[str, Callable[..., Run]] = {"anew": run_anew, "forked": run}
    said: dict[str, list[tuple[int, str, str]]] = {}
    for name, way in ways.items():
        (folder := tmp_path / name).mkdir()
        commands: list[tuple[str | Path, ...]] = [
            ("grade", "toy", submissions / "value.py", "--course", course, "--allow-unsafe"),
            ("batch", "toy", submissions, "--out", "out", "--course", course, "--allow-unsafe"),
            ("report", "--out", "out", "--course", course),
            ("regrade", "toy", "--out", "out", "--course", course, "--allow-unsafe"),
            ("export", "junit", "--batch", "out", "--out", "upload", "--course", course),
            ("gradescope-zip", "toy", "--out", "autograder.zip", "--course", course),
            ("template", "calculus", "--course", course),
            ("doctor",),
        ]
        runs = [way(*words, cwd=folder) for words in commands if some is None or words[0] in some]
        said[name] = [(done.returncode, unnumbered(done.stdout), unnumbered(done.stderr)) for done in runs]
    assert said["forked"] == said["anew"]
    mistakes = {"template": CALLERS_MISTAKE, "report": DONE if some is None else CALLERS_MISTAKE}
    assert [code for code, *_ in said["anew"]] == [
        mistakes.get(str(words[0]), DONE) for words in commands if some is None or words[0] in some
    ]


def unnumbered(text: str) -> str:
    """A text without numbers and columns: seconds, versions and an interpreter's name differ from run to run."""
    return re.sub(" +", " ", re.sub(r"[\d.]+", "", text))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["grade", "--nope"], "No such option"),
        (["mark"], "No such command"),
        (["grade", "autograd-engine"], "Missing argument"),
        (["batch", "autograd-engine", "."], "Missing option '--out'"),
        (["batch", "autograd-engine", ".", "--out", "x", "--workers", "0"], "not in the range"),
        (["grade", "autograd-engine", "x.py", "--tier", "none"], "is not one of"),
    ],
)
def test_a_wrong_use_is_told_with_where_to_find_help(arguments: list[str], says: str) -> None:
    done = run(*arguments)
    assert done.returncode == CALLERS_MISTAKE
    assert says in done.stderr.splitlines()[-1]
    assert "--help" in done.stderr


# The course


@pytest.mark.parametrize(
    "arguments",
    ["grade autograd-engine x.py", "batch autograd-engine . --out x", "check", "gradescope-zip x", "template"],
)
def test_without_a_course_nothing_is_done(tmp_path: Path, arguments: str) -> None:
    assert f"no grading.yml in {tmp_path} or in any folder above it" in told(run(*arguments.split(), cwd=tmp_path))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("check", "nowhere"),
        ("check", "empty"),
        ("check", "nowhere" * 50),
        ("doctor", "nowhere"),
        ("doctor", "n" * 300),
    ],
    ids=["missing", "without grading.yml", "too long", "missing for the doctor", "too long for the doctor"],
)
def test_a_course_that_is_not_there_is_told_by_its_name(tmp_path: Path, command: str, name: str) -> None:
    (tmp_path / "empty").mkdir()
    assert name[:20] in told(run(command, "--course", tmp_path / name))


@pytest.mark.parametrize(
    "arguments", ["grade calculus x.py", "batch calculus . --out x", "check calculus", "template calculus"]
)
def test_an_unknown_assignment_is_told_which_are_known(root: Path, tmp_path: Path, arguments: str) -> None:
    line = told(run(*arguments.split(), "--course", root, cwd=tmp_path))
    known = "autograd-engine, topological-sort, neural-network, tokenizer"
    assert f"unknown assignment 'calculus' (choose from {known})" in line


def test_a_course_may_be_named_by_its_file(root: Path, tmp_path: Path, solution: Path) -> None:
    succeeded(run("grade", "autograd-engine", solution, "--course", root / "grading.yml", cwd=tmp_path))


def test_a_course_is_found_from_a_folder_in_it(root: Path, solution: Path) -> None:
    succeeded(run("grade", "autograd-engine", solution, cwd=root / "assignments" / "autograd-engine"))


@pytest.mark.parametrize("command", [["check"], ["template"], ["doctor"], ["grade", "autograd-engine", "value.py"]])
def test_a_mistake_in_grading_yml_is_told_with_its_line_and_key(copy: Copy, command: list[str]) -> None:
    config = copy() / "grading.yml"
    config.write_text("limit: 3\n" + config.read_text(encoding="utf-8"), encoding="utf-8")
    assert f"{config}:1: limit: unknown key 'limit'" in told(run(*command, "--course", config))


def test_a_course_without_its_solution_is_told_which_file_to_write(copy: Copy, wrong: Path) -> None:
    course = copy()
    (course / "solutions" / "autograd-engine" / "value.py").unlink()
    line = told(run("grade", "autograd-engine", wrong, "--course", course))
    assert "solutions/autograd-engine/value.py: the reference solution is missing" in line


# Isolation


@pytest.mark.parametrize(
    "arguments",
    [
        "check",
        "grade autograd-engine solutions/autograd-engine/value.py",
        "batch autograd-engine solutions/autograd-engine --out {out}",
    ],
)
def test_a_tier_weaker_than_the_course_accepts_is_refused(root: Path, tmp_path: Path, arguments: str) -> None:
    filled = [argument.format(out=tmp_path / "out") for argument in arguments.split()]
    line = told(run(*filled, "--tier", "process", cwd=root))
    assert "isolation.weakest_tier in grading.yml: tier process is weaker than the required tier restricted" in line
    assert "--allow-unsafe" in line


def test_a_tier_weaker_than_the_option_requires_is_refused(root: Path) -> None:
    arguments = ("grade", "autograd-engine", "solutions/autograd-engine/value.py", "--allow-unsafe")
    line = told(run(*arguments, "--tier", "process", "--require-tier", "restricted", cwd=root))
    assert (
        "--require-tier: tier process is weaker than the required tier restricted (choose a stronger one, or" in line
    )


def test_a_weaker_tier_can_be_accepted_and_is_told(root: Path, solution: Path) -> None:
    done = run("grade", "autograd-engine", solution, "--tier", "process", "--allow-unsafe", cwd=root)
    assert "(isolation: process)" in succeeded(done)
    assert done.stderr.startswith("isolation: tier process, weaker than namespaces; for namespaces, ")


def test_a_course_cannot_settle_for_the_tier_that_only_stops_accidents(copy: Copy, solution: Path) -> None:
    course = copy()
    config = course / "grading.yml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("weakest_tier: restricted", "weakest_tier: process"), encoding="utf-8")
    line = told(run("grade", "autograd-engine", solution, "--course", course))
    assert "isolation.weakest_tier: tier process stops accidents only" in line
    assert "--allow-unsafe" in line


@pytest.mark.parametrize("code", [None, 0, 3])
def test_a_file_outside_the_kit_that_ends_the_program_is_the_callers_mistake(
    code: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    @exit_on_fault
    def command() -> None:
        sys.exit(code)

    with pytest.raises(SystemExit) as ended:
        command()
    assert ended.value.code == CALLERS_MISTAKE
    assert re.fullmatch(
        rf"error: {re.escape(__file__)}:\d+: this file ended the program .*\n", capsys.readouterr().err
    )

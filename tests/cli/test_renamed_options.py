"""Options that were renamed keep their old names, and say what they are called now."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from autograder.cli.main import RENAMED_OPTIONS, LazyCommandGroup, main


@pytest.fixture
def command_line() -> click.Group:
    """A command line with one command that prints what it was told."""

    @click.command()
    @click.option("--gradebook")
    @click.argument("names", nargs=-1)
    def command(gradebook: str | None, names: tuple[str, ...]) -> None:
        click.echo(f"{gradebook} {names}")

    class Small(LazyCommandGroup):
        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
            return command

    return Small("grader")


@pytest.mark.parametrize("given", [["--sheet", "a.csv"], ["--sheet=a.csv"]])
def test_an_old_name_does_its_work_with_a_warning(command_line: click.Group, given: list[str]) -> None:
    done = CliRunner().invoke(command_line, ["export", *given, "ada"])
    assert (done.exit_code, done.stdout) == (0, "a.csv ('ada',)\n")
    assert done.stderr == "warning: --sheet was renamed to --gradebook\n"


def test_a_new_name_says_nothing_more(command_line: click.Group) -> None:
    done = CliRunner().invoke(command_line, ["export", "--gradebook", "a.csv"])
    assert (done.stdout, done.stderr) == ("a.csv ()\n", "")


def test_what_stands_behind_two_dashes_is_no_option(command_line: click.Group) -> None:
    done = CliRunner().invoke(command_line, ["export", "--", "--sheet"])
    assert (done.stdout, done.stderr) == ("None ('--sheet',)\n", "")


def test_an_old_name_that_a_command_never_had_is_no_option(command_line: click.Group) -> None:
    done = CliRunner().invoke(command_line, ["export", "--why"])
    assert (done.exit_code, "--explain" in done.stderr) == (2, False)


@pytest.mark.parametrize(("old", "new"), RENAMED_OPTIONS.items())
def test_every_new_name_is_an_option_of_a_command_and_no_old_one_is(old: str, new: str) -> None:
    context = click.Context(main)
    commands = [main.get_command(context, name) for name in main.list_commands(context)]
    options = {option for command in commands if command for one in command.params for option in one.opts}
    assert new in options
    assert old not in options

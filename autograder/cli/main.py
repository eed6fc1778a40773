"""``autograder``: the commands."""

from __future__ import annotations

import importlib
import io
import os
import sys
from functools import partial
from typing import Any

import click

from autograder import __version__
from autograder.cli.help_examples import add_help_examples
from autograder.faults import interruptible
from autograder.files import restrict_umask

COMMANDS = {
    "init": "Make a course, ready to grade with and to change.",
    "new": "Make an assignment in a course, small and green.",
    "grade": "Grade one submission and explain the result.",
    "repair": "Show the smallest change that makes one right.",
    "batch": "Grade a folder or zip of submissions into a gradebook.",
    "report": "Write reports and gradebook again, from what is kept.",
    "regrade": "Bring results up to date after tests or points changed.",
    "overview": "Show how a class did, and write it as a page.",
    "similar": "Show who handed in the same, or nearly the same.",
    "show": "Show one student: attempts, versions, decisions.",
    "decide": "Set marks, comment, extend deadlines; undo it.",
    "submit": "Hand in to a course on the web, from a shell.",
    "serve": "Serve the course on the web: hand in, see, decide.",
    "invite": "Make personal links to sign in on the web.",
    "lti": "Let students come from an LMS: Moodle, Canvas, others.",
    "people": "Export or erase all that is kept of a student.",
    "archive": "Pack a whole term into one file; erase it then.",
    "export": "Write what a platform takes: marks, feedback, results.",
    "check": "Prove that the assignments hold together.",
    "gradescope-zip": "Pack an assignment as an autograder for Gradescope.",
    "template": "Write the folders that students get.",
    "doctor": "Say what this machine offers.",
}

SERVER_COMMANDS = frozenset({"serve", "invite", "lti", "people", "archive"})
"""Commands that lie under ``autograder/web/``."""

COURSE_WRITERS = frozenset({"init", "new", "check", "template"})
"""Commands that write into the course: the umask decides who may read their files."""


class LazyCommandGroup(click.Group):
    """Loads a command's module only when the command is used, to save import time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands, in the order of their use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        room = "web.commands" if cmd_name in SERVER_COMMANDS else "cli"
        command = importlib.import_module(f"autograder.{room}.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        add_help_examples(command, cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a fault becomes one line and an exit code, even while its modules are imported."""
        from autograder.cli.terminal import exit_on_fault  # slow to import

        return exit_on_fault(super().invoke)(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list in the help text, without loading anything."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyCommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="autograder")
@click.pass_context
def main(context: click.Context) -> None:
    """Grade Python exercises with hidden tests: isolated, fair, explained.

    `autograder COMMAND --help` shows examples, and names the page of docs/ that tells more.
    """
    _open_closed_streams()
    if context.invoked_subcommand != "serve":  # whose parts end in an order of their own
        context.with_resource(interruptible())
    if context.invoked_subcommand not in COURSE_WRITERS:
        context.call_on_close(partial(os.umask, restrict_umask()))
    for stream in (sys.stdout, sys.stderr):  # a character that the stream cannot encode, such as ✓, is escaped
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _open_closed_streams() -> None:
    """Open standard streams that are closed on the null device.

    The next file that is opened would otherwise take the number of one, and get what is printed there.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
            if getattr(sys, name) is None:
                setattr(sys, name, os.fdopen(opened, "w" if descriptor else "r", encoding="utf-8"))

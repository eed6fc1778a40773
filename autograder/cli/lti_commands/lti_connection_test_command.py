"""``autograder lti test``: check the connection to a platform."""

from __future__ import annotations

import sys

import click

from autograder.batch import BatchLocation
from autograder.cli.fault_handling import EXIT_FAILED, exit_on_fault
from autograder.cli.lti_commands.lti_command_helpers import escape_and_shorten_for_terminal, get_lti_platform_by_name
from autograder.cli.options.lti_options import add_results_location_options
from autograder.cli.output.console import print_line


@click.command("test")
@click.argument("platform_name", metavar="NAME")
@add_results_location_options
@exit_on_fault
def check_platform_connection_command(platform_name: str, location: BatchLocation) -> None:
    """See whether a platform shows its keys, gives a token, and lets members, line items and results be read.

    Nothing is changed there.
    """
    from autograder.lti.connection_check import check_connection
    from autograder.lti.lti_tool import make_lti_tool

    failed = False
    with location.open_or_create_store() as store:
        platform, tool = get_lti_platform_by_name(store, platform_name), make_lti_tool(location.output_folder)
        for step in check_connection(store, location.class_name_in_store, tool, platform):
            failed |= not step.works
            name, text = map(escape_and_shorten_for_terminal, (step.name, step.text))
            print_line(f"{'✓' if step.works else '✗'} {name}: {text}")
    sys.exit(EXIT_FAILED if failed else 0)

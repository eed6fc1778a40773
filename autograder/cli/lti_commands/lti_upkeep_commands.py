"""``autograder lti test``, ``keys`` and ``log``: check a connection, list or renew keys, print what was changed."""

from __future__ import annotations

import sys

import click

from autograder.batch import BatchLocation
from autograder.cli.decide_commands.audit_log_command import iterate_audit_log_lines
from autograder.cli.fault_handling import EXIT_FAILED
from autograder.cli.lti_commands.lti_command_helpers import (
    escape_and_shorten_for_terminal,
    get_lti_platform_by_name,
    make_os_user_actor,
)
from autograder.cli.options.graded_class_options import add_results_location_options
from autograder.cli.output.console import print_line
from autograder.store.lti.lti_audit_events import record_lti_change


@click.command("test")
@click.argument("platform_name", metavar="NAME")
@add_results_location_options
def check_platform_services_command(platform_name: str, location: BatchLocation) -> None:
    """See whether a platform shows its keys, gives a token, and lets members, line items and results be read.

    Nothing is changed there.
    """
    from autograder.lti.connection_check import iterate_connection_checks
    from autograder.lti.lti_tool import make_lti_tool

    failed = False
    with location.open_or_create_store() as store:
        platform, tool = get_lti_platform_by_name(store, platform_name), make_lti_tool(location.output_folder)
        for step in iterate_connection_checks(store, location.class_key_in_store, tool, platform):
            failed |= not step.works
            name, text = map(escape_and_shorten_for_terminal, (step.name, step.text))
            print_line(f"{'✓' if step.works else '✗'} {name}: {text}")
    sys.exit(EXIT_FAILED if failed else 0)


@click.command("keys")
@click.option("--rotate", is_flag=True, help="Sign with a new key from now on.")
@add_results_location_options
def print_or_rotate_signing_keys_command(rotate: bool, location: BatchLocation) -> None:
    """List the keys that platforms are shown; the last one signs."""
    from autograder.lti.tool_keys import ToolSigningKeyFile

    found = ToolSigningKeyFile(location.output_folder)
    if rotate:
        new_id = found.rotate_key()
        with location.open_or_create_store() as store:
            course, actor = location.class_key_in_store, make_os_user_actor()
            record_lti_change(store.audit, course, actor, "key", "", new_id)
    for kid, made_at in found.list_published_ids_and_times():
        print_line(f"{kid}, made {made_at:%Y-%m-%d %H:%M} UTC")


@click.command("log")
@add_results_location_options
def print_lti_audit_log_command(location: BatchLocation) -> None:
    """Print what was changed by LTI: platforms, courses, people, keys.

    Deadlines, marks and whatever else is of one assignment are in the log of its class, `autograder decide log`.
    """
    with location.open_or_create_store() as store:
        events = store.audit.load_audit_rows(location.class_key_in_store, "")
    for line in iterate_audit_log_lines(events):
        print_line(line)
    if not events:
        print_line("LTI has changed and sent nothing yet")

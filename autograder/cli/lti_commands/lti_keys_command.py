"""``autograder lti keys``: list the keys with which the tool signs, or make a new one."""

from __future__ import annotations

import click

from autograder.batch import BatchLocation
from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.lti_commands.lti_command_helpers import record_audit_event_by_os_user
from autograder.cli.options.lti_options import add_results_location_options
from autograder.cli.output.console import print_line
from autograder.store.lti.lti_audit_events import make_lti_change_event


@click.command("keys")
@click.option("--rotate", is_flag=True, help="Sign with a new key from now on.")
@add_results_location_options
@exit_on_fault
def print_or_rotate_signing_keys_command(rotate: bool, location: BatchLocation) -> None:
    """List the keys that platforms are shown; the last one signs."""
    from autograder.lti.tool_keys import ToolSigningKeyFile

    found = ToolSigningKeyFile(location.output_folder)
    if rotate:
        found.rotate_key()
        with location.open_or_create_store() as store:
            record_audit_event_by_os_user(
                store, location, make_lti_change_event("key", "", found.list_published_ids_and_times()[-1][0])
            )
    for kid, made_at in found.list_published_ids_and_times():
        print_line(f"{kid}, made {made_at:%Y-%m-%d %H:%M} UTC")

"""``autograder lti log``: print what was changed by LTI."""

from __future__ import annotations

import click

from autograder.batch import BatchLocation
from autograder.cli.decide_commands.audit_log_command import iterate_audit_log_lines
from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.options.lti_options import add_results_location_options
from autograder.cli.output.console import print_line


@click.command("log")
@add_results_location_options
@exit_on_fault
def print_lti_audit_log_command(location: BatchLocation) -> None:
    """Print what was changed by LTI: platforms, courses, people, keys.

    Deadlines, marks and whatever else is of one assignment are in the log of its class, `autograder decide log`.
    """
    with location.open_or_create_store() as store:
        events = store.audit.load_audit_rows(location.class_name_in_store, "")
    for line in iterate_audit_log_lines(events):
        print_line(line)
    if not events:
        print_line("LTI has changed and sent nothing yet")

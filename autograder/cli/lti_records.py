"""``autograder lti log``: what was changed or sent by LTI, in the audit log."""

from __future__ import annotations

import click

from autograder.cli.decide_records import describe_events
from autograder.cli.lti_options import LtiOptions, add_lti_options
from autograder.cli.shared_options import exit_on_fault, make_console
from autograder.store.audit_log import MarkEvent, get_system_user_name
from autograder.store.database import Store
from autograder.store.lti_audit import Actor, record_lti_act


def get_actor() -> Actor:
    """Return who runs the command, for the audit log."""
    return Actor(get_system_user_name())


def record_act(store: Store, options: LtiOptions, event: MarkEvent) -> None:
    """Record what a command changed."""
    record_lti_act(store.audit, options.place.class_name, get_actor(), event)


@click.command("log")
@add_lti_options
@exit_on_fault
def log_command(options: LtiOptions) -> None:
    """Print what was changed by LTI: platforms, courses, people, keys.

    Deadlines, marks and whatever else is of one assignment are in the log of its class, `autograder decide log`.
    """
    with options.place.open_store() as store:
        events = store.audit.load_events(options.place.class_name, "")
    for line in describe_events(events):
        make_console().print(line)
    if not events:
        make_console().print("nothing was changed")

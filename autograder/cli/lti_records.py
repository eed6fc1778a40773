"""``autograder lti log``, and what the other commands of the group share: finding a platform, and the audit log."""

from __future__ import annotations

import click

from autograder.cli.decide_records import iterate_audit_log_lines
from autograder.cli.lti_options import LtiLocationOptions, add_lti_options
from autograder.cli.shared_options import exit_on_fault, make_console
from autograder.faults import CallerFault
from autograder.safe_text import escape_for_display
from autograder.store.audit_log import AuditEvent, get_system_user_name
from autograder.store.database import Store
from autograder.store.lti_audit import Actor, add_lti_audit_event
from autograder.store.lti_platform_table import LtiPlatform


def make_system_user_actor() -> Actor:
    """Return who runs the command, for the audit log."""
    return Actor(get_system_user_name())


def record_act(store: Store, options: LtiLocationOptions, event: AuditEvent) -> None:
    """Record what a command changed."""
    add_lti_audit_event(store.audit, options.place.class_name, make_system_user_actor(), event)


def get_lti_platform_by_name(store: Store, name: str) -> LtiPlatform:
    """Return the platform of a name.

    Raises:
        CallerFault: there is none.
    """
    found = store.lti_platforms.find_by_name(name)
    if found is None:
        names = ", ".join(one.name for one in store.lti_platforms.list_active())
        raise CallerFault("is no platform here", escape(name), f"choose from {names}" if names else "add it first")
    return found


def escape(text: str) -> str:
    """Return what a platform says, as a terminal may show it."""
    return escape_for_display(text, 300)


@click.command("log")
@add_lti_options
@exit_on_fault
def log_command(options: LtiLocationOptions) -> None:
    """Print what was changed by LTI: platforms, courses, people, keys.

    Deadlines, marks and whatever else is of one assignment are in the log of its class, `autograder decide log`.
    """
    with options.place.open_store() as store:
        events = store.audit.load_audit_rows(options.place.class_name, "")
    for line in iterate_audit_log_lines(events):
        make_console().print(line)
    if not events:
        make_console().print("nothing was changed")

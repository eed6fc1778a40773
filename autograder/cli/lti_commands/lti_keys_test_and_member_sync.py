"""``autograder lti keys``, ``test`` and ``roster``: the tool's keys, connection checks, and member lists."""

from __future__ import annotations

import sys

import click

from autograder.cli.fault_handling import EXIT_FAILED, exit_on_fault
from autograder.cli.lti_commands.lti_command_helpers import (
    escape_and_shorten_for_terminal,
    get_lti_platform_by_name,
    make_os_user_actor,
    record_audit_event_by_os_user,
)
from autograder.cli.options.lti_options import ServedCourseLocationOptions, add_results_location_options
from autograder.cli.output.console import print_line
from autograder.faults import CallerFault
from autograder.store.lti.lti_audit_events import make_lti_change_event


@click.command("keys")
@click.option("--rotate", is_flag=True, help="Sign with a new key from now on.")
@add_results_location_options
@exit_on_fault
def print_or_rotate_signing_keys_command(rotate: bool, options: ServedCourseLocationOptions) -> None:
    """List the keys that platforms are shown; the last one signs."""
    from autograder.lti.tool_keys import ToolSigningKeyFile

    found = ToolSigningKeyFile(options.place.output_folder)
    if rotate:
        found.rotate_key()
        with options.place.open_or_create_store() as store:
            record_audit_event_by_os_user(
                store, options, make_lti_change_event("key", "", found.list_published_ids_and_times()[-1][0])
            )
    for kid, made_at in found.list_published_ids_and_times():
        print_line(f"{kid}, made {made_at:%Y-%m-%d %H:%M} UTC")


@click.command("test")
@click.argument("platform_name", metavar="NAME")
@add_results_location_options
@exit_on_fault
def check_platform_connection_command(platform_name: str, options: ServedCourseLocationOptions) -> None:
    """See whether a platform shows its keys, gives a token, and lets members, line items and results be read.

    Nothing is changed there.
    """
    from autograder.lti.connection_check import check_connection
    from autograder.lti.keys_and_clients import make_lti_keys_and_clients

    failed = False
    with options.place.open_or_create_store() as store:
        platform, tool = (
            get_lti_platform_by_name(store, platform_name),
            make_lti_keys_and_clients(options.place.output_folder),
        )
        for step in check_connection(store, options.place.class_name_in_store, tool, platform):
            failed |= not step.works
            name, text = map(escape_and_shorten_for_terminal, (step.name, step.text))
            print_line(f"{'✓' if step.works else '✗'} {name}: {text}")
    sys.exit(EXIT_FAILED if failed else 0)


@click.command("roster")
@add_results_location_options
@exit_on_fault
def sync_lti_members_command(options: ServedCourseLocationOptions) -> None:
    """Bring the class up to date with the members of every connected course; who left stays, marked."""
    from autograder.lti.course_member_sync import sync_members
    from autograder.lti.keys_and_clients import make_lti_keys_and_clients

    tool, course = make_lti_keys_and_clients(options.place.output_folder), options.place.class_name_in_store
    with options.place.open_or_create_store() as store:
        contexts = [
            one for one in store.lti_contexts.list_requesting_contexts(course) if one.is_connected and one.members_url
        ]
        if not contexts:
            raise CallerFault("no connected course says where its members are", advice="open an assignment from one")
        for context in contexts:
            platform = store.lti_platforms.find_active_by_id(context.platform)
            if platform is not None:
                change = sync_members(
                    store, course, tool.make_platform_service(platform), context, make_os_user_actor()
                )
                print_line(
                    f"{escape_and_shorten_for_terminal(context.title or context.context)}: "
                    f"{change.members} members, {change.new} new, "
                    f"{change.back} back, {change.left} left, {change.proposed} to decide about on the page LMS"
                )

"""``autograder lti keys``, ``test`` and ``roster``: what the tool signs with, and what platforms answer."""

from __future__ import annotations

import sys

import click

from autograder.cli.lti_options import LtiLocationOptions, add_lti_options
from autograder.cli.lti_records import escape, get_lti_platform_by_name, make_system_user_actor, record_act
from autograder.cli.shared_options import EXIT_FAILED, exit_on_fault, make_console
from autograder.faults import CallerFault
from autograder.store.lti_audit import make_change_event


@click.command("keys")
@click.option("--rotate", is_flag=True, help="Sign with a new key from now on.")
@add_lti_options
@exit_on_fault
def keys_command(rotate: bool, options: LtiLocationOptions) -> None:
    """List the keys that platforms are shown; the last one signs."""
    from autograder.lti.tool_keys import ToolKeys

    found = ToolKeys(options.place.output_folder)
    if rotate:
        found.rotate_and_get_new_id()
        with options.place.open_store() as store:
            record_act(store, options, make_change_event("key", "", found.list_published_ids_and_times()[-1][0]))
    for kid, made_at in found.list_published_ids_and_times():
        make_console().print(f"{kid}, made {made_at:%Y-%m-%d %H:%M} UTC")


@click.command("test")
@click.argument("name")
@add_lti_options
@exit_on_fault
def check_connection_command(name: str, options: LtiLocationOptions) -> None:
    """See whether a platform shows its keys, gives a token, and lets members, line items and results be read.

    Nothing is changed there.
    """
    from autograder.lti.connection_check import iterate_connection_checks
    from autograder.lti.tool import make_tool

    failed = False
    with options.place.open_store() as store:
        platform, tool = get_lti_platform_by_name(store, name), make_tool(options.place.output_folder)
        for step in iterate_connection_checks(store, options.place.class_name, tool, platform):
            failed |= not step.works
            make_console().print(f"{'✓' if step.works else '✗'} {escape(step.name)}: {escape(step.text)}")
    sys.exit(EXIT_FAILED if failed else 0)


@click.command("roster")
@add_lti_options
@exit_on_fault
def roster_command(options: LtiLocationOptions) -> None:
    """Bring the class up to date with the members of every connected course; who left stays, marked."""
    from autograder.lti.names_and_roles import sync_members
    from autograder.lti.tool import make_tool

    tool, course = make_tool(options.place.output_folder), options.place.class_name
    with options.place.open_store() as store:
        contexts = [
            one for one in store.lti_contexts.list_contexts_of_course(course) if one.is_connected and one.members_url
        ]
        if not contexts:
            raise CallerFault("no connected course says where its members are", advice="open an assignment from one")
        for context in contexts:
            platform = store.lti_platforms.find_by_id(context.platform)
            if platform is not None:
                change = sync_members(store, course, tool.open_service(platform), context, make_system_user_actor())
                make_console().print(
                    f"{escape(context.title or context.context)}: {change.members} members, {change.new} new, "
                    f"{change.back} back, {change.left} left, {change.proposed} to decide about on the page LMS"
                )

"""``autograder lti roster``: update the class from the member lists of connected courses."""

from __future__ import annotations

import click

from autograder.batch import BatchLocation
from autograder.cli.lti_commands.lti_command_helpers import escape_and_shorten_for_terminal, make_os_user_actor
from autograder.cli.options.graded_class_options import add_results_location_options
from autograder.cli.output.console import print_line
from autograder.faults import CallerFault


@click.command("roster")
@add_results_location_options
def sync_lti_members_command(location: BatchLocation) -> None:
    """Bring the class up to date with the members of every connected course; who left stays, marked."""
    from autograder.lti.course_member_sync import sync_members
    from autograder.lti.lti_tool import make_lti_tool

    tool, course = make_lti_tool(location.output_folder), location.class_key_in_store
    with location.open_or_create_store() as store:
        contexts = [
            one for one in store.lti_contexts.list_contexts_of_course(course) if one.is_connected and one.members_url
        ]
        if not contexts:
            raise CallerFault("no connected course says where its members are", advice="open an assignment from one")
        for context in contexts:
            platform = store.lti_platforms.find_active_by_id(context.platform)
            if platform is not None:
                change = sync_members(
                    store, course, tool.make_platform_client(platform), context, make_os_user_actor()
                )
                print_line(
                    f"{escape_and_shorten_for_terminal(context.label)}: "
                    f"{change.members} members, {change.new} new, "
                    f"{change.back} back, {change.left} left, {change.proposed} to decide about on the page LMS"
                )

"""``autograder lti``: make an LMS and this server known to each other, and see whether they understand each other."""

from __future__ import annotations

import sys
from typing import Any

import click

from autograder.batch import BatchLocation
from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.lti_commands.lti_command_helpers import (
    escape_and_shorten_for_terminal,
    get_lti_platform_by_name,
    make_os_user_actor,
)
from autograder.cli.lti_commands.lti_member_sync_command import sync_lti_members_command
from autograder.cli.lti_commands.lti_platform_completion import make_complete_lti_platform
from autograder.cli.lti_commands.lti_upkeep_commands import (
    check_platform_services_command,
    print_lti_audit_log_command,
    print_or_rotate_signing_keys_command,
)
from autograder.cli.options.graded_class_options import add_results_location_options
from autograder.cli.output.console import print_line
from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.lti import are_packages_installed, platform_audit_events
from autograder.store.lti.lti_context_table import NO_COURSE_NAMED
from autograder.store.lti.lti_platform_table import KINDS


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@exit_on_fault
def command() -> None:
    """Let students come from an LMS by LTI 1.3: Moodle, Canvas, Open edX, Brightspace, Blackboard and others.

    The page LMS of `autograder serve` shows administrators what to paste there, and connects its courses.
    """
    if not are_packages_installed():
        raise CallerFault("the packages for LTI are not installed", advice=advise_to_install_extra("lti"))


@command.command("add")
@click.argument("platform_name", metavar="NAME")
@click.option("--kind", type=click.Choice(KINDS), help="What it is: addresses of Moodle, Canvas are then known.")
@click.option("--url", default="", metavar="URL", help="Its own address, such as https://moodle.uni.example.")
@click.option("--issuer", default="", metavar="URL", help="Its issuer, or platform id.")
@click.option("--client-id", default="", help="What it calls this tool.")
@click.option("--login-url", default="", metavar="URL", help="Its authentication request URL.")
@click.option("--token-url", default="", metavar="URL", help="Its access token URL.")
@click.option("--keys-url", default="", metavar="URL", help="Its public key set URL.")
@click.option("--token-audience", default="", help="The audience of token requests, where it is not the token URL.")
@click.option("--deployment", "deployments", multiple=True, help="A deployment id to accept; several times.")
@click.option(
    "--allow-private-addresses/--public-addresses-only",
    "allow_private",
    default=None,
    help="Whether its addresses may be plain HTTP or in a private network; they may not by default.",
)
@add_results_location_options
def add_or_change_platform(platform_name: str, location: BatchLocation, **platform_options: Any) -> None:
    """Add a platform under a NAME of your choice, or change it; asks for what no option says.

    A platform that is there already keeps what no option says, and --deployment adds to its deployments.
    """
    with location.open_or_create_store() as store:
        old_platform = store.lti_platforms.find_active_by_name(platform_name)
        platform = make_complete_lti_platform(
            platform_name, platform_options, old_platform, may_ask=sys.stdin.isatty()
        )
        names = [
            other_platform.name
            for other_platform in store.lti_platforms.list_active_by_issuer(platform.issuer, platform.client_id)
        ]
        if {*names} - {platform_name}:
            raise CallerFault(
                f"platform {names[0]} has this issuer and client id already",
                advice=f"change {names[0]}, or remove it",
            )
        course, actor = location.class_key_in_store, make_os_user_actor()
        new_platform = platform_audit_events.save_platform(store, course, actor, platform)
    print_line(
        f"{new_platform.name}: {'changed' if old_platform else 'added'}; "
        f"accepts deployments {', '.join(new_platform.deployments)}"
    )
    print_line(
        f"next: `autograder lti test {new_platform.name}`, "
        "then open an assignment from the LMS and connect its course"
    )


@command.command("registration-link")
@click.option("--url", default="http://127.0.0.1:8000", help="The server's address, for the link.")
@click.option("--allow-private-addresses", "allow_private", is_flag=True, help="Let a platform in a private network.")
@add_results_location_options
def add_and_print_registration_link(url: str, allow_private: bool, location: BatchLocation) -> None:
    """Print a link by which one platform registers this tool by itself (dynamic registration; Moodle does).

    It works once, within a day. The page LMS of `autograder serve` makes such links, too, for public addresses.
    """
    from autograder.web.lms.registration_links import create_registration_link

    with location.open_or_create_store() as store:
        path = create_registration_link(
            store, location.class_key_in_store, make_os_user_actor(), allow_private=allow_private
        )
    print_line(f"{url.rstrip('/')}{path}", soft_wrap=True)


@command.command("list")
@add_results_location_options
def print_platforms_and_their_courses(location: BatchLocation) -> None:
    """List the platforms, the courses of each that came here, and the links of these to assignments."""
    from autograder.lti.deleted_line_items import describe_line_item_problem

    with location.open_or_create_store() as store:
        platforms = store.lti_platforms.list_active()
        if not platforms:
            print_line("no platform is connected yet")
        for platform in platforms:
            issuer, client_id = map(escape_and_shorten_for_terminal, (platform.issuer, platform.client_id))
            deployments = ", ".join(map(escape_and_shorten_for_terminal, platform.deployments))
            print_line(f"{platform.name}: {platform.kind}, issuer {issuer}, client id {client_id}")
            print_line(f"  deployments: {deployments or 'none, so no launch is accepted'}")
            for lms_course in store.lti_contexts.list_contexts_of_course(location.class_key_in_store):
                if lms_course.platform == platform.id:
                    state = "connected" if lms_course.is_connected else "asks to come in"
                    context, title = map(escape_and_shorten_for_terminal, (lms_course.context, lms_course.title))
                    shown_course = f"{context} ({title or 'no title'})" if context else f"'' {NO_COURSE_NAMED}"
                    print_line(f"  course {shown_course}: {state}")
                    for link in store.lti_links.list_in_connected_courses(location.class_key_in_store):
                        if link.context == lms_course.id:
                            state = describe_line_item_problem(store, location.class_key_in_store, link)
                            state = state or "marks go there"
                            hint = "" if link.line_item_url else f" (`autograder lti forget {link.id}`)"
                            print_line(f"    link {link.id} to {link.assignment}: {state}{hint}")


@command.command("connect")
@click.argument("platform_name", metavar="NAME")
@click.argument("context")
@click.option("--off", is_flag=True, help="Let nobody in from there any more.")
@add_results_location_options
def connect_or_disconnect_course(platform_name: str, context: str, off: bool, location: BatchLocation) -> None:
    """Let people in from the course CONTEXT of the platform NAME; `autograder lti list` shows which asked.

    Whoever teaches that course is an instructor here.
    """
    with location.open_or_create_store() as store:
        platform = get_lti_platform_by_name(store, platform_name)
        lms_courses = [
            lms_course
            for lms_course in store.lti_contexts.list_contexts_of_course(location.class_key_in_store)
            if lms_course.platform == platform.id and lms_course.context == context
        ]
        if not lms_courses:
            raise CallerFault(
                f"no course with the id '{escape_and_shorten_for_terminal(context)}' has asked to be connected",
                advice="see `autograder lti list`",
            )
        for lms_course in lms_courses:
            platform_audit_events.set_course_connected(
                store, location.class_key_in_store, make_os_user_actor(), lms_course, is_connected=not off
            )
    shown_course = escape_and_shorten_for_terminal(context) or NO_COURSE_NAMED
    print_line(f"{shown_course}: {'disconnected' if off else 'connected'}")


@command.command("forget")
@click.argument("link_id", metavar="LINK", type=int)
@add_results_location_options
def forget_link(link_id: int, location: BatchLocation) -> None:
    """Forget a LINK to an assignment that was deleted in the LMS; `autograder lti list` numbers the links.

    What was sent there is forgotten with it. If somebody opens the assignment by that link again, it is known again.
    """
    with location.open_or_create_store() as store:
        links = store.lti_links.list_in_connected_courses(location.class_key_in_store)
        link = next((link for link in links if link.id == link_id), None)
        if link is None:
            raise CallerFault(f"no connected course has a link {link_id}", advice="see `autograder lti list`")
        platform_audit_events.forget_link(store, location.class_key_in_store, make_os_user_actor(), link)
    print_line(f"link {link_id} to {link.assignment}: forgotten")


@command.command("remove")
@click.argument("platform_name", metavar="NAME")
@add_results_location_options
def retire_platform(platform_name: str, location: BatchLocation) -> None:
    """Accept no launch of a platform any more; what its people handed in stays, and so do their accounts."""
    with location.open_or_create_store() as store:
        platform = get_lti_platform_by_name(store, platform_name)
        course, actor = location.class_key_in_store, make_os_user_actor()
        platform_audit_events.retire_platform(store, course, actor, platform)
    print_line(f"{platform_name}: removed; add it with the same issuer and client id, and its people are known again")


command.add_command(print_or_rotate_signing_keys_command)
command.add_command(check_platform_services_command)
command.add_command(sync_lti_members_command)
command.add_command(print_lti_audit_log_command)

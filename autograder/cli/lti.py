"""``autograder lti``: make an LMS and this server known to each other, and see whether they understand each other."""

from __future__ import annotations

import sys

import click

from autograder.cli.lti_checks import check_connection_command, keys_command, roster_command
from autograder.cli.lti_options import LtiLocationOptions, LtiPlatformOptions, add_lti_options, add_platform_options
from autograder.cli.lti_records import (
    escape,
    get_lti_platform_by_name,
    log_command,
    make_system_user_actor,
    record_act,
)
from autograder.cli.shared_options import exit_on_fault, make_console
from autograder.faults import CallerFault
from autograder.lti import are_packages_installed
from autograder.lti.audit_texts import make_connection_event, make_platform_change_event


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@exit_on_fault
def command() -> None:
    """Let students come from an LMS by LTI 1.3: Moodle, Canvas, Open edX, Brightspace, Blackboard and others.

    The page LMS of `autograder serve` shows administrators what to paste there, and connects its courses.
    """
    if not are_packages_installed():
        raise CallerFault("needs packages that are not installed", advice="pip install 'autograd-exercise-kit[lti]'")


@command.command("add")
@click.argument("name")
@add_platform_options
@add_lti_options
@exit_on_fault
def add(name: str, answers: LtiPlatformOptions, options: LtiLocationOptions) -> None:
    """Add a platform under a NAME of your choice, or change it; asks for what no option says.

    A platform that is there already keeps what no option says, and --deployment adds to its deployments.
    """
    from autograder.cli.lti_platform import complete_lti_platform_or_ask

    with options.place.open_store() as store:
        before = store.lti_platforms.find_by_name(name)
        platform = complete_lti_platform_or_ask(name, answers, before, ask=sys.stdin.isatty())
        same = [
            one.name for one in store.lti_platforms.list_by_issuer_and_client(platform.issuer, platform.client_id)
        ]
        if {*same} - {name}:
            raise CallerFault("has this issuer and client id already", same[0], f"change {same[0]}, or remove it")
        saved = store.lti_platforms.save(platform)
        record_act(store, options, make_platform_change_event(before, saved))
    show = make_console().print
    show(f"{saved.name}: {'changed' if before else 'added'}; accepts deployments {', '.join(saved.deployments)}")
    show(f"next: `autograder lti test {saved.name}`, then open an assignment from the LMS and connect its course")


@command.command("registration-link")
@click.option("--url", default="http://127.0.0.1:8000", help="The server's address, for the link.")
@click.option("--allow-private-addresses", "allow_private", is_flag=True, help="Let a platform in a private network.")
@add_lti_options
@exit_on_fault
def make_link(url: str, allow_private: bool, options: LtiLocationOptions) -> None:
    """Print a link by which one platform registers this tool by itself (dynamic registration; Moodle does).

    It works once, within a day. The page LMS of `autograder serve` makes such links, too, for public addresses.
    """
    from autograder.web.registration_links import add_registration_link_path

    with options.place.open_store() as store:
        path = add_registration_link_path(
            store, options.place.class_name, make_system_user_actor(), allow_private=allow_private
        )
    make_console().print(f"{url.rstrip('/')}{path}", soft_wrap=True)


@command.command("list")
@add_lti_options
@exit_on_fault
def show_all(options: LtiLocationOptions) -> None:
    """List the platforms, and the courses of each that came here."""
    show = make_console().print
    with options.place.open_store() as store:
        for platform in store.lti_platforms.list_active():
            show(f"{platform.name}: {platform.kind}, issuer {platform.issuer}, client id {platform.client_id}")
            show(f"  deployments: {', '.join(platform.deployments) or 'none: nobody comes in'}")
            for one in store.lti_contexts.list_contexts_of_course(options.place.class_name):
                if one.platform == platform.id:
                    state = "connected" if one.is_connected else "asks to come in"
                    show(f"  course {escape(one.context)} ({escape(one.title)}): {state}")


@command.command("connect")
@click.argument("name")
@click.argument("context")
@click.option("--off", is_flag=True, help="Let nobody in from there any more.")
@add_lti_options
@exit_on_fault
def connect(name: str, context: str, off: bool, options: LtiLocationOptions) -> None:
    """Let people in from the course CONTEXT of the platform NAME; `autograder lti list` shows which asked.

    Whoever teaches that course is an instructor here.
    """
    with options.place.open_store() as store:
        platform = get_lti_platform_by_name(store, name)
        found = [
            one
            for one in store.lti_contexts.list_contexts_of_course(options.place.class_name)
            if one.platform == platform.id and one.context == context
        ]
        if not found:
            raise CallerFault("no course of that id asked to come in", escape(context), "see `autograder lti list`")
        for one in found:
            store.lti_contexts.set_connected(one.id, is_connected=not off)
            if one.is_connected == off:
                record_act(store, options, make_connection_event(store, one, is_connected=not off))
    make_console().print(f"{escape(context)}: {'disconnected' if off else 'connected'}")


@command.command("remove")
@click.argument("name")
@add_lti_options
@exit_on_fault
def remove(name: str, options: LtiLocationOptions) -> None:
    """Accept no launch of a platform any more; what its people handed in stays, and so do their accounts."""
    with options.place.open_store() as store:
        platform = get_lti_platform_by_name(store, name)
        store.lti_platforms.retire(platform)
        record_act(store, options, make_platform_change_event(platform, None))
    make_console().print(
        f"{name}: removed; add it with the same issuer and client id, and its people are known again"
    )


command.add_command(keys_command)
command.add_command(check_connection_command)
command.add_command(roster_command)
command.add_command(log_command)

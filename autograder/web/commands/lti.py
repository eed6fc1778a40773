"""Make an LMS and this server known to each other (``autograder lti``)."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click

from autograder.batch import BatchLocation
from autograder.cli.decide import iterate_audit_log_lines
from autograder.cli.graded_class import add_results_location_options
from autograder.cli.terminal import EXIT_FAILED, exit_on_fault, print_line
from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.store.audit import get_os_user_name
from autograder.text import escape_for_display
from autograder.web.lti import administration, are_packages_installed
from autograder.web.lti.http import RefusedAddress, get_origin, require_permitted_url
from autograder.web.store.lti.audit import LtiActor, record_lti_change
from autograder.web.store.lti.platforms import KINDS, NO_COURSE_NAMED, LtiPlatform, PlatformKind
from autograder.web.store.server_store import ServerStore, open_server_store


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@exit_on_fault
def command() -> None:
    """Let students come from an LMS by LTI 1.3: Moodle, Canvas, Open edX, Brightspace, Blackboard and others.

    The page LMS of `autograder serve` shows administrators what to paste there, and connects its courses.
    """
    if not are_packages_installed():
        raise CallerFault("the packages for LTI are not installed", advice=advise_to_install_extra("lti"))


def _make_os_user_actor() -> LtiActor:
    """Return who runs the command, for the audit log."""
    return LtiActor(get_os_user_name())


def _get_lti_platform_by_name(store: ServerStore, platform_name: str) -> LtiPlatform:
    """Return the platform of a name.

    Raises:
        CallerFault: there is none.
    """
    found = store.lti_platforms.find_active(name=platform_name)
    if found is None:
        names = ", ".join(one.name for one in store.lti_platforms.list_active())
        raise CallerFault(
            f"unknown platform '{_escape_and_shorten_for_terminal(platform_name)}'",
            advice=f"choose from {names}" if names else "add it first",
        )
    return found


def _escape_and_shorten_for_terminal(text: str) -> str:
    """Return a platform's text, escaped and shortened for a terminal."""
    return escape_for_display(text, 300)


@command.command("roster")
@add_results_location_options
def sync_lti_members_command(location: BatchLocation) -> None:
    """Bring the class up to date with the members of every connected course; who left stays, marked."""
    from autograder.web.lti.launch_acceptance import sync_members
    from autograder.web.lti.tool import make_lti_tool

    tool, course = make_lti_tool(location.output_folder), location.class_key_in_store
    with open_server_store(location) as store:
        contexts = [one for one in store.lti_contexts.list_all(course=course) if one.is_connected and one.members_url]
        if not contexts:
            raise CallerFault("no connected course says where its members are", advice="open an assignment from one")
        for context in contexts:
            platform = store.lti_platforms.find_active(id=context.platform)
            if platform is not None:
                change = sync_members(
                    store, course, tool.make_platform_client(platform), context, _make_os_user_actor()
                )
                print_line(
                    f"{_escape_and_shorten_for_terminal(context.label)}: "
                    f"{change.members} members, {change.new} new, "
                    f"{change.back} back, {change.left} left, {change.proposed} to decide about on the page LMS"
                )


CANVAS = "https://canvas.instructure.com"
BLACKBOARD = "https://developer.blackboard.com/api/v1"


def _get_known_addresses(platform_kind: PlatformKind, platform_url_or_empty: str, client_id: str) -> dict[str, str]:
    """Return the known ones of ``issuer``, ``login_url``, ``token_url`` and ``keys_url``.

    Args:
        platform_kind: the kind of platform.
        platform_url_or_empty: its address, such as ``https://moodle.uni.example``; empty if unknown.
        client_id: the id of this tool on the platform.

    >>> _get_known_addresses("moodle", "https://moodle.uni.example/", "c")["token_url"]
    'https://moodle.uni.example/mod/lti/token.php'
    """
    base = platform_url_or_empty.rstrip("/")
    if platform_kind == "moodle" and get_origin(base):
        return {
            "issuer": base,
            "login_url": f"{base}/mod/lti/auth.php",
            "token_url": f"{base}/mod/lti/token.php",
            "keys_url": f"{base}/mod/lti/certs.php",
        }
    if platform_kind == "canvas":
        canvas_url = base or CANVAS
        return {
            "issuer": CANVAS,
            "login_url": f"{canvas_url}/api/lti/authorize_redirect",
            "token_url": f"{canvas_url}/login/oauth2/token",
            "keys_url": f"{canvas_url}/api/lti/security/jwks",
        }
    if platform_kind == "blackboard":
        return {
            "issuer": "https://blackboard.com",
            "login_url": f"{BLACKBOARD}/gateway/oidcauth",
            "token_url": f"{BLACKBOARD}/gateway/oauth2/jwttoken",
            "keys_url": f"{BLACKBOARD}/management/applications/{client_id}/jwks.json",
        }
    return {"issuer": base} if base else {}


NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
"""The form of a platform's name, with which the logins of its users begin."""
QUESTIONS = {
    "issuer": "Issuer (platform id)",
    "login_url": "Authentication request URL",
    "token_url": "Access token URL",
    "keys_url": "Public key set URL",
}


def _make_complete_lti_platform(
    platform_name: str, platform_options: Mapping[str, Any], stored_platform: LtiPlatform | None, *, may_ask: bool
) -> LtiPlatform:
    """Return a platform, complete and ready to be saved.

    Args:
        platform_name: what the staff calls it.
        platform_options: the options of the command line.
        stored_platform: the stored platform; None for a new one.
        may_ask: whether a person can be prompted.

    Raises:
        CallerFault: a setting is missing or invalid.
    """
    if not NAME.fullmatch(platform_name):
        raise CallerFault(
            f"{platform_name!r} cannot be the name of a platform",
            advice="use lower-case letters, digits and -, such as moodle",
        )
    kept = asdict(stored_platform) if stored_platform else {}
    given = {name: value for name, value in platform_options.items() if value}
    kind: PlatformKind = given.get("kind") or kept.get("kind") or "other"
    if may_ask and not (kept or "kind" in given):
        kind = click.prompt("What is it?", type=click.Choice(KINDS), default="moodle")
    url = given.get("url", "")
    if kind == "moodle" and may_ask and not (url or kept or "issuer" in given):
        url = _ask("Its address, such as https://moodle.uni.example")
    found = {**kept, **given}
    found["client_id"] = found.get("client_id") or _require("--client-id", "Client id", ask=may_ask)
    known = _get_known_addresses(kind, url, found["client_id"])
    for field, question in QUESTIONS.items():
        option = f"--{field.replace('_', '-')}"
        found[field] = found.get(field) or known.get(field) or _require(option, question, ask=may_ask)
    deployments = (*kept.get("deployments", ()), *given.get("deployments", ()))
    if not deployments:
        deployments = (_require("--deployment", "Deployment id", ask=may_ask),)
    allow_private = platform_options["allow_private"]
    if allow_private is None:
        allow_private = kept.get("allow_private", False)
    for field in ("login_url", "token_url", "keys_url"):
        try:
            require_permitted_url(found[field], allow_private=allow_private, look_up_host=False)
        except RefusedAddress as refused:
            advice = "use https, or try it out with --allow-private-addresses"
            raise CallerFault(refused.what, refused.where, advice) from None
    return LtiPlatform(
        platform_name,
        **{field: found[field] for field in ("client_id", *QUESTIONS)},
        deployments=tuple(dict.fromkeys(one.strip() for one in deployments)),
        kind=kind,
        token_audience=found.get("token_audience", ""),
        allow_private=allow_private,
    )


def _require(option: str, question: str, *, ask: bool) -> str:
    if not ask:
        raise CallerFault(
            f"missing option {option}", advice="add it, or run the command on a terminal, where it asks"
        )
    return _ask(question)


def _ask(question: str) -> str:
    return str(click.prompt(question)).strip()


@command.command("test")
@click.argument("platform_name", metavar="NAME")
@add_results_location_options
def check_platform_services_command(platform_name: str, location: BatchLocation) -> None:
    """See whether a platform shows its keys, gives a token, and lets members, line items and results be read.

    Nothing is changed there.
    """
    from autograder.web.lti.line_items import iterate_connection_checks
    from autograder.web.lti.tool import make_lti_tool

    failed = False
    with open_server_store(location) as store:
        platform, tool = _get_lti_platform_by_name(store, platform_name), make_lti_tool(location.output_folder)
        for step in iterate_connection_checks(store, location.class_key_in_store, tool, platform):
            failed |= not step.works
            name, text = map(_escape_and_shorten_for_terminal, (step.name, step.text))
            print_line(f"{'✓' if step.works else '✗'} {name}: {text}")
    sys.exit(EXIT_FAILED if failed else 0)


@command.command("keys")
@click.option("--rotate", is_flag=True, help="Sign with a new key from now on.")
@add_results_location_options
def print_or_rotate_signing_keys_command(rotate: bool, location: BatchLocation) -> None:
    """List the keys that platforms are shown; the last one signs."""
    from autograder.web.lti.tool import ToolSigningKeyFile

    found = ToolSigningKeyFile(location.output_folder)
    if rotate:
        new_id = found.rotate_key()
        with open_server_store(location) as store:
            course, actor = location.class_key_in_store, _make_os_user_actor()
            record_lti_change(store.audit, course, actor, "key", "", new_id)
    for kid, made_at in found.list_published_ids_and_times():
        print_line(f"{kid}, made {made_at:%Y-%m-%d %H:%M} UTC")


@command.command("log")
@add_results_location_options
def print_lti_audit_log_command(location: BatchLocation) -> None:
    """Print what was changed by LTI: platforms, courses, people, keys.

    Deadlines, marks and whatever else is of one assignment are in the log of its class, `autograder decide log`.
    """
    with open_server_store(location) as store:
        rows = store.audit.load_audit_rows(location.class_key_in_store, "")
        events = [row for row in rows if row.action.kind != "people"]
    for line in iterate_audit_log_lines(events):
        print_line(line)
    if not events:
        print_line("LTI has changed and sent nothing yet")


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
    with open_server_store(location) as store:
        old_platform = store.lti_platforms.find_active(name=platform_name)
        platform = _make_complete_lti_platform(
            platform_name, platform_options, old_platform, may_ask=sys.stdin.isatty()
        )
        same = store.lti_platforms.list_active(issuer=platform.issuer, client_id=platform.client_id)
        names = [one.name for one in same]
        if {*names} - {platform_name}:
            raise CallerFault(
                f"platform {names[0]} has this issuer and client id already",
                advice=f"change {names[0]}, or remove it",
            )
        course, actor = location.class_key_in_store, _make_os_user_actor()
        new_platform = administration.save_platform(store, course, actor, platform)
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
    from autograder.web.lti.administration import create_registration_link

    with open_server_store(location) as store:
        path = create_registration_link(
            store, location.class_key_in_store, _make_os_user_actor(), allow_private=allow_private
        )
    print_line(f"{url.rstrip('/')}{path}", soft_wrap=True)


@command.command("list")
@add_results_location_options
def print_platforms_and_their_courses(location: BatchLocation) -> None:
    """List the platforms, the courses of each that came here, and the links of these to assignments."""
    from autograder.web.lti.line_items import describe_line_item_problem

    with open_server_store(location) as store:
        platforms = store.lti_platforms.list_active()
        if not platforms:
            print_line("no platform is connected yet")
        for platform in platforms:
            issuer, client_id = map(_escape_and_shorten_for_terminal, (platform.issuer, platform.client_id))
            deployments = ", ".join(map(_escape_and_shorten_for_terminal, platform.deployments))
            print_line(f"{platform.name}: {platform.kind}, issuer {issuer}, client id {client_id}")
            print_line(f"  deployments: {deployments or 'none, so no launch is accepted'}")
            for lms_course in store.lti_contexts.list_all(course=location.class_key_in_store):
                if lms_course.platform == platform.id:
                    state = "connected" if lms_course.is_connected else "asks to come in"
                    context, title = map(_escape_and_shorten_for_terminal, (lms_course.context, lms_course.title))
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
    with open_server_store(location) as store:
        platform = _get_lti_platform_by_name(store, platform_name)
        lms_courses = [
            lms_course
            for lms_course in store.lti_contexts.list_all(course=location.class_key_in_store)
            if lms_course.platform == platform.id and lms_course.context == context
        ]
        if not lms_courses:
            raise CallerFault(
                f"no course with the id '{_escape_and_shorten_for_terminal(context)}' has asked to be connected",
                advice="see `autograder lti list`",
            )
        for lms_course in lms_courses:
            administration.set_course_connected(
                store, location.class_key_in_store, _make_os_user_actor(), lms_course, is_connected=not off
            )
    shown_course = _escape_and_shorten_for_terminal(context) or NO_COURSE_NAMED
    print_line(f"{shown_course}: {'disconnected' if off else 'connected'}")


@command.command("forget")
@click.argument("link_id", metavar="LINK", type=int)
@add_results_location_options
def forget_link(link_id: int, location: BatchLocation) -> None:
    """Forget a LINK to an assignment that was deleted in the LMS; `autograder lti list` numbers the links.

    What was sent there is forgotten with it. If somebody opens the assignment by that link again, it is known again.
    """
    with open_server_store(location) as store:
        links = store.lti_links.list_in_connected_courses(location.class_key_in_store)
        link = next((link for link in links if link.id == link_id), None)
        if link is None:
            raise CallerFault(f"no connected course has a link {link_id}", advice="see `autograder lti list`")
        administration.forget_link(store, location.class_key_in_store, _make_os_user_actor(), link)
    print_line(f"link {link_id} to {link.assignment}: forgotten")


@command.command("remove")
@click.argument("platform_name", metavar="NAME")
@add_results_location_options
def retire_platform(platform_name: str, location: BatchLocation) -> None:
    """Accept no launch of a platform any more; what its people handed in stays, and so do their accounts."""
    with open_server_store(location) as store:
        platform = _get_lti_platform_by_name(store, platform_name)
        course, actor = location.class_key_in_store, _make_os_user_actor()
        administration.retire_platform(store, course, actor, platform)
    print_line(f"{platform_name}: removed; add it with the same issuer and client id, and its people are known again")

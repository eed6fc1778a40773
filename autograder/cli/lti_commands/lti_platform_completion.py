"""Complete a platform's settings: from the stored ones, from its kind, and by prompting."""

from __future__ import annotations

import re

import click

from autograder.cli.options.lti_options import LtiPlatformOptions
from autograder.faults import CallerFault
from autograder.lti.address_guard import RefusedAddress, require_permitted_url
from autograder.lti.known_platform_addresses import get_known_addresses
from autograder.store.lti.lti_platform_table import KINDS, LtiPlatform, PlatformKind

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,23}")
"""The form of a platform's name, with which the logins of its users begin."""
QUESTIONS = {
    "issuer": "Issuer (platform id)",
    "login_url": "Authentication request URL",
    "token_url": "Access token URL",
    "keys_url": "Public key set URL",
}


def make_complete_lti_platform(
    platform_name: str, platform_options: LtiPlatformOptions, stored_platform: LtiPlatform | None, *, may_ask: bool
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
    kind = platform_options.kind or (stored_platform.kind if stored_platform else _ask_kind(ask=may_ask))
    url = platform_options.url
    if kind == "moodle" and may_ask and not (url or stored_platform or platform_options.issuer):
        url = _ask("Its address, such as https://moodle.uni.example")
    client_id = platform_options.client_id or (stored_platform.client_id if stored_platform else "")
    client_id = client_id or _require("--client-id", "Client id", ask=may_ask)
    known = get_known_addresses(kind, url, client_id)
    found = {}
    for field, question in QUESTIONS.items():
        option = f"--{field.replace('_', '-')}"
        kept = getattr(stored_platform, field) if stored_platform else ""
        found[field] = (
            getattr(platform_options, field) or kept or known.get(field) or _require(option, question, ask=may_ask)
        )
    deployments = (*(stored_platform.deployments if stored_platform else ()), *platform_options.deployments)
    if not deployments:
        deployments = (_require("--deployment", "Deployment id", ask=may_ask),)
    allow_private = (
        stored_platform.allow_private
        if stored_platform and platform_options.allow_private is None
        else bool(platform_options.allow_private)
    )
    for field in ("login_url", "token_url", "keys_url"):
        try:
            require_permitted_url(found[field], allow_private=allow_private, look_up_host=False)
        except RefusedAddress as refused:
            advice = "use https, or try it out with --allow-private-addresses"
            raise CallerFault(refused.what, refused.where, advice) from None
    return LtiPlatform(
        platform_name,
        found["issuer"],
        client_id,
        found["login_url"],
        found["token_url"],
        found["keys_url"],
        tuple(dict.fromkeys(one.strip() for one in deployments)),
        kind,
        platform_options.token_audience or (stored_platform.token_audience if stored_platform else ""),
        allow_private,
    )


def _ask_kind(*, ask: bool) -> PlatformKind:
    if not ask:
        return "other"
    chosen: PlatformKind = click.prompt("What is it?", type=click.Choice(KINDS), default="moodle")
    return chosen


def _require(option: str, question: str, *, ask: bool) -> str:
    if not ask:
        raise CallerFault(
            f"missing option {option}", advice="add it, or run the command on a terminal, where it asks"
        )
    return _ask(question)


def _ask(question: str) -> str:
    return str(click.prompt(question)).strip()

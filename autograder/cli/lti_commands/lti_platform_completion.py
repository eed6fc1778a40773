"""Complete a platform's settings: from the stored ones, from its kind, and by prompting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import click

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
    kind: PlatformKind = given.get("kind") or kept.get("kind") or _ask_kind(ask=may_ask)
    url = given.get("url", "")
    if kind == "moodle" and may_ask and not (url or kept or "issuer" in given):
        url = _ask("Its address, such as https://moodle.uni.example")
    found = {**kept, **given}
    found["client_id"] = found.get("client_id") or _require("--client-id", "Client id", ask=may_ask)
    known = get_known_addresses(kind, url, found["client_id"])
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

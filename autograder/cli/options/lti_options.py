"""The options of ``autograder lti``."""

from __future__ import annotations

from dataclasses import dataclass

import click

from autograder.cli.options.shared_options import gather_options
from autograder.store.lti.lti_platform_table import KINDS, PlatformKind


@dataclass(frozen=True, slots=True)
class LtiPlatformOptions:
    """The options about a platform; None or empty if not given."""

    kind: PlatformKind | None
    url: str
    issuer: str
    client_id: str
    login_url: str
    token_url: str
    keys_url: str
    token_audience: str
    deployments: tuple[str, ...]
    allow_private: bool | None


add_lti_platform_options = gather_options(
    "platform_options",
    LtiPlatformOptions,
    click.option("--kind", type=click.Choice(KINDS), help="What it is: addresses of Moodle, Canvas are then known."),
    click.option("--url", default="", metavar="URL", help="Its own address, such as https://moodle.uni.example."),
    click.option("--issuer", default="", metavar="URL", help="Its issuer, or platform id."),
    click.option("--client-id", default="", help="What it calls this tool."),
    click.option("--login-url", default="", metavar="URL", help="Its authentication request URL."),
    click.option("--token-url", default="", metavar="URL", help="Its access token URL."),
    click.option("--keys-url", default="", metavar="URL", help="Its public key set URL."),
    click.option(
        "--token-audience", default="", help="The audience of token requests, where it is not the token URL."
    ),
    click.option("--deployment", "deployments", multiple=True, help="A deployment id to accept; several times."),
    click.option(
        "--allow-private-addresses/--public-addresses-only",
        "allow_private",
        default=None,
        help="Whether its addresses may be plain HTTP or in a private network; they may not by default.",
    ),
)
"""Add the options that describe a platform, handed on as ``platform_options``."""

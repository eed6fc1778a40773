"""The tiers that this machine offers, and in which of them a test is tried."""

from __future__ import annotations

import functools
import marshal

import pytest

from autograder.course.model import TierName
from autograder.sandbox import SandboxConfig, TierProbeResult, probe_tiers


def program(source: str) -> bytes:
    """What a process is started with that runs a program in place of serving, once it is locked."""
    serving = f"def serve_requests():\n    exec({source!r}, globals())\n"
    return marshal.dumps([("program", compile(serving, "", "exec"))])


IDLE = program("import os\nos.read(CHANNEL, 1)")
"""A program that waits."""


@functools.cache
def offers() -> dict[TierName, TierProbeResult]:
    """What the machine offers, the strongest first; nothing here changes that."""
    return {offer.tier: offer for offer in probe_tiers()}


def offered(tier: TierName) -> SandboxConfig:
    """The sandbox of a tier; a test that needs one that is not there is skipped."""
    offer = offers()[tier]
    if offer.sandbox is None:
        pytest.skip(f"tier {tier}: {offer.unavailable_reason}")
    return offer.sandbox


def only_the_strongest(request: pytest.FixtureRequest, tier: TierName) -> None:
    """Skip what is tried in a stronger tier already, unless every tier is asked for."""
    strongest = next(offer.tier for offer in offers().values() if offer.sandbox)
    if tier != strongest and not request.config.getoption("--every-tier"):
        pytest.skip(f"tried in tier {strongest}; `make redteam` tries tier {tier} too")

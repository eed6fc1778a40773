"""What the tests of tiers share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from autograder.bridge import Bridge, StudentProxy, SubmissionProgram
from autograder.bridge.prestarted_processes import ProcessPool
from autograder.course import Limits
from autograder.course.model import TierName
from autograder.sandbox import SandboxConfig, probe_tiers
from autograder.sandbox.tiers import TIERS
from tests import tiers

Run = Callable[..., Any]


@pytest.fixture(params=TIERS)
def any_tier(request: pytest.FixtureRequest) -> SandboxConfig:
    """The sandbox of each tier that the machine offers."""
    return tiers.offered(request.param)


def offered(tier: TierName, packages: tuple[str, ...] = ()) -> SandboxConfig:
    """The sandbox of one tier as it is offered now; where it is not, the test is skipped."""
    offer = next(offer for offer in probe_tiers(packages) if offer.tier == tier)
    if offer.sandbox is None:
        pytest.skip(f"tier {tier}: {offer.unavailable_reason}")
    return offer.sandbox


@pytest.fixture
def run_in() -> Iterator[Run]:
    """Runs a function of a student's source in a sandbox, and gives what it returns or raises what it raised."""
    opened: list[tuple[Bridge, ProcessPool]] = []

    def run(sandbox: SandboxConfig, source: str, limits: Limits | None = None) -> Any:
        processes = ProcessPool(sandbox, limits or Limits())
        bridge = Bridge(SubmissionProgram((("value.py", source),), ()), processes, limits or Limits())
        opened.append((bridge, processes))
        assert bridge.load_without_fatal_code().problems == ()
        bridge.begin_test()
        return StudentProxy(bridge).get("attack")()

    yield run
    for bridge, processes in opened:
        bridge.end_process()
        processes.end_unused_process()

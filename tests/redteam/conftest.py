"""Every tier that this machine offers, and what several of these tests compare with."""

from __future__ import annotations

import functools
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.course.model import TierName
from autograder.grading import Grader
from autograder.sandbox import Offer, Sandbox, probe
from autograder.sandbox.probe import TIERS
from tests.redteam.attack import Attack
from tests.redteam.courses import part_of
from tests.redteam.honest import WEAK
from tests.redteam.naive import Naive, run_naively


@functools.cache
def _offers() -> dict[TierName, Offer]:
    return {offer.tier: offer for offer in probe()}


def offered(tier: TierName) -> Sandbox:
    """The sandbox of a tier; a test that needs one that is not there is skipped."""
    offer = _offers()[tier]
    if offer.sandbox is None:
        pytest.skip(f"tier {offer.tier}: {offer.reason}")
    return offer.sandbox


collect_ignore = ["attacks"]


@pytest.fixture(scope="module", params=TIERS)
def each_tier(request: pytest.FixtureRequest) -> Sandbox:
    """The strongest tier there is; with ``--every-tier``, one after the other."""
    only_the_strongest(request, request.param)
    return offered(request.param)


@pytest.fixture(autouse=True)
def one_of_three(request: pytest.FixtureRequest) -> None:
    """Skip two thirds of the attacks that take seconds each, unless every tier is asked for."""
    params = getattr(getattr(request.node, "callspec", None), "params", {})
    attack = params.get("attack")
    if not isinstance(attack, Attack) or not (attack.goal == "stall" or "controls" in request.node.nodeid):
        return
    if not is_tried(attack, request.config):
        pytest.skip("one of three is tried; `make redteam` tries all")


def is_tried(attack: Attack, config: pytest.Config) -> bool:
    """Whether a slow attack is among those that are tried."""
    return bool(config.getoption("--every-tier")) or zlib.crc32(attack.slug.encode()) % 3 == 0


def only_the_strongest(request: pytest.FixtureRequest, tier: TierName) -> None:
    """Skip what was tried in a stronger tier already, unless every tier is asked for."""
    strongest = next(offer.tier for offer in _offers().values() if offer.sandbox)
    if tier != strongest and not request.config.getoption("--every-tier"):
        pytest.skip(f"tried in tier {strongest}; `make redteam` tries tier {tier} too")


@pytest.fixture(scope="module")
def grader(engine: Assignment, each_tier: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    """A grader of a part of the real hidden suite, with little patience."""
    part = part_of(engine, tmp_path_factory.mktemp("course"))
    with Grader(part, each_tier) as opened:
        yield opened


@pytest.fixture(scope="module")
def naive_honest(tmp_path_factory: pytest.TempPathFactory) -> Naive:
    """What plain pytest makes of the weak engine."""
    return run_naively(WEAK, tmp_path_factory.mktemp("naive"), seconds=20)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for one hand-in."""
    made = tmp_path / "handed-in"
    made.mkdir()
    return made

"""No submission tells another anything: not while both run, and not when one comes after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.sandbox.tier_guarantees import list_required_guarantees
from autograder.sandbox.tier_probe import TIERS
from tests.redteam.attack import Attack, attacks
from tests.redteam.channels import MESSAGE, MODES, TRIES, in_sandbox, in_the_open
from tests.tiers import offered

CHANNELS = attacks("channel")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("attack", CHANNELS, ids=lambda attack: attack.slug)
def test_nothing_arrives(attack: Attack, tier: str, mode: str) -> None:
    assert attack.verdict == "nothing arrives"
    sandbox = offered(tier)  # type: ignore[arg-type]
    if tier not in attack.tiers:
        pytest.skip(f"tier {tier} does not promise this")
    if attack.promise and attack.promise not in list_required_guarantees(sandbox, None):
        pytest.skip(f"tier {tier} does not promise {attack.promise!r} here")
    found = [in_sandbox(sandbox, attack.program, mode) for _ in range(TRIES if mode in attack.control else 1)]
    assert list(MESSAGE) not in found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("attack", CHANNELS, ids=lambda attack: attack.slug)
def test_it_arrives_where_nothing_keeps_the_two_apart(attack: Attack, mode: str, tmp_path: Path) -> None:
    if mode not in attack.control:
        pytest.skip(f"it is not meant to work {mode}")
    found: list[object] = []
    while len(found) < TRIES and list(MESSAGE) not in found:
        found.append(in_the_open(tmp_path, attack.program, mode))
    assert list(MESSAGE) in found

"""No submission tells another anything: not while both run, and not when one comes after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.sandbox.tier_guarantees import list_required_guarantees
from autograder.sandbox.tiers import TIERS
from tests.redteam.attack import NOBODY, Attack, attacks
from tests.redteam.channels import (
    IN_TWO_WORKERS,
    MESSAGE,
    MODES,
    SIDE_BY_SIDE,
    TRIES,
    in_sandbox,
    in_the_open,
)
from tests.tiers import offered

CHANNELS = attacks("channel")
MOST_BY_CHANCE = 2
"""A number that is chosen by chance is the one that is looked for once in 32 times."""


@pytest.mark.redteam
@pytest.mark.parametrize("mode", [*MODES, IN_TWO_WORKERS])
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("attack", CHANNELS, ids=lambda attack: attack.slug)
def test_nothing_arrives(attack: Attack, tier: str, mode: str) -> None:
    assert attack.verdict == "nothing arrives"
    sandbox = offered(tier)  # type: ignore[arg-type]
    if tier not in attack.tiers:
        pytest.skip(f"tier {tier} does not promise this")
    promised = list_required_guarantees(sandbox, 1 if sandbox.uses_own_uid else None)
    if attack.promise and attack.promise not in promised:
        pytest.skip(f"tier {tier} does not promise {attack.promise!r} here")
    works = (SIDE_BY_SIDE if mode == IN_TWO_WORKERS else mode) in attack.control or attack.control.startswith(NOBODY)
    found = [in_sandbox(sandbox, attack.program, mode) for _ in range(TRIES if works else 1)]
    assert found.count(list(MESSAGE)) <= (MOST_BY_CHANCE if attack.slug == "number_of_the_own_user" else 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("attack", CHANNELS, ids=lambda attack: attack.slug)
def test_it_arrives_where_nothing_keeps_the_two_apart(attack: Attack, mode: str, tmp_path: Path) -> None:
    if mode not in attack.control:
        pytest.skip(f"it is not meant to work {mode}")
    found: list[object] = []
    while len(found) < TRIES and list(MESSAGE) not in found:
        found.append(in_the_open(tmp_path, attack.program, mode))
    assert list(MESSAGE) in found

"""Each forgery works on plain pytest, where nothing stops it: so it is no gain for a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.redteam.attack import Attack, attacks
from tests.redteam.naive import Naive, run_naively

BELIEVED = [attack for attack in attacks("forge") if attack.control.startswith("plain pytest")]


@pytest.mark.redteam
@pytest.mark.parametrize("attack", BELIEVED, ids=lambda attack: attack.slug)
def test_plain_pytest_falls_for_it(naive_honest: Naive, folder: Path, attack: Attack) -> None:
    _, _, said = attack.control.partition(": ")
    fooled = run_naively(attack.program, folder).gains_over(naive_honest)
    assert fooled == said.split(" and ")

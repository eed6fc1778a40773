"""Each stall stops a grader that runs it in its own process, or waits for it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.redteam.attack import NOBODY, Attack, attacks
from tests.redteam.conftest import is_tried
from tests.redteam.naive import Naive, run_naively

STALLS = attacks("stall")
TIMES = 5
"""How often as long as for the weak engine is waited."""
OUTPUT = "a runner that waits for the end of its output"


def those(control: str) -> list[Attack]:
    return [attack for attack in STALLS if attack.control == control]


def test_every_stall_has_a_control() -> None:
    assert {attack.control for attack in STALLS if not attack.control.startswith(NOBODY)} <= {"plain pytest", OUTPUT}


@pytest.fixture(scope="module")
def by_plain_pytest(
    naive_honest: Naive, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, Naive]:
    """All at once: most of them only wait."""

    def run(attack: Attack) -> Naive:
        return run_naively(attack.program, tmp_path_factory.mktemp(attack.slug), seconds=TIMES * naive_honest.seconds)

    stalls = [attack for attack in those("plain pytest") if is_tried(attack, pytestconfig)]
    with ThreadPoolExecutor(4) as pool:
        return dict(zip((attack.slug for attack in stalls), pool.map(run, stalls), strict=True))


@pytest.mark.redteam
def test_plain_pytest_has_the_time_for_an_honest_engine(naive_honest: Naive) -> None:
    assert not naive_honest.stalled


@pytest.mark.redteam
@pytest.mark.parametrize("attack", those("plain pytest"), ids=lambda attack: attack.slug)
def test_plain_pytest_gives_no_verdict(by_plain_pytest: Mapping[str, Naive], attack: Attack) -> None:
    assert by_plain_pytest[attack.slug].stalled


@pytest.mark.redteam
@pytest.mark.parametrize("attack", those(OUTPUT), ids=lambda attack: attack.slug)
def test_waiting_for_the_end_of_its_output_takes_too_long(naive_honest: Naive, attack: Attack) -> None:
    started = time.monotonic()
    program = f"{attack.program}\nValue(1.0).backward()"
    subprocess.run([sys.executable, "-I", "-c", program], check=False, capture_output=True, timeout=60)
    assert time.monotonic() - started > TIMES * naive_honest.seconds

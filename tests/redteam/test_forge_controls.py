"""Each forgery works where what stops it is missing: so it is no gain for a reason."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from autograder.bridge.bridge import StateBetweenTests
from autograder.course import Assignment
from autograder.faults import KitFault
from autograder.grading import Grader
from autograder.grading.suite_run import SuiteRunSession
from autograder.sandbox import SandboxConfig
from tests.redteam.attack import NOBODY, Attack, attacks
from tests.redteam.believing import A_BRIDGE, contexts
from tests.redteam.courses import asking_once, hand_in, passed
from tests.redteam.honest import WEAK
from tests.redteam.naive import Naive, run_naively

FORGERIES = attacks("forge")
ONCE = "a suite that asks once"


def those(control: str) -> pytest.MarkDecorator:
    chosen = [attack for attack in FORGERIES if attack.control.startswith(control)]
    return pytest.mark.parametrize("attack", chosen, ids=lambda attack: attack.slug)


@pytest.fixture(scope="module")
def once(engine: Assignment, sandbox: SandboxConfig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    """A grader whose tests believe one answer each, share what was loaded once, and are not seen a second time."""
    with (
        pytest.MonkeyPatch.context() as patch,
        Grader(asking_once(engine, tmp_path_factory.mktemp("once")), sandbox, prefetches_answers=False) as opened,
    ):
        patch.setattr(SuiteRunSession, "_depends_on_other_tests", lambda *_: False)
        patch.setattr(StateBetweenTests, "runs_code_anew", False)
        yield opened


@pytest.fixture(scope="module")
def honest(once: Grader, tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    return passed(hand_in(once, WEAK, tmp_path_factory.mktemp("honest")))


def test_every_forgery_has_a_control() -> None:
    known = ("plain pytest", ONCE, NOBODY, *(A_BRIDGE + name for name in contexts()))
    assert [attack.slug for attack in FORGERIES if not attack.control.startswith(known)] == []


def test_the_suite_that_asks_once_can_be_passed_and_the_weak_engine_passes_nothing(
    once: Grader, honest: Sequence[str]
) -> None:
    assert len(passed(once.grade(once.assignment.solution_file))) == len(once.test_specs)
    assert honest == []


@pytest.mark.parametrize("believed", contexts())
def test_a_bridge_that_believes_more_grades_as_well_as_before(once: Grader, believed: str) -> None:
    # Who can grade nothing falls for nothing, and an attack on it seems to be none.
    with contexts()[believed]():
        assert len(passed(once.grade(once.assignment.solution_file))) == len(once.test_specs)


@pytest.mark.redteam
@those("plain pytest")
def test_plain_pytest_falls_for_it(naive_honest: Naive, folder: Path, attack: Attack) -> None:
    _, _, said = attack.control.partition(": ")
    fooled = run_naively(attack.program, folder).gains_over(naive_honest)
    assert fooled == said.split(" and ")


@pytest.mark.redteam
@those(ONCE)
def test_a_suite_that_asks_once_falls_for_it(once: Grader, folder: Path, attack: Attack) -> None:
    assert passed(hand_in(once, attack.program, folder))


@those(A_BRIDGE)
def test_a_bridge_that_believes_falls_for_it(once: Grader, folder: Path, attack: Attack) -> None:
    believing = contexts()[attack.control.removeprefix(A_BRIDGE)]
    assert not passed(hand_in(once, attack.program, folder))
    with believing():
        usual = passed(hand_in(once, WEAK, folder))
        with contextlib.suppress(KitFault):  # no verdict is a gain, too: it costs no marks
            assert len(passed(hand_in(once, attack.program, folder))) > len(usual)

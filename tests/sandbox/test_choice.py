"""The strongest tier is chosen; a weaker one than is accepted is never used, and never silently."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autograder.cli.options import IsolationTierOptions
from autograder.course import Assignment
from autograder.course.model import TierName
from autograder.faults import CallerFault
from autograder.sandbox import choose_strongest_sandbox, probe_tiers
from autograder.sandbox.tiers import TIERS
from tests.sandbox.conftest import offered
from tests.sandbox.machines import without_bubblewrap, without_landlock_and_seccomp


def test_the_strongest_tier_is_chosen() -> None:
    best = next(offer.sandbox for offer in probe_tiers() if offer.sandbox)
    assert choose_strongest_sandbox("process") == best


@pytest.mark.parametrize("tier", TIERS)
def test_a_tier_that_is_asked_for_is_chosen(tier: TierName) -> None:
    assert choose_strongest_sandbox("process", tier) == offered(tier)


def test_the_next_tier_is_chosen_where_the_course_accepts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    offered("restricted")
    without_bubblewrap(monkeypatch)
    assert choose_strongest_sandbox("restricted").tier == "restricted"


def test_a_weaker_tier_than_the_course_accepts_is_never_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    without_landlock_and_seccomp(monkeypatch)
    for weakest in ("namespaces", "restricted"):
        with pytest.raises(CallerFault):
            choose_strongest_sandbox(weakest)


def test_the_refusal_says_what_is_missing_and_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    offered("namespaces")
    without_bubblewrap(monkeypatch)
    with pytest.raises(CallerFault) as refused:
        choose_strongest_sandbox("namespaces")
    assert refused.value.what.startswith("this machine offers no tier as strong as namespaces: ")
    assert "bubblewrap is not installed; install bubblewrap (apt-get install bubblewrap)" in refused.value.what
    assert "--allow-unsafe" in refused.value.advice


CHOOSE = "from autograder.sandbox import choose_strongest_sandbox as choose; print(choose('process').tier)"


def choose_below(ulimit: str) -> str:
    """Choose a sandbox in a process of an account with a lower limit, and return how that failed."""
    shell = f'ulimit {ulimit}; exec "{sys.executable}" -c "{CHOOSE}"'
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    return done.stdout or done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("option", "needed"), [("-n", 64), ("-s", 8192), ("-f", 256)])
def test_a_limit_of_the_account_that_no_sandbox_can_raise_is_blamed(option: str, needed: int) -> None:
    said = choose_below(f"{option} {needed - 1}")
    assert said.startswith("autograder.faults.KitFault: ")
    assert f"is {needed - 1} (`ulimit {option}`), too low for a sandbox (raise it to {needed} or more" in said


def test_no_more_open_files_lead_to_no_weaker_tier() -> None:
    said = choose_below("-S -n 12")
    assert said.startswith("autograder.faults.KitFault: ")
    assert "Too many open files" in said


def test_a_tier_that_is_asked_for_and_not_there_is_not_replaced_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    offered("namespaces")
    without_bubblewrap(monkeypatch)
    with pytest.raises(CallerFault, match="bubblewrap is not installed"):
        choose_strongest_sandbox("process", "namespaces")


def test_a_tier_that_is_required_is_an_error_where_the_machine_offers_less(
    engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered("restricted")
    without_bubblewrap(monkeypatch)
    assert engine.weakest_tier == "restricted"
    with pytest.raises(CallerFault, match="no tier as strong as namespaces"):
        IsolationTierOptions(required_tier="namespaces").choose_sandbox(engine)


def test_a_tier_that_is_required_stays_required_where_unsafe_ones_are_allowed(
    engine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_bubblewrap(monkeypatch)
    without_landlock_and_seccomp(monkeypatch)
    with pytest.raises(CallerFault, match="no tier as strong as restricted"):
        IsolationTierOptions(required_tier="restricted", allow_unsafe=True).choose_sandbox(engine)

"""A machine offers the tiers that work there, and says of each other one what is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.sandbox import SandboxConfig, probe_tiers
from tests.sandbox.conftest import offered
from tests.sandbox.machines import without_bubblewrap, without_landlock_and_seccomp


def test_every_tier_is_tried_the_strongest_first() -> None:
    assert [offer.tier for offer in probe_tiers()] == ["namespaces", "restricted", "process"]


def test_a_tier_is_offered_or_refused_with_a_reason() -> None:
    for offer in probe_tiers():
        assert (offer.sandbox is None) == bool(offer.unavailable_reason)


def test_the_weakest_tier_is_offered_everywhere() -> None:
    assert probe_tiers()[-1].sandbox is not None


def test_a_machine_without_bubblewrap_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    offered("namespaces")
    without_bubblewrap(monkeypatch)
    assert (probe_tiers()[0].sandbox, probe_tiers()[0].unavailable_reason) == (None, "bubblewrap is not installed")


def test_a_machine_that_forbids_namespaces_is_told_what_bubblewrap_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offered("namespaces")
    bwrap = tmp_path / "bwrap"
    bwrap.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    bwrap.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert "setting up uid map: Permission denied" in probe_tiers()[0].unavailable_reason


def test_a_process_that_ends_before_it_is_locked_is_no_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    config = SandboxConfig.make_lockdown_config
    monkeypatch.setattr(
        SandboxConfig, "make_lockdown_config", lambda *arguments: {**config(*arguments), "limits": None}
    )
    assert [offer.sandbox for offer in probe_tiers()] == [None, None, None]


def test_a_processor_without_a_filter_has_the_weakest_tier_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    without_landlock_and_seccomp(monkeypatch)
    assert [offer.tier for offer in probe_tiers() if offer.sandbox] == ["process"]

"""Machines with less to offer than this one."""

from __future__ import annotations

import shutil

import pytest


def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    def which(name: str, path: str = "") -> str | None:
        return None

    monkeypatch.setattr(shutil, "which", which)


def without_landlock_and_seccomp(monkeypatch: pytest.MonkeyPatch) -> None:
    def supported(machine: str) -> bool:
        return False

    monkeypatch.setattr("autograder.sandbox.seccomp_filter.is_supported_machine", supported)

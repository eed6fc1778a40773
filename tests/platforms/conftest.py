"""A platform of the tests' own, as installed as any."""

from __future__ import annotations

import pytest

from autograder.platforms import arrange, registry
from tests.platforms.school import SCHOOL


@pytest.fixture
def school(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {**registry.platforms(), "school": SCHOOL}
    for module in (registry, arrange):
        monkeypatch.setattr(module, "platforms", lambda: known)

"""The manifest of an assignment is kept between runs, and described anew for anything else than it was kept for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.regrade.assignment_manifest import AssignmentManifest
from autograder.regrade.hidden_test_digests import HiddenTestFingerprint
from autograder.regrade.manifest_cache import SUFFIX, save_cached_manifest_if_possible, try_load_cached_manifest
from autograder.store.results.result_key import GradingRules

RULES = GradingRules("toy", "version", "kit", "conditions", "known")
MANIFEST = AssignmentManifest(
    tests={"sums.a-sum": HiddenTestFingerprint("own", "rest")}, shared="s", solution="s", template="t",
    conventions="c",
    defines=("Value",), packages=(), looked_for=(), limits={"cpu_seconds": 0.4}, observed_values=True, mistakes="",
    concepts=[("sums", 10.0, False)],
)  # fmt: skip


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of the user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "autograder"


def test_what_was_described_is_found_by_the_same_rules_alone(cache: Path) -> None:
    save_cached_manifest_if_possible(RULES, MANIFEST)

    assert try_load_cached_manifest(RULES) == MANIFEST
    assert (
        try_load_cached_manifest(replace(RULES, environment_hash="another tier")) == MANIFEST
    )  # it says nothing of the tier
    for change in ({"assignment": "other"}, {"version": "later"}, {"kit": "later"}, {"misconceptions_state": "more"}):
        assert try_load_cached_manifest(replace(RULES, **change)) is None


@pytest.mark.parametrize("content", [b"", b"{", b'{"tests": 1}', b"\xff\xfe"])
def test_a_file_that_is_no_manifest_is_not_used(cache: Path, content: bytes) -> None:
    save_cached_manifest_if_possible(RULES, MANIFEST)
    (file,) = cache.glob(f"*{SUFFIX}")
    file.write_bytes(content)

    assert try_load_cached_manifest(RULES) is None


def test_where_nothing_can_be_kept_nothing_is_found_and_nothing_is_raised(cache: Path) -> None:
    cache.write_text("a file in the place of the folder")
    save_cached_manifest_if_possible(RULES, MANIFEST)

    assert try_load_cached_manifest(RULES) is None

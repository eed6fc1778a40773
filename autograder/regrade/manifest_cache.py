"""Cache the manifest of an assignment between runs, because making one requires collecting the hidden suite.

Manifests are in the cache folder of the user who grades, by grading rules. If one cannot be read or written, it is
made anew.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

from autograder.file_cache import get_cache_file_path, write_cache_file_and_prune
from autograder.regrade.assignment_manifest import AssignmentManifest, serialize_manifest, try_parse_manifest
from autograder.store.results.result_key import GradingRules

SUFFIX = ".manifest"


def try_load_cached_manifest(grading_rules: GradingRules) -> AssignmentManifest | None:
    """Return the manifest of the version that is graded by; None if none is kept."""
    with suppress(OSError, RuntimeError, UnicodeDecodeError):
        return try_parse_manifest(_find_file(grading_rules).read_text(encoding="utf-8"))
    return None


def save_cached_manifest_if_possible(grading_rules: GradingRules, manifest: AssignmentManifest) -> None:
    """Keep a manifest; if it cannot be written, do nothing."""
    with suppress(OSError, RuntimeError):
        write_cache_file_and_prune(_find_file(grading_rules), serialize_manifest(manifest).encode())


def _find_file(rules: GradingRules) -> Path:
    key_parts = (rules.assignment, rules.version, rules.kit, rules.misconceptions_state, sys.version)
    digest = hashlib.sha256("\0".join(key_parts).encode()).hexdigest()[:16]
    return get_cache_file_path(f"{rules.assignment}-{digest}{SUFFIX}")

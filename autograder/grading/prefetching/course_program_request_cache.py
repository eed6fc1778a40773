"""Keep between runs of the kit what the tests asked the reference solution, and what it answered.

As long as nothing changes, it gives the same answers again. There is a file for each assignment, kit version, Python
and tier, in the cache folder of the user who grades, for that user alone. If it cannot be written, nothing is kept,
and the tests are run on the reference at every start.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from autograder.file_cache import get_cache_file_path, write_cache_file_and_prune
from autograder.grading.prefetching.known_request_paths import ReferenceRun
from autograder.grading.suite.suite_runner import SuiteRunner
from autograder.kit_version import get_kit_version_with_code_digest

CALIBRATION = ".calibration"
UNUSABLE = (OSError, RuntimeError, TypeError, msgspec.MsgspecError)
"""Exceptions for a file that is missing, malformed or not writable, for what cannot be written down, or if the user's
home folder is unknown (``RuntimeError``)."""


def load_reference_runs(runner: SuiteRunner) -> dict[str, ReferenceRun]:
    """Return the kept runs of the tests on the reference, by pytest's name for each; empty if there are none."""
    try:
        packed = get_suite_cache_path(runner, CALIBRATION).read_bytes()
        return msgspec.msgpack.decode(packed, type=dict[str, ReferenceRun])
    except UNUSABLE:
        return {}


def try_save_reference_runs(runner: SuiteRunner, reference_runs: dict[str, ReferenceRun]) -> None:
    """Keep the runs of the tests on the reference; on an error, keep nothing."""
    with suppress(*UNUSABLE):
        packed = msgspec.msgpack.encode(reference_runs)
        write_cache_file_and_prune(get_suite_cache_path(runner, CALIBRATION), packed)


def get_suite_cache_path(runner: SuiteRunner, suffix: str, *further_digests: str) -> Path:
    """Return the file of the cache folder for a suite, the kit, Python and the tier.

    Args:
        runner: runs the suite.
        suffix: the suffix of the file.
        *further_digests: digests of what the content depends on besides these.

    Raises:
        RuntimeError: the user's home folder is unknown.
    """
    assignment = runner.assignment
    everything = (
        get_kit_version_with_code_digest(),
        assignment.version,
        sys.version,
        runner.process_pool.tier,
        *further_digests,
    )
    digest = hashlib.sha256("\0".join(everything).encode()).hexdigest()[:16]
    return get_cache_file_path(f"{assignment.name}-{digest}{suffix}")

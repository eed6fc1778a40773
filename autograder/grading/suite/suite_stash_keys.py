"""Define the keys under which pytest's stashes keep the state of a suite run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from autograder.course import AcceptedGradientConventions
    from autograder.grading.submission_under_test import SubmissionUnderTest

TARGET_KEY: pytest.StashKey[SubmissionUnderTest] = pytest.StashKey()
CONVENTIONS_KEY: pytest.StashKey[AcceptedGradientConventions] = pytest.StashKey()
"""Set by a grader before its session is configured."""
TIER_KEY = pytest.StashKey[str]()
TEST_KEY = pytest.StashKey[pytest.Item]()
NEEDED_NAMES_KEY: pytest.StashKey[tuple[tuple[str, ...], tuple[str, ...]]] = pytest.StashKey()
"""In a test's stash: the names that the test is about, and all names that it needs."""

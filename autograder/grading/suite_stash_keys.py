"""Keep the state of a suite run in pytest's stashes, and define how a test ends without a prerequisite."""

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
"""On a test: the names that it is about, and all that it needs."""


class RequiredNameNotUsable(Exception):
    """A name that a test needs is not there, is an untouched stub, or does not do what the test needs.

    Attributes:
        name: the name.
        is_tested_name: whether the test is about that very name.
        is_defined: whether it is there, and does something else.
    """

    def __init__(self, name: str, *, is_tested_name: bool, is_defined: bool = False) -> None:
        super().__init__(name, is_tested_name, is_defined)
        self.name = name
        self.is_tested_name = is_tested_name
        self.is_defined = is_defined

    def __str__(self) -> str:
        return f"{self.name} {'does not work' if self.is_defined else 'is not written'} yet"

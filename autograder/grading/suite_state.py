"""Keep the state of a suite run in pytest's stashes, and define how a test ends without a prerequisite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from autograder.course import Conventions
    from autograder.grading.suite_target import SuiteTarget

TARGET: pytest.StashKey[SuiteTarget] = pytest.StashKey()
CONVENTIONS: pytest.StashKey[Conventions] = pytest.StashKey()
"""Set by a grader before its session is configured."""
TIER = pytest.StashKey[str]()
TEST = pytest.StashKey[pytest.Item]()
NEEDED: pytest.StashKey[tuple[tuple[str, ...], tuple[str, ...]]] = pytest.StashKey()
"""On a test: the names that it is about, and all that it needs."""


class MissingName(Exception):
    """A name that a test needs is not there, is an untouched stub, or does not do what the test needs.

    Attributes:
        name: the name.
        own: whether the test is about that very name.
        written: whether it is there, and does something else.
    """

    def __init__(self, name: str, *, own: bool, written: bool = False) -> None:
        super().__init__(name, own, written)
        self.name = name
        self.own = own
        self.written = written

    def __str__(self) -> str:
        return f"{self.name} {'does not work' if self.written else 'is not written'} yet"

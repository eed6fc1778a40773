"""What is said of the idea behind a wrong submission, as plain data."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from autograder.diagnosis.story import Counterexample

Verdict = Literal["none", "named", "unknown"]


class Suspect(Struct, frozen=True, kw_only=True):
    """One misconception."""

    id: str
    title: str
    explanation: str
    hints: tuple[str, ...]
    """From a question to what to change."""


class Cause(Struct, frozen=True, kw_only=True):
    """What explains some of the failed tests."""

    misconceptions: tuple[Suspect, ...]
    """More than one where nothing that was seen tells them apart."""
    concepts: tuple[str, ...]
    """Where it loses marks."""
    tests: tuple[str, ...]
    """The failed tests that it explains."""


class Seen(Struct, frozen=True, kw_only=True):
    """What one failed test saw: here and in the misconception alike."""

    test: str
    observed: str


class Evidence(Struct, frozen=True, kw_only=True):
    """Why the causes are named: the submission did exactly what they do, wherever it was looked at."""

    tests: int
    """Failed tests, each with the same observation."""
    programs: int
    """Fresh random programs, each with the same result."""
    telling: int
    """Those of them in which the result was wrong."""
    observed: tuple[Seen, ...]
    """A few of the tests' observations; empty where the course does not show them."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The idea behind a wrong submission, if its own numbers prove one."""

    verdict: Verdict
    """``none`` where nothing is wrong that the contract asks for."""
    reason: str = ""
    """Why it is unknown; empty otherwise."""
    compared_with: str = ""
    """The state of the misconceptions that it was compared with: 16 hexadecimal digits; empty for none."""
    causes: tuple[Cause, ...] = ()
    """One, or one for each of several mistakes at once."""
    evidence: Evidence | None = None
    counterexample: Counterexample | None = None
    """The smallest program found on which it is wrong; None when none was found."""


NONE = Diagnosis(verdict="none")

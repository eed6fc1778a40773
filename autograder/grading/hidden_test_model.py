"""Describe hidden tests, and their results on a submission."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Outcome = Literal["passed", "failed", "error", "timeout", "crashed", "blocked", "not attempted", "grader error"]

OUTCOMES_WITH_FULL_POINTS: tuple[Outcome, ...] = ("passed", "grader error")
"""A grader error costs the student nothing."""


@dataclass(frozen=True, slots=True)
class HiddenTestSpec:
    """One hidden test, as its author described it."""

    __test__ = False

    id: str
    """Concept and name, such as ``accumulation.both-uses-count``; stable, and independent of files."""
    concept: str
    sentence: str
    """The first paragraph of its docstring, which students read."""
    hint: str
    required_names: tuple[str, ...]
    """Names that the submission must have for the test to mean anything."""
    tested_names: tuple[str, ...]
    """The required names that the test is about; the others are prerequisites."""
    weight: Fraction
    reason_redundant_ok: str = ""
    """Why the test is kept although other tests catch everything that it catches; else empty."""
    reason_vacuous: str = ""
    """Why the test is kept although a program that does nothing passes it; else empty."""
    asks_beyond_contract: bool = False
    """Whether it goes beyond the contract. A right program may fail it, so failing proves no misconception."""


@dataclass(frozen=True, slots=True)
class HiddenTestResult:
    """The result of one test on one submission."""

    __test__ = False

    spec: HiddenTestSpec
    outcome: Outcome
    message: str = ""
    """The explanation for the student."""
    stop_cause: str = ""
    """Why the process stopped (``cpu``, ``memory``, ``exit`` ...); empty if it did not stop."""
    seconds: float = 0.0
    observed_behavior: str = ""
    """The program's behavior, without source locations: two programs with the same idea give the same text."""
    blocking_name: str = ""
    """What the test saw fail before it could ask its own question; empty unless it was ``blocked_by`` that name."""
    own_error: str = ""
    """What the author of the test must fix, if the test ended by a mistake in its own lines; else empty."""


@dataclass(frozen=True, slots=True)
class ConceptScore:
    """The points of one concept."""

    name: str
    score: Fraction
    max_score: Fraction
    bonus: bool

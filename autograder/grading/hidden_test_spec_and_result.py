"""Describe hidden tests, and what they say about a submission."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Outcome = Literal["passed", "failed", "error", "timeout", "crashed", "blocked", "not attempted", "grader error"]


@dataclass(frozen=True, slots=True)
class HiddenTestSpec:
    """One hidden test, as its author described it."""

    __test__ = False

    id: str
    """``accumulation.both-uses-count``: concept and name; stable, and says nothing of files."""
    concept: str
    sentence: str
    """The first paragraph of its docstring: what a student reads."""
    hint: str
    required_names: tuple[str, ...]
    """Names that the submission must have for the test to mean anything."""
    tested_names: tuple[str, ...]
    """Those of them that the test is about; the rest are prerequisites."""
    weight: Fraction
    reason_kept: str = ""
    """Why it is there although others catch all that it catches; empty for one that catches something alone."""
    reason_vacuous: str = ""
    """Why it is there although a program that does nothing passes it; empty for one that no such program passes."""
    asks_beyond_contract: bool = False
    """Whether a right program may fail it: it asks for more than the contract, so it proves no misconception."""


@dataclass(frozen=True, slots=True)
class HiddenTestResult:
    """One test on one submission."""

    __test__ = False

    spec: HiddenTestSpec
    outcome: Outcome
    message: str = ""
    """For the student."""
    stop_cause: str = ""
    """What stopped the process (``cpu``, ``memory``, ``exit`` ...); empty when nothing did."""
    seconds: float = 0.0
    observed_behavior: str = ""
    """What was seen of the program, apart from where in its text: two programs with the same idea give the same."""


@dataclass(frozen=True, slots=True)
class ConceptScore:
    """The points of one concept."""

    name: str
    score: Fraction
    max_score: Fraction
    bonus: bool

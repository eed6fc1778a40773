"""Sentences of a report: points that hide nothing, and why a mistake is named."""

from __future__ import annotations

import pytest
from msgspec import structs

from autograder.diagnosis import EvidenceCounts
from autograder.reports import ScoreReport
from autograder.reports.report_model import FinalScore
from autograder.reports.wording import (
    format_bonus_suffix,
    format_final_points,
    format_proof_phrase,
)
from tests.reports.sample import a_report


def reached(score: float, bonus: float) -> ScoreReport:
    """A report of these points of 20, and of a bonus of 4."""
    final = FinalScore(score=score, max_score=20.0, bonus=bonus)
    return structs.replace(a_report(bonus=bonus), score=score, final=final)


@pytest.mark.parametrize(
    ("score", "bonus", "words"),
    [
        (5.0, 1.0, "5 of 20 points and 1 of 4 bonus points"),
        (18.2, 1.8, "18.2 of 20 points and 1.8 of 4 bonus points; the core is not complete"),
        (20.0, 1.8, "20 of 20 points and 1.8 of 4 bonus points"),
    ],
)
def test_points_say_core_and_bonus_apart(score: float, bonus: float, words: str) -> None:
    assert format_final_points(reached(score, bonus)) == words


def test_a_single_number_says_how_much_of_it_is_bonus() -> None:
    assert format_bonus_suffix(reached(18.2, 1.8), 1.8) == ", of which 1.8 bonus; the core is not complete"
    assert format_bonus_suffix(reached(20.0, 1.8), 1.8) == ", of which 1.8 bonus"
    assert format_bonus_suffix(reached(18.2, 0.0), 0.0) == ""


def test_a_proof_says_what_was_compared() -> None:
    evidence = EvidenceCounts(tests=13, programs=36, failing_programs=24)
    assert format_proof_phrase(evidence) == (
        "proof: 13 failed tests and 36 fresh programs (24 of them wrong) gave exactly what this mistake gives"
    )

"""A submission looks like a misconception if every test that it attempted says the same of both; pure."""

from __future__ import annotations

from fractions import Fraction

import pytest

from autograder.diagnosis.naming import (
    digest_lost_tests,
    list_matching_misconceptions,
)
from autograder.grading import HiddenTestResult, HiddenTestSpec, Outcome


def result(test: str, outcome: Outcome, saw: str = "", *, beyond: bool = False) -> HiddenTestResult:
    spec = HiddenTestSpec(test, "sum", "It adds.", "", (), (), Fraction(1), asks_beyond_contract=beyond)
    return HiddenTestResult(spec, outcome, observed_behavior=saw)


ONE, OTHER = result("one", "failed", "1.0"), result("other", "error", "raises TypeError")
RIGHT = (result("one", "passed"), result("other", "passed"), result("bonus", "passed"))
KNOWN = {
    "one-wrong": {"plain": digest_lost_tests([ONE]), "set": digest_lost_tests([OTHER])},
    "both-wrong": {"plain": digest_lost_tests([ONE, OTHER])},
    "bonus-wrong": {"plain": digest_lost_tests([ONE, result("bonus", "failed", "2")])},
}


def found(*results: HiddenTestResult) -> list[tuple[str, str]]:
    changed = {one.spec.id: one for one in (*RIGHT, *results)}
    return list_matching_misconceptions([*changed.values()], KNOWN, ["plain", "set"])


def test_what_loses_the_same_tests_in_the_same_way_matches() -> None:
    assert found(ONE, OTHER) == [("both-wrong", "plain"), ("both-wrong", "set")]


@pytest.mark.parametrize("other", [result("one", "failed", "3.0"), result("one", "timeout", "1.0")])
def test_a_test_that_saw_something_else_is_no_match(other: HiddenTestResult) -> None:
    assert found(other) == []


def test_one_style_is_enough() -> None:
    assert found(OTHER) == [("one-wrong", "set")]


@pytest.mark.parametrize("outcome", ["not attempted", "blocked", "grader error"])
def test_what_was_not_attempted_says_nothing(outcome: Outcome) -> None:
    assert found(ONE, result("bonus", outcome)) == [
        ("one-wrong", "plain"),
        ("bonus-wrong", "plain"),
        ("bonus-wrong", "set"),
    ]


def test_a_test_beyond_the_contract_says_nothing() -> None:
    assert ("one-wrong", "plain") in found(ONE, result("deep", "error", "raises RecursionError", beyond=True))


def test_a_right_program_looks_like_nothing() -> None:
    assert found() == []

"""A wrong sum over paths tells which one went wrong."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.diagnosis import try_describe_wrong_path_sum
from tests.course_modules import engine_module

ExpressionProgram: Any = engine_module("expression_program").ExpressionProgram
ExpressionStep: Any = engine_module("expression_program").ExpressionStep
map_paths_to_weights: Any = engine_module("weighted_paths").map_paths_to_weights

# n = a * b; y = n * c + n * d + a * e at 2, 3, 5, 7, 11
WEIGHTS = {"n*c": 15.0, "n*d": 21.0, "a*e": 11.0}


@pytest.mark.parametrize(
    ("got", "words"),
    [
        (26.0, "26.0 = 15.0 + 11.0, as if the path n*d were missing"),
        (68.0, "68.0 = 15.0 + 2 * 21.0 + 11.0, as if the path n*d were counted twice"),
        (62.0, "62.0 = 2 * 15.0 + 21.0 + 11.0, as if the path n*c were counted twice"),
        (0.0, "0.0, as if no path arrived"),
        (47.0, None),
        (1.0, None),
    ],
    ids=["one missing", "one twice", "another twice", "none", "the right sum", "no such sum"],
)
def test_a_sum_is_taken_apart(got: float, words: str | None) -> None:
    assert try_describe_wrong_path_sum(WEIGHTS, got) == words


def test_without_numbers_it_gives_the_right_sum_to_nobody() -> None:
    words = try_describe_wrong_path_sum(WEIGHTS, 26.0, shows_sum=False)
    assert words == "it is as if the path n*d were missing"


def test_paths_of_equal_weight_are_told_together() -> None:
    assert (
        try_describe_wrong_path_sum({"left": 3.0, "right": 3.0}, 3.0)
        == "3.0, as if one of the paths left and right were missing"
    )
    assert try_describe_wrong_path_sum({"left": 3.0, "right": 3.0}, 12.0) == (
        "12.0 = 4 * 3.0, as if the paths left and right were each counted twice"
    )


def test_both_operands_of_one_node_are_two_paths() -> None:
    assert map_paths_to_weights(ExpressionProgram((3.0,), (ExpressionStep("mul", (0, 0)),)), 0) == {
        "b <- a (left)": 3.0,
        "b <- a (right)": 3.0,
    }

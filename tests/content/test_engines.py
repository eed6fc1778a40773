"""Engines with one mistake each lose marks where the mistake is; right ones in many styles lose none."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.grading import Grader
from tests.content.slightly_wrong_engines import CLOSURES, COUNTED_QUEUE, make_wrong_engine
from tests.graded_sources import grade_source

ENGINES = Path(__file__).parents[1] / "data" / "engines"

FORWARD = "forward"
LOCAL = "local gradients"
ORDER = "topological order"
AGAIN = "zero_grad and double backward"
TANH = "tanh"
WHOLE = "the engine as a whole"

WRONG = {
    # users near and far, and operands that stand twice
    "users_counted_once_released_per_use": ORDER,
    "queue_counts_users_not_uses": ORDER,
    "stack_counts_users_not_uses": ORDER,
    "uses_counted_released_per_user": ORDER,
    "square_counts_as_one_use": ORDER,
    "levels_are_relaxed_three_times": ORDER,
    "passed_on_along_every_path": ORDER,
    "backward_is_a_class_attribute": ORDER,
    # right only while somebody else holds the nodes
    "operands_held_weakly": WHOLE,
    "closures_over_weak_operands": WHOLE,
    "nodes_in_a_weak_table": WHOLE,
    # what one graph leaves behind for the next
    "numbers_restart_after_backward": WHOLE,
    "numbers_restart_at_zero_grad": WHOLE,
    "ages_restart_after_backward": AGAIN,
    "length_kept_by_id": WHOLE,
    "gradients_kept_by_id": WHOLE,
    "order_of_ids": ORDER,
    "visited_for_good": AGAIN,
    "sums_are_made_once": FORWARD,
    "tanh_kept_by_number": TANH,
    # right once, and wrong the second time
    "operands_in_a_filter": AGAIN,
    "operands_in_a_map": AGAIN,
    "saved_values_are_emptied": AGAIN,
    "backward_works_once": AGAIN,
    "products_forget_operands": AGAIN,
    "zero_grad_empties_products": AGAIN,
    "tape_is_cleared": AGAIN,
    # numbers of all kinds
    "numbers_are_rounded": FORWARD,
    "true_is_zero": FORWARD,
    "plain_numbers_lose_their_sign": FORWARD,
    "gradients_of_the_datas_type": LOCAL,
    "products_cast_gradients": LOCAL,
    "sums_cast_gradients": LOCAL,
    "bare_derivative_beside_plain_numbers": LOCAL,
    "right_operand_gets_the_lefts_gradient": LOCAL,
    "derivative_as_a_quotient": LOCAL,
    "zero_counts_as_one": LOCAL,
    "tiny_shares_are_dropped": LOCAL,
    "tiny_gradients_end_the_walk": ORDER,
    "huge_gradients_are_cut": ORDER,
    "tanh_cut_off_at_zero": TANH,
    "tanh_flat_at_zero": TANH,
    "tanh_flat_far_out": TANH,
    "tanh_clipped": TANH,
    # what `_prev` holds is not what is walked through
    "prev_for_show": ORDER,
    "operands_saved_twice": ORDER,
    "backward_by_a_saved_set": ORDER,
    "zero_grad_by_a_saved_set": AGAIN,
}
WRONG_THE_SECOND_TIME = (
    "operands_in_a_filter",
    "operands_in_a_map",
    "saved_values_are_emptied",
    "backward_works_once",
    "products_forget_operands",
    "zero_grad_empties_products",
)


def read_wrong_engine(name: str) -> str:
    file = ENGINES / "wrong" / f"{name}.py"
    return file.read_text(encoding="utf-8") if file.exists() else make_wrong_engine(name)


def test_every_engine_beside_these_tests_is_tried() -> None:
    assert {file.stem for file in (ENGINES / "wrong").glob("*.py")} | {*CLOSURES, *COUNTED_QUEUE} == set(WRONG)


@pytest.mark.thorough_but(
    "users_counted_once_released_per_use",
    "operands_held_weakly",
    "numbers_restart_after_backward",
    "gradients_kept_by_id",
    "gradients_of_the_datas_type",
    "prev_for_show",
)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_engine_loses_marks_where_it_is_wrong(grader: Grader, name: str) -> None:
    scores = {concept.name: concept for concept in grade_source(grader, read_wrong_engine(name)).concept_scores}
    assert scores[WRONG[name]].score < scores[WRONG[name]].max_score


@pytest.mark.thorough_but("operands_in_a_filter", "saved_values_are_emptied")
@pytest.mark.parametrize("name", WRONG_THE_SECOND_TIME)
def test_what_is_wrong_the_second_time_costs_second_walks_alone(grader: Grader, name: str) -> None:
    graded = grade_source(grader, read_wrong_engine(name))
    lost = [one.name for one in graded.concept_scores if not one.bonus and one.score < one.max_score]
    assert lost == [AGAIN]


@pytest.mark.thorough_but("weak_users", "id_table_finalized", "refuses_bool_and_strict")
@pytest.mark.parametrize("name", sorted(file.stem for file in (ENGINES / "right").glob("*.py")))
def test_a_right_engine_loses_nothing(grader: Grader, name: str) -> None:
    scores = grade_source(grader, (ENGINES / "right" / f"{name}.py").read_text(encoding="utf-8")).concept_scores
    assert [one.name for one in scores if not one.bonus and one.score < one.max_score] == []

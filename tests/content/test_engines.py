"""Engines with one mistake each lose marks where the mistake is; right ones in many styles lose none."""

from __future__ import annotations

import pytest

from autograder.grading import Grader
from tests.content.slightly_wrong_engines import AGAIN, ENGINES, WRONG, make_wrong_engine
from tests.graded_sources import grade_source


@pytest.mark.thorough_but(
    "queue_counts_users_not_uses",
    "operands_held_weakly",
    "numbers_restart_after_backward",
    "gradients_kept_by_id",
    "gradients_of_the_datas_type",
    "prev_for_show",
)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_engine_loses_marks_where_it_is_wrong(grader: Grader, name: str) -> None:
    scores = {concept.name: concept for concept in grade_source(grader, make_wrong_engine(name)).concept_scores}
    where, _ = WRONG[name]
    assert scores[where].score < scores[where].max_score


@pytest.mark.thorough_but("operands_in_a_filter", "saved_values_are_emptied")
@pytest.mark.parametrize(
    "name",
    [
        "operands_in_a_filter",
        "saved_values_are_emptied",
        "backward_works_once",
        "products_forget_operands",
        "zero_grad_empties_products",
    ],
)
def test_what_is_wrong_the_second_time_costs_second_walks_alone(grader: Grader, name: str) -> None:
    graded = grade_source(grader, make_wrong_engine(name))
    lost = [one.name for one in graded.concept_scores if not one.bonus and one.score < one.max_score]
    assert lost == [AGAIN]


@pytest.mark.thorough_but("array_cells", "functional_reduce")
@pytest.mark.parametrize("name", sorted(file.stem for file in ENGINES.glob("*.py")))
def test_a_right_engine_loses_nothing(grader: Grader, name: str) -> None:
    scores = grade_source(grader, (ENGINES / f"{name}.py").read_text(encoding="utf-8")).concept_scores
    assert [one.name for one in scores if not one.bonus and one.score < one.max_score] == []

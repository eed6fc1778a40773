"""The points that a platform gets: what lateness left, with the bonus as the teacher says, to the hundredth."""

from __future__ import annotations

from decimal import Decimal

import pytest

from autograder.faults import CallerFault
from autograder.platforms.common.export_points import compute_counted_points, rescale_points
from tests.reports.sample import a_report


@pytest.mark.parametrize(("bonus", "points"), [("", 6.0), ("capped", 6.0), ("added", 6.0), ("none", 5.0)])
def test_a_bonus_counts_below_full_marks_unless_the_teacher_says_no(bonus: str, points: float) -> None:
    assert compute_counted_points(a_report(), bonus) == points


@pytest.mark.parametrize(("bonus", "points"), [("capped", 20.0), ("added", 24.0), ("none", 5.0)])
def test_beyond_full_marks_it_counts_only_where_it_is_added(bonus: str, points: float) -> None:
    assert compute_counted_points(a_report(bonus=19.0), bonus) == points


def test_what_counts_is_what_lateness_left() -> None:
    assert compute_counted_points(a_report(late=True)) == pytest.approx(5.4)


def test_another_word_is_a_fault_that_names_the_right_ones() -> None:
    with pytest.raises(CallerFault, match=r"unknown bonus rule 'double' \(choose from capped, added, none\)"):
        compute_counted_points(a_report(), "double")


def test_a_table_of_any_platform_gets_hundredths_of_which_a_half_goes_up() -> None:
    assert [str(rescale_points(points, 100, 10)) for points in (80.05, 80.15, 80.04, 100)] == [
        "8.01",
        "8.02",
        "8.00",
        "10.00",
    ]


def test_whatever_full_marks_a_table_says_there_is_a_number() -> None:
    assert rescale_points(50.0, 100.0, Decimal("9" * 60)) > 10**58
    assert rescale_points(0.0, 0.0, 20) == 0

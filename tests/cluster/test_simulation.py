"""The simulation behind docs/scaling.md gives what can be reckoned by hand."""

from __future__ import annotations

import pytest

from benchmarks.simulation import Plan, Simulation


def test_one_worker_takes_the_sum_of_its_work() -> None:
    found = Simulation(Plan(100, 1, [2.0], result=0.0, opening=1.0)).run()
    assert found.seconds == pytest.approx(1 + 100 * 2)
    assert found.grading == pytest.approx(200)


def test_workers_share_the_work() -> None:
    assert Simulation(Plan(100, 4, [2.0], result=0.0, opening=0.0)).run().seconds == pytest.approx(50)


def test_more_workers_than_the_coordinator_can_feed_are_no_faster() -> None:
    few = Simulation(Plan(2000, 50, [1.0], result=0.1, opening=0.0)).run()
    many = Simulation(Plan(2000, 500, [1.0], result=0.1, opening=0.0)).run()
    assert few.seconds == pytest.approx(2000 * 0.1, rel=0.02)
    assert many.seconds == pytest.approx(few.seconds, rel=0.02)


def test_what_lost_workers_held_is_graded_by_others() -> None:
    found = Simulation(Plan(1000, 10, [1.0], result=0.001, opening=1.0, lifetime=20.0, renewal=5.0)).run()
    assert found.lost > 0
    assert found.coordinating == pytest.approx(1000 * 0.001)
    assert found.seconds > 100

"""A sample is a share of the programs: the same for the same seed, and never none."""

from __future__ import annotations

import pytest

from autograder.course import Assignment
from autograder.course.misconceptions import load_catalogue
from autograder.gate import Sample
from autograder.gate.population import sampled
from tests.cli.commands import run, told

NAMES = [f"program {number}" for number in range(200)]


def test_a_sample_has_its_share_in_the_order_of_the_programs() -> None:
    chosen = Sample(10, 3).chosen(NAMES)
    assert len(chosen) == 20
    assert chosen == [name for name in NAMES if name in chosen]


def test_the_seed_says_which() -> None:
    assert Sample(10, 3).chosen(NAMES) == Sample(10, 3).chosen(NAMES) != Sample(10, 4).chosen(NAMES)


def test_a_program_that_is_new_pushes_out_at_most_one_other() -> None:
    before, after = Sample(10, 3).chosen(NAMES), Sample(10, 3).chosen([*NAMES, "a new one"])
    assert len({*before} - {*after}) <= 1


@pytest.mark.parametrize(("names", "count"), [([], 0), (["one"], 1), (NAMES[:11], 2)])
def test_there_is_at_least_one_if_there_is_any(names: list[str], count: int) -> None:
    assert len(Sample(10).chosen(names)) == count


def test_all_of_them_are_the_whole() -> None:
    assert Sample().whole
    assert Sample().chosen(NAMES) == NAMES


def test_what_is_generated_is_never_made_of_a_sample() -> None:
    assert "--sample and --update do not go together" in told(run("check", "--sample", "10", "--update"))


@pytest.mark.parametrize("seed", range(5))
def test_a_pair_is_drawn_with_both_its_parts(engine: Assignment, seed: int) -> None:
    catalogue = sampled(load_catalogue(engine), Sample(10, seed))
    drawn = {one.id for one in catalogue.misconceptions}
    assert catalogue.pairs
    assert drawn.issuperset(part for pair in catalogue.pairs for part in pair)

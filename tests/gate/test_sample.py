"""A sample is a share of the programs: the same for the same seed, and never none."""

from __future__ import annotations

import pytest

from autograder.author_checks import ProgramSampler
from autograder.author_checks.catalogue import sample_catalogue
from autograder.course import Assignment
from tests.catalogues import load_catalogue_once

NAMES = [f"program {number}" for number in range(200)]


def test_the_seed_says_which() -> None:
    assert (
        ProgramSampler(10, 3).sample_programs(NAMES)
        == ProgramSampler(10, 3).sample_programs(NAMES)
        != ProgramSampler(10, 4).sample_programs(NAMES)
    )


def test_a_program_that_is_new_pushes_out_at_most_one_other() -> None:
    before, after = (
        ProgramSampler(10, 3).sample_programs(NAMES),
        ProgramSampler(10, 3).sample_programs([*NAMES, "a new one"]),
    )
    assert len({*before} - {*after}) <= 1


@pytest.mark.parametrize(("names", "count"), [([], 0), (["one"], 1), (NAMES[:11], 2)])
def test_there_is_at_least_one_if_there_is_any(names: list[str], count: int) -> None:
    assert len(ProgramSampler(10).sample_programs(names)) == count


@pytest.mark.parametrize("seed", range(5))
def test_a_pair_is_drawn_with_both_its_parts(engine: Assignment, seed: int) -> None:
    catalogue = sample_catalogue(load_catalogue_once(engine), ProgramSampler(10, seed))
    drawn = {one.id for one in catalogue.misconceptions}
    assert catalogue.pairs
    assert drawn.issuperset(part for pair in catalogue.pairs for part in pair)

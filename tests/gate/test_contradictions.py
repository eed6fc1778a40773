"""Authors hear of a misconception whose name no student would read, because what repairs it lies elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from autograder.author_checks.catalogue import DiagnosedCatalogue, grade_catalogue
from autograder.author_checks.contradictions import check_names_against_repairs
from autograder.author_checks.results import ProgramSampler
from autograder.course import Assignment
from autograder.sandbox import SandboxConfig

OF_ORDER, OF_WALK = "backward-order-keeps-its-list", "only-the-last-operand"


@dataclass(frozen=True, slots=True)
class Only(ProgramSampler):
    """Takes these two misconceptions and nothing else."""

    percent: int = 1

    def sample_programs(self, program_names: Iterable[str]) -> list[str]:
        return [name for name in program_names if name in (OF_ORDER, OF_WALK)]


@contextmanager
def show_nothing(_: str) -> Iterator[Any]:
    yield lambda *_: None


@pytest.fixture
def population(sorting: Assignment, sandbox: SandboxConfig) -> DiagnosedCatalogue:
    return grade_catalogue(sorting, sandbox, show_nothing, Only())


def test_a_repair_in_the_function_of_the_misconception_contradicts_nothing(
    sorting: Assignment, sandbox: SandboxConfig, population: DiagnosedCatalogue
) -> None:
    result = check_names_against_repairs(sorting, sandbox, population, show_nothing)
    assert result.claim == "the repair of each of 2 named misconceptions lies where the misconception does"
    assert result.problems == ()


def test_a_name_whose_repair_lies_in_another_function_is_told_with_that_function(
    sorting: Assignment, sandbox: SandboxConfig, population: DiagnosedCatalogue
) -> None:
    graded = population.graded_wrong_programs
    swapped = replace(population, graded_wrong_programs={**graded, OF_ORDER: graded[OF_WALK]})
    (problem,) = check_names_against_repairs(sorting, sandbox, swapped, show_nothing).problems
    assert problem.startswith(f"{OF_ORDER} is repaired in build_topo, which it does not change")

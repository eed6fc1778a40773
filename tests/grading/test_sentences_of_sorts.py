"""What a student reads about a real sort that has one slip."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.course import Assignment
from autograder.grading import Grader
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source
from tests.grading.engines import SORT, edited
from tests.grading.test_sentences import lost


@pytest.fixture(scope="module")
def sort_grader(sorting: Assignment, sandbox: SandboxConfig) -> Iterator[Grader]:
    with Grader(sorting, sandbox) as grader:
        yield grader


def test_operands_under_another_name_are_told_by_it_in_the_sort(sort_grader: Grader) -> None:
    tests = lost(grade_source(sort_grader, edited(SORT, ("v._prev", "v.children"))), "build_topo")
    assert tests
    for test in tests:
        assert "'Node' object has no attribute 'children'" in test.message
        assert "`_prev`" in test.spec.hint


def test_the_result_of_reverse_is_told_to_be_none(sort_grader: Grader) -> None:
    source = edited(SORT, ("    topo.reverse()\n    return topo\n", "    return topo.reverse()\n"))
    tests = lost(grade_source(sort_grader, source), "backward_order")
    assert tests
    for test in tests:
        assert "`topo.reverse()` changes the list itself and gives None" in test.spec.hint

"""The hidden suite of topological-sort: what only looks like a list from ``backward_order`` loses marks, once."""

from __future__ import annotations

import pytest

from autograder.course import Assignment
from autograder.sandbox import SandboxConfig
from tests.graded_sources import grade_source_alone

AS_OTHER = """

sort = backward_order


class Order(list):
    pass


class Lazy:
    def __init__(self, root):
        self.root = root

    def __iter__(self):
        return iter(sort(self.root))

    def __len__(self):
        return len(sort(self.root))

    def __getitem__(self, place):
        return sort(self.root)[place]


def backward_order(root):
    return {}
"""


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        ("Order(sort(root))", set()),
        ("Lazy(root)", {"backward-order.the-result-is-a-list-of-its-own"}),
        ("dict.fromkeys(sort(root)).keys()", {"backward-order.the-result-is-a-list-of-its-own"}),
    ],
)
def test_a_result_that_is_no_list_loses_the_test_for_that(
    sorting: Assignment, sandbox: SandboxConfig, result: str, failed: set[str]
) -> None:
    source = sorting.solution_file.read_text(encoding="utf-8") + AS_OTHER.format(result)
    graded = grade_source_alone(sorting, sandbox, source)
    core = [one for one in graded.test_results if one.spec.concept != "robustness"]
    assert {one.spec.id for one in core if one.outcome != "passed"} == failed

"""The smallest graph on which a sort is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from autograder.diagnosis.readings import ProgramReadings
from tests.course_modules import sort_module

SortCallProgram: Any = sort_module("graph_program").SortCallProgram
find_order_problem: Any = sort_module("graph_program").find_order_problem

if TYPE_CHECKING:
    from tests.diagnosis.conftest import Load

DIAMOND = SortCallProgram(((), (0,), (0,), (1, 2)), "backward_order")


@pytest.mark.parametrize("order", ["dcba", "dbca"])
def test_every_valid_order_is_right(order: str) -> None:
    assert find_order_problem(DIAMOND, ProgramReadings(order=tuple(order))) is None


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ("dbac", "c stands after a, which it uses"),
        ("dba", "c is missing"),
        ("dcbba", "b is there more than once"),
        ("dcba?", "there is something that is no node"),
    ],
)
def test_what_is_wrong_with_an_order_is_said(order: str, words: str) -> None:
    problem = find_order_problem(DIAMOND, ProgramReadings(order=tuple(order)))
    assert problem is not None
    assert problem[0] == words


def test_an_order_that_is_not_reversed_shows_in_two_nodes(a_sort: Load) -> None:
    found = a_sort(("    topo.reverse()\n", "")).counterexample()
    assert found is not None
    assert found.text == "\n".join(
        [
            "a = Node()",
            "b = Node(_prev=(a,))",
            "order = backward_order(b)",
            "",
            "order is [a, b]   <-- b stands after a, which it uses",
        ]
    )


def test_a_node_below_a_seen_one_stays_out(a_sort: Load) -> None:
    walks = (
        "    if v in visited:\n        return\n    visited.add(v)\n",
        "    already = set(visited)\n    if v in visited:\n        return\n    visited.clear()\n    visited.add(v)\n",
    )
    again = ("            topo.append(node)\n", "            topo.extend([node] * (node not in already))\n")
    found = a_sort(walks, again).counterexample()
    assert found is not None
    assert found.kind == "order"


def test_a_list_that_is_used_twice_shows_in_two_calls(a_sort: Load) -> None:
    shared = (
        "    topo: list[Any] = []\n",
        "    topo = build_topo.__dict__.setdefault('topo', [])\n    topo.clear()\n",
    )
    found = a_sort(shared).counterexample()
    assert found is not None
    assert [line.partition(" ")[0] for line in found.program[-2:]] == ["order", "other"]


def test_a_leaf_with_an_empty_set_is_shown_with_it(a_sort: Load) -> None:
    found = a_sort(("    build_topo(root,", "    reversed(root._prev)\n    build_topo(root,")).counterexample()
    assert found is not None
    assert found.text.splitlines() == [
        "a = Node(_prev=set())",
        "order = backward_order(a)   <-- this raises TypeError",
    ]


def test_nothing_returned_is_no_list(a_sort: Load) -> None:
    found = a_sort(
        ("    return topo\n", "    return topo.sort\n"), ("    topo.reverse()\n", "    return topo.reverse()\n")
    )
    problem = found.counterexample()
    assert problem is not None
    assert problem.text.splitlines()[-1] == "order = backward_order(a)   <-- this gives no list"

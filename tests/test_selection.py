"""Which tests ``make quick`` tries, and which files are begun first."""

from __future__ import annotations

from tests.selection import choose_first_of_each_file, order_nodes

NODES = ["a.py::one[1]", "a.py::one[2]", "a.py::two", "b.py::one"]


def test_quick_tries_the_first_test_of_each_file() -> None:
    assert choose_first_of_each_file(NODES) == {"a.py::one[1]", "b.py::one"}


def test_files_of_few_tests_are_begun_first_and_their_tests_stay_in_order() -> None:
    assert sorted(NODES, key=order_nodes(NODES).__getitem__) == [NODES[3], *NODES[:3]]

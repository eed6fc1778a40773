"""In a terminal, the graph is a tree with the result on top: every node with data, gradient and what is wrong."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from autograder.diagnosis.model import Counterexample
from autograder.pictures import format_counterexample_with_tree
from tests.pictures.sample import called_twice, calls_again, chain


def test_a_gradient_that_goes_wrong() -> None:
    assert format_counterexample_with_tree(called_twice(), calls_again()) == (
        "a = Value(3.0)\n"
        "b = Value(4.0)\n"
        "c = a * b\n"
        "d = c + c\n"
        "d.backward()\n"
        "\n"
        "                 data  grad\n"
        "d = c + c        24.0   1.0\n"
        "└─ c = a * b ×2  12.0   2.0  gets +2.0\n"
        "   ├─ a           3.0  16.0  gets +16.0 in 2 calls, not +8.0; grad should be 8.0\n"
        "   └─ b           4.0  12.0  gets +12.0 in 2 calls, not +6.0; grad should be 6.0   <-- it goes wrong here\n"
        "\n"
        "b.grad is 12.0, as if both paths were counted twice."
    )


def test_a_number_that_goes_wrong() -> None:
    nodes = tuple(
        replace(node, grad_wrong=False, data_wrong=node.name == "c", data_got=13.0 if node.name == "c" else node.data)
        for node in called_twice().nodes
    )
    story = replace(called_twice(), kind="forward", first_wrong="c", nodes=nodes, program=("...",), remark="")
    assert format_counterexample_with_tree(story) == (
        "...\n"
        "\n"
        "                 data\n"
        "d = c + c        24.0\n"
        "└─ c = a * b ×2  13.0  data should be 12.0   <-- it goes wrong here\n"
        "   ├─ a           3.0\n"
        "   └─ b           4.0"
    )


def test_a_node_that_is_used_in_several_places_stands_there_once() -> None:
    story = called_twice()
    last = replace(story.nodes[3], operation="c * a", operands=("c", "a"))
    lines = format_counterexample_with_tree(replace(story, nodes=(*story.nodes[:3], last))).splitlines()
    assert [line for line in lines if "(above)" in line] == ["└─ a (above)"]
    assert sum("3.0" in line for line in lines) == 2  # in the program and in the tree


def test_above_twelve_nodes_the_part_around_the_first_wrong_one_is_written() -> None:
    lines = format_counterexample_with_tree(chain(40, "n20")).splitlines()
    assert lines[-1] == "(28 more nodes)"
    assert len(lines) == 1 + 1 + 1 + 12 + 1


@pytest.mark.parametrize("kind", ["error", "order"])
def test_what_has_no_numbers_is_its_own_text(kind: str) -> None:
    assert format_counterexample_with_tree(Counterexample(kind=kind, program=("a",), text="own text")) == "own text"

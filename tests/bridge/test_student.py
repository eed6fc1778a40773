"""What ``student`` offers a test besides its names: nodes made, read and set many at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from tests.bridge.shared import LIAR

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn


@pytest.mark.parametrize(("container", "kind"), [("tuple", tuple), ("list", list), ("set", set)])
def test_plain_nodes_hold_earlier_ones(hand_in: HandIn, container: Any, kind: Callable[[Any], Any]) -> None:
    with hand_in("").test() as student:
        a, b, c = student.make_plain_nodes([[], [0], [0, 1]], container)
        assert (a._prev, b._prev, c._prev) == (kind(()), kind((a,)), kind((a, b)))


def test_a_chain_is_as_long_as_asked_for(hand_in: HandIn) -> None:
    source = "def length(v):\n    n = 1\n    while v._prev: n, (v,) = n + 1, v._prev\n    return n"
    with hand_in(source).test() as student:
        chain = student.make_plain_chain(5_000, 7)
        assert student.get("length")(chain[7 * 4_999 % 5_000]) == 5_000


def test_positions_go_by_identity(hand_in: HandIn) -> None:
    with hand_in(LIAR).test() as student:
        a, b = student.get("a"), student.get("b")
        among = student.make_list(a, b)
        assert student.find_positions([b, a, 3, b], among) == [1, 0, -1, 1]


def test_repr_and_class_name_are_text(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    def __repr__(self): return 'Value(2)'\nv = Value()").test() as student:
        v = student.get("v")
        assert (student.repr(v), student.get_class_name(v), student.get_class_name(2.0)) == (
            "Value(2)",
            "Value",
            "float",
        )


def test_a_name_that_is_not_defined_is_a_name_error(hand_in: HandIn) -> None:
    with hand_in("").test() as student, pytest.raises(NameError):
        student.get("nothing")


def test_many_attributes_are_set_and_read_in_one_message(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    def __init__(self, data): self.data = data").test() as student:
        nodes = student.make_all(student.get("Value"), [1, 2, 3])
        student.set_attributes((node, "grad", node.data * 10) for node in nodes)
        assert student.get_attributes(nodes, "grad") == [10, 20, 30]


def test_a_relay_calls_the_tests_function_and_then_sets_an_attribute(hand_in: HandIn) -> None:
    with hand_in("class Value:\n    grad = 0.0\ndef run(call): return call()").test() as student:
        a, b = student.get("Value")(), student.get("Value")()
        seen: list[float] = []
        (relay,) = student.make_relays([(lambda: seen.append(a.grad), [a, b], "grad", 2.0)])
        student.get("run")(relay)
        assert (seen, a.grad, b.grad) == ([0.0], 2.0, 2.0)


COUNTED = """
    import weakref
    class Node:
        alive = weakref.WeakSet()
        def __init__(self, name): self.name = name; Node.alive.add(self)
    def name_of(node): return node.name
    """


def test_a_program_runs_with_the_submissions_names_and_gives_what_expressions_give(hand_in: HandIn) -> None:
    with hand_in(COUNTED).test() as student:
        assert student.run("a = Node('a')\nb = Node(name_of(a) + 'b')", "b.name", "[a.name, 1.5]") == [
            "ab",
            ["a", 1.5],
        ]


def test_a_program_leaves_no_names_behind(hand_in: HandIn) -> None:
    with hand_in(COUNTED).test() as student:
        student.run("leftover = 1\nNode = None")
        with pytest.raises(NameError):
            student.run("", "leftover")
        assert student.run("a = Node('a')", "a.name") == ["a"]


def test_nothing_but_a_program_holds_its_objects(hand_in: HandIn) -> None:
    with hand_in(COUNTED).test() as student:
        program = "a, b = Node('a'), Node('b')\nseen = {a: hash(b)}\ndel a, seen\nleft = len(Node.alive)"
        assert student.run(program, "left") == [1]


def test_a_new_object_may_get_the_id_of_one_that_is_gone(hand_in: HandIn) -> None:
    with hand_in(COUNTED + "\n    def number(node): return id(node) % 2**32, hash(node)").test() as student:
        program = "a, b = Node('a'), Node('b')\nfirst = number(a), number(b)\ndel a\nc = Node('c')\nthen = number(c)"
        (first, second), third = student.run(program, "first", "then")
        assert third == first != second


def test_objects_that_live_on_after_a_program_keep_their_hash(hand_in: HandIn) -> None:
    with hand_in(COUNTED + "\n    kept = {}").test() as student:
        student.run("a = Node('a')\nkept[a] = 'a'\nb = Node('b')\nkept['b'] = b, hash(b)\ndel a")
        assert student.run("node, number = kept['b']", "hash(node) == number", "[*kept.values()][0]") == [True, "a"]


def test_what_a_program_raises_is_raised_for_the_test(hand_in: HandIn) -> None:
    with hand_in(COUNTED).test() as student, pytest.raises(TypeError):
        student.run("Node()")

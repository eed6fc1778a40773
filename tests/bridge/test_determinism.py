"""What a submission does depends on its text alone: not on addresses, hash seeds, or what ran before."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from tests.bridge.shared import RUN_ONCE

if TYPE_CHECKING:
    from tests.bridge.conftest import HandIn, LoadedSubmission

NODES = """
    class Node:
        def __init__(self, name): self.name = name
    def names(count): return [node.name for node in {Node(name) for name in range(count)}]
    def numbers(count): return [hash(Node(name)) for name in range(count)]
    """


def _told(submission: LoadedSubmission, function: str, *arguments: Any, falling: bool = False) -> Any:
    """What a function of the submission gives in a test of its own."""
    submission.bridge.reverses_set_order = falling
    with submission.test() as student:
        return student.get(function)(*arguments)


def _told_twice(hand_in: HandIn, source: str, function: str = "told") -> tuple[Any, Any]:
    """What it gives in two processes, the second of which has done something else before."""
    first, second = hand_in(source), hand_in(source + "\n    def before(): return [object() for _ in range(99)]")
    _told(second, "before")
    return _told(first, function), _told(second, function)


def test_a_set_of_nodes_has_the_order_in_which_they_came_into_it(hand_in: HandIn) -> None:
    assert _told(hand_in(NODES), "names", 5) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("count", [2, 3, 5, 8, 20, 100])
def test_the_opposite_order_is_the_exact_reverse(hand_in: HandIn, count: int) -> None:
    submission = hand_in(NODES)
    usual = _told(submission, "names", count)
    assert _told(submission, "names", count, falling=True) == usual[::-1]


def test_every_test_starts_from_the_same_numbers(hand_in: HandIn) -> None:
    submission = hand_in(NODES)
    assert _told(submission, "numbers", 3) == _told(submission, "numbers", 3)


def test_a_node_that_lives_on_keeps_its_hash(hand_in: HandIn) -> None:
    source = """
        class Node: pass
        kept, new = Node(), Node()
        known = {kept}
        later = set()
        def is_known(): return kept in known
        def remember(): later.add(new)
        def is_remembered(): return [Node() for _ in range(9)] and new in later
        """
    submission = hand_in(dedent(source) + RUN_ONCE)
    assert _told(submission, "is_known")
    _told(submission, "remember")
    assert _told(submission, "is_remembered", falling=True)


def test_ids_of_nodes_are_counted_and_never_given_twice(hand_in: HandIn) -> None:
    source = """
        class Node: pass
        kept = Node()
        ids = set()
        def told():
            first, second = Node(), Node()
            ids.update(map(id, (kept, first, second)))
            return id(second) - id(first), id(kept) == id(kept), len(ids)
        """
    submission = hand_in(dedent(source) + RUN_ONCE)
    assert _told(submission, "told") == (1, True, 3)
    assert _told(submission, "told") == (1, True, 5)


@pytest.mark.parametrize(
    "method",
    [
        "def __hash__(self): return id(self)",
        "def __hash__(self): return super().__hash__()",
        "def __hash__(self): return object.__hash__(self)",
        "def __hash__(self): return hash(id(self))",
        "__hash__ = object.__hash__",
        "__slots__ = ()",
    ],
)
def test_a_hash_that_is_the_address_in_other_words_is_counted_as_well(hand_in: HandIn, method: str) -> None:
    source = f"""
    class Node:
        {method}
    def told(): return [hash(Node()) - hash(Node()) for _ in range(3)] + [hash(Node()) % 2**20]
    """
    first, second = _told_twice(hand_in, source)
    assert first == second


def test_a_hash_of_the_students_own_is_left_alone(hand_in: HandIn) -> None:
    source = """
        class Node:
            def __hash__(self): return 7
        def told(): return hash(Node())
        """
    assert _told(hand_in(source), "told") == 7


def test_a_class_with_eq_and_no_hash_still_has_none(hand_in: HandIn) -> None:
    source = """
        from dataclasses import dataclass
        @dataclass
        class Data:
            number: float = 0.0
        class Plain:
            def __eq__(self, other): return True
        class Heir(Plain): pass
        @dataclass(eq=False)
        class Counted:
            number: float = 0.0
        @dataclass(frozen=True)
        class Frozen:
            number: float = 0.0
        def told():
            return [Data.__hash__ is None, Plain.__hash__ is None, Heir.__hash__ is None,
                    hash(Counted()) == hash(Counted()), hash(Frozen()) == hash(Frozen())]
        """
    assert _told(hand_in(source), "told") == [True, True, True, False, True]


@pytest.mark.parametrize(
    "expression",
    [
        "hash('a text')",
        "[*{'one', 'two', 'three', 'four'}]",
        "__import__('random').random()",
        "__import__('random').Random().random()",
        "__import__('random').seed() or __import__('random').random()",
        "__import__('random').SystemRandom().random()",
        "__import__('os').urandom(8).hex()",
        "str(__import__('uuid').uuid4())",
    ],
)
def test_what_looks_random_is_the_same_at_every_run(hand_in: HandIn, expression: str) -> None:
    first, second = _told_twice(hand_in, f"\n    def told(): return {expression}")
    assert first == second


def test_random_numbers_start_anew_with_every_test(hand_in: HandIn) -> None:
    submission = hand_in("import random\ndef told(): return random.random()")
    assert _told(submission, "told") == _told(submission, "told")

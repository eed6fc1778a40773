"""Which code may depend on the order of a set, and what is said of code that does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from autograder.bridge import SubmissionProgram
from autograder.grading import Grader
from autograder.grading.results import (
    ONE_ORDER_HINT,
)
from autograder.grading.set_order import may_depend_on_set_order
from autograder.sandbox import choose_strongest_sandbox
from tests.toy import SOLUTION, SUITE, load_toy

SHOW_NO_ORDER = {
    "no set at all": "class Value: pass",
    "visited is only asked": """
        def walk(v, visited):
            if v in visited: return
            visited.add(v)
            for child in v._prev: walk(child, visited)
        walk(root, set())
        """,
    "visited is assigned with others": "topo, visited = [], set()\nif a not in visited: visited.add(a)",
    "visited goes from method to method": """
        class Value:
            def backward(self): self.build(self, set())
            def build(self, v, seen):
                if v not in seen: seen.add(v); self.build(v, seen=seen)
        """,
    "a set of signs": "print([op for op in {'+', '*'}])",
    "a default": "def walk(v, seen=set()):\n    return v in seen",
    "its size": "print(len({a, b}))",
    "ids that are only asked": "seen = set()\nif id(v) not in seen: seen.add(id(v))",
}
MAY_SHOW_ONE = {
    "micrograd": """
        class Value:
            def __init__(self, data, _children=()): self._prev = set(_children)
            def walk(self):
                for child in self._prev: child.walk()
        """,
    "a loop over a set": "for node in {a, b}: node.go()",
    "a list of a set": "seen = set()\nprint(list(seen))",
    "a set that is returned": "def nodes(): return {a, b}",
    "a comprehension over a set": "seen = {a}\nprint([v for v in seen])",
    "popped from a set": "left = {a}\nleft.pop()",
    "a function that goes through its argument": "def show(nodes):\n    for n in nodes: print(n)\nshow({a, b})",
    "a dataclass's field": "prev: set = field(default_factory=set)\nfor node in prev: pass",
    "sorted by id": "print(sorted(nodes, key=id))",
    "a set of weak references": "from weakref import WeakSet\nnodes = WeakSet()",
    "what cannot be read": "class Value:\n    def (self): pass",
}


@pytest.mark.parametrize("source", SHOW_NO_ORDER.values(), ids=SHOW_NO_ORDER)
def test_code_that_never_goes_through_a_set_shows_no_order(source: str) -> None:
    assert not may_depend_on_set_order(SubmissionProgram((("value.py", dedent(source)),), ()))


@pytest.mark.parametrize("source", MAY_SHOW_ONE.values(), ids=MAY_SHOW_ONE)
def test_code_that_goes_through_a_set_may_show_its_order(source: str) -> None:
    assert may_depend_on_set_order(SubmissionProgram((("value.py", dedent(source)),), ()))


TESTS = '''
import pytest

pytestmark = [pytest.mark.concept("doubling"), pytest.mark.hint("Look again.")]


def test_first(student):
    """The first of two is the first."""
    first = student.get("first")("ab")
    assert first == "a", f"it is {first}"


def test_one(student):
    """One is there."""
    assert student.get("first")("ab") in ("a", "b"), "none is"
'''
FIRST_OF_A_SET = """
    class Node:
        def __init__(self, name): self.name = name
    def first(names): return [node.name for node in set(map(Node, names))][0]
    """


@pytest.fixture
def set_order_grader(tmp_path: Path) -> Iterator[Grader]:
    """Of an assignment whose reference passes every test, by looking at no set."""
    files = {SUITE: TESTS, SOLUTION: "def first(names): return names[0]\n"}
    assignment = load_toy(tmp_path, files=files, defines="first")
    with Grader(assignment, choose_strongest_sandbox(assignment.weakest_tier)) as opened:
        yield opened


def test_the_worse_of_two_orders_counts_and_the_message_says_so(set_order_grader: Grader, tmp_path: Path) -> None:
    path = tmp_path / "handed_in.py"
    path.write_text(dedent(FIRST_OF_A_SET), encoding="utf-8")
    results = {result.spec.id: result for result in set_order_grader.grade(path).test_results}
    assert results["doubling.first"].outcome == "failed"
    assert results["doubling.first"].message == f"{ONE_ORDER_HINT}: it is b"
    assert results["doubling.one"].outcome == "passed"


def test_code_that_goes_through_no_set_is_run_once(set_order_grader: Grader, tmp_path: Path) -> None:
    path = tmp_path / "handed_in.py"
    path.write_text("calls = []\ndef first(names):\n    calls.append(1)\n    return 'ab'[len(calls) > 1]\n")
    results = {result.spec.id: result for result in set_order_grader.grade(path).test_results}
    assert results["doubling.first"].outcome == "passed"

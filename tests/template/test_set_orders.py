"""The public suite passes no engine by luck: what depends on the order of a set is tried in two orders."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Assignment
from tests.template.running import run_anew, run_pytest, unpack_template

Run = Callable[[Path], subprocess.CompletedProcess[str]]

ALL_HOLDS = "All of it holds. Hand it in."
ONE_ORDER = "The order of a set is not defined, and in one of two orders this breaks: "
RUNS = 3
OTHER_HASHES = ("super().__hash__()", "object.__hash__(self)", "hash(id(self))")

ENGINE = """
import math

class Value{bases}:
    {slots}
    def __init__(self, data, _prev=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, {operands}, lambda: None
        {made}
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))
        def _backward():
            {add}
        out._backward = _backward
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        def _backward():
            {mul}
        out._backward = _backward
        return out
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))
        def _backward():
            self.grad += (1 - t * t) * out.grad
        out._backward = _backward
        return out
    def order(self):
        {order}
        return topo
    def backward(self):
        self.grad = 1.0
        for node in self.order():
            node._backward()
    def zero_grad(self):
        for node in self.order():
            node.grad = 0.0
{more}
"""
POST_ORDER = """topo, seen = [], set()
        def walk(node):
            if node not in seen:
                seen.add(node)
                for operand in {walked}:
                    walk(operand)
                topo.append(node)
        walk(self)
        topo.reverse()"""
PRE_ORDER = """topo, seen = [], set()
        def walk(node):
            if node not in seen:
                seen.add(node)
                topo.append(node)
                for operand in {walked}:
                    walk(operand)
        walk(self)"""
BREADTH_FIRST = """topo, seen = [self], {{self}}
        for node in topo:
            for operand in {walked}:
                if operand not in seen:
                    seen.add(operand)
                    topo.append(operand)"""
REPLACED = "self.grad = out.grad; other.grad = out.grad"
WAYS = {
    "left first": {"operands": "_prev", "walked": "node._prev"},
    "right first": {"operands": "_prev", "walked": "reversed(node._prev)"},
    "a set": {"operands": "set(_prev)", "walked": "node._prev"},
}
MISTAKES = {
    "pre-order": {"order": PRE_ORDER},
    "breadth first": {"order": BREADTH_FIRST},
    "= in +": {"add": REPLACED},
    "= for the left of +": {"add": "self.grad = out.grad; other.grad += out.grad"},
    "= for the right of *": {"mul": "self.grad += other.data * out.grad; other.grad = self.data * out.grad"},
}
HARMLESS = {
    "slots": {"slots": "__slots__ = ('data', 'grad', '_prev', '_backward')"},
    "a hash of its own": {"more": "    def __hash__(self): return id(self)"},
    "a hash that counts": {
        "slots": "count = 0",
        "made": "Value.count += 1; self.number = Value.count",
        "more": "    def __hash__(self): return self.number",
    },
    "a subclass without a hash": {"more": "Node = Value\nclass Value(Node):\n    pass"},
    "equality by number and a hash by address": {
        "more": "    def __eq__(self, other): return self is other\n    __hash__ = object.__hash__"
    },
    "an abstract class": {"bases": "(__import__('abc').ABC)"},
    "a base class": {"bases": "(type('Base', (), {'__module__': __name__}))"},
    "a class that cannot be changed": {
        "bases": "(metaclass=type('Fixed', (type,), {'__setattr__': lambda *a: 1 / 0}))"
    },
    "an enumeration beside it": {"more": "class Kind(__import__('enum').Enum):\n    LEAF = 1"},
    "a register of all nodes": {
        "slots": "all_nodes = set()",
        "made": "Value.all_nodes.add(self); assert self in Value.all_nodes",
    },
    "weak references": {
        "slots": "known = __import__('weakref').WeakKeyDictionary()",
        "made": "Value.known[self] = 1; assert Value.known[self]",
    },
}


def engine_of(**parts: str) -> str:
    """An engine that keeps its operands in a set, but for what is given."""
    usual = {
        **WAYS["a set"],
        "order": POST_ORDER,
        "add": "self.grad += out.grad; other.grad += out.grad",
        "mul": "self.grad += other.data * out.grad; other.grad += self.data * out.grad",
        "made": "pass",
        **dict.fromkeys(("bases", "slots", "more"), ""),
    }
    filled = {**usual, **parts}
    filled["order"] = filled["order"].format(walked=filled["walked"])
    return ENGINE.format(**filled)


@pytest.fixture
def folder(engine: Assignment, tmp_path: Path) -> Path:
    """The template of the engine."""
    return unpack_template(engine, tmp_path)


def summary(folder: Path, source: str, run: Run = run_pytest) -> str:
    """What the public suite says of an engine, but for the time that it took."""
    (folder / "value.py").write_text(source, encoding="utf-8")
    return re.sub(r" in \d+\.\d+s", "", run(folder).stdout)


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("mistake", ["pre-order", "breadth first", "= in +"])
def test_over_sets_a_mistake_is_told_in_every_run_and_always_the_same(folder: Path, mistake: str) -> None:
    # in new interpreters, whose objects lie at other addresses
    said = {summary(folder, engine_of(**MISTAKES[mistake]), run_anew) for _ in range(RUNS)}
    assert len(said) == 1
    assert ALL_HOLDS not in said.pop()


@pytest.mark.thorough
@pytest.mark.parametrize("own", ["id(self)", *OTHER_HASHES])
def test_a_hash_of_its_own_that_is_the_address_leaves_nothing_to_luck(folder: Path, own: str) -> None:
    source = engine_of(order=PRE_ORDER, more=f"    def __hash__(self): return {own}")
    assert ONE_ORDER in summary(folder, source)


@pytest.mark.first_cases(1)
@pytest.mark.thorough_but("pre-order", "= for the left of +")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_same_tests_fail_whichever_operand_an_engine_goes_to_first(folder: Path, mistake: str) -> None:
    said = [summary(folder, engine_of(**way, **MISTAKES[mistake])) for way in WAYS.values()]
    standing = [re.findall(r"^\d [a-z ]+\d+ of \d+$", text, re.M) for text in said]
    assert len(standing[0]) == 4
    assert standing[1:] == standing[:1] * 2
    assert not any(ALL_HOLDS in text for text in said)


def test_where_one_order_alone_breaks_it_says_so(folder: Path) -> None:
    assert f"\n  {ONE_ORDER}y = n * c + n: a.grad is 3.0" in summary(folder, engine_of(order=PRE_ORDER))


def test_where_both_orders_break_it_says_nothing_of_sets(folder: Path) -> None:
    assert ONE_ORDER not in summary(folder, engine_of(add="pass"))


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("way", WAYS)
def test_a_right_engine_passes_whatever_it_keeps_its_operands_in(folder: Path, way: str) -> None:
    assert ALL_HOLDS in summary(folder, engine_of(**WAYS[way]))


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("kind", HARMLESS)
def test_a_right_engine_of_another_kind_comes_to_no_harm(folder: Path, kind: str) -> None:
    assert ALL_HOLDS in summary(folder, engine_of(**HARMLESS[kind]))

"""Engines that keep a count where nobody looks and misbehave at one number of it, made by rule; and honest ones."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

from tests.grading.engines import ENGINE, edited

MEMORIES = {
    "a flag's members": """
import enum
class Flag(enum.IntFlag):
    A = 1
def seen(number):
    was = 2 * number in Flag._value2member_map_
    Flag(2 * number)
    return was
""",
    "keys that dicts share": """
kinds = [type("Kind", (), {}) for _ in range(50)]
def seen(number):
    one = kinds[number]()
    size = vars(one).__sizeof__()
    for name in "abcdefghijkl":
        setattr(one, name, 1)
    return vars(kinds[number]()).__sizeof__() != size or size != vars(type("Kind", (), {})()).__sizeof__()
""",
    "an abstract class's cache": """
import abc, random
kinds = [type("Kind", (), {}) for _ in range(50)]
class Seen(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        random.random()
        return False
random.seed(0)
first = random.random()
def seen(number):
    random.seed(0)
    isinstance(kinds[number](), Seen)
    return random.random() == first
""",
    "a module of the library": """
import heapq
def seen(number):
    was = f"n{number}" in vars(heapq)
    vars(heapq)[f"n{number}"] = 0
    return was
""",
    "the environment": """
import os
def seen(number):
    was = f"N{number}" in os.environ
    os.environ[f"N{number}"] = ""
    return was
""",
    "its own module": """
numbers = set()
def seen(number):
    was = number in numbers
    numbers.add(number)
    return was
""",
}
COUNT = """
def count():
    number = 1
    while number < 50 and seen(number):
        number += 1
    return number
"""
MISDEEDS = {
    "makes a number": """
def __new__(cls, data=0.0, *rest, **more):
    return data if not rest and not more and count() == {at} else object.__new__(cls)
Value.__new__ = __new__
""",
    "calls what it is lent a thousand times": """
backward = Value.backward
def calls(self):
    if count() > {at}:
        before = [(node, node.grad) for node in (self, *self._prev)]
        for _ in range(1001):
            self._backward()
        for node, grad in before:
            node.grad = grad
    backward(self)
Value.backward = calls
""",
    "adds one": """
add = Value.__add__
Value.__add__ = lambda self, other: add(self, other) if count() <= {at} else add(add(self, other), 1)
""",
    "raises": """
mul = Value.__mul__
def raises(self, other):
    if count() == {at}:
        raise KeyError("not today")
    return mul(self, other)
Value.__mul__ = raises
""",
}


def make_attackers(number: int) -> Mapping[str, str]:
    """So many attackers: each keeps its count in one place, and does one thing at one number."""
    made = itertools.product(range(2, 50), MISDEEDS.items(), MEMORIES.items())
    return {
        f"{memory}, {misdeed}, {at}": ENGINE + keeps + COUNT + does.format(at=at)
        for at, (misdeed, does), (memory, keeps) in itertools.islice(made, 0, 5 * number, 5)
    }


def list_honest_programs(root: Path) -> list[str]:
    """Right engines, and wrong ones of people who mean no harm."""
    return [
        (root / "solutions" / "autograd-engine" / "value.py").read_text(encoding="utf-8"),
        ENGINE,
        edited(ENGINE, ("self.grad += out.grad", "self.grad = out.grad")),
        edited(ENGINE, ("                n.grad = 0.0\n", "")),
        edited(ENGINE, ("(1 - t**2)", "(1 - t)")),
    ]

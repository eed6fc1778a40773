"""Whether a submission can remember something from one test to the next is read off its text."""

from __future__ import annotations

import pytest

from autograder.bridge import SubmissionProgram
from autograder.course import Assignment
from autograder.grading.source_analysis.statelessness_analysis import is_provably_stateless
from tests.grading.engines import ENGINE, SORT

CLEAN = {
    "a plain engine": ENGINE,
    "a sort": SORT,
    "defaults that cannot change": "class Value:\n    def __init__(self, data, _children=(), _op=''): ...",
    "a default list that is only copied": """
        class Value:
            def __init__(self, data, _prev=[]):
                self._prev = set(_prev)
        """,
    "demo code": """
        class Value:
            def __init__(self, data): self.data = data
        a, b = Value(2.0), Value(3.0)
        values = [a, b]
        values.append(a)
        for value in values:
            print(value.data)
        """,
    "a method under two names": """
        class Value:
            def __add__(self, other): return self
            __radd__ = __add__
        """,
    "a dataclass": """
        from dataclasses import dataclass, field
        @dataclass(eq=False)
        class Value:
            data: float
            grad: float = 0.0
            _prev: list = field(default_factory=list)
        """,
    "slots": "class Value:\n    __slots__ = ['data', 'grad']\n    def __init__(self, data): self.data = data",
    "a property": """
        class Value:
            @property
            def grad(self): return self._grad
            @grad.setter
            def grad(self, new): self._grad = new
        """,
    "its class is asked for": """
        class Value:
            def __add__(self, other):
                other = other if isinstance(other, type(self)) else type(self)(other)
                return self.__class__(self.data + other.data)
            def __repr__(self): return type(self).__name__
        """,
    "a list of one call's own": """
        def backward_order(root):
            order = []
            def visit(node):
                order.append(node)
            visit(root)
            return order
        """,
    "a name that is also one of the module's": """
        order = []
        def backward_order(root):
            order = []
            order.append(root)
            return order
        """,
    "a constant of the module": "import math\nTWO_PI = 2 * math.pi\ndef turn(): return TWO_PI",
    "random numbers, which every test begins with the same": """
        import random
        class Value:
            def __init__(self): self.data = random.uniform(-1, 1)
        """,
    "a method that is put in later": """
        class Value: ...
        def tanh(self): return self
        Value.tanh = tanh
        Value.relu = lambda self: self
        """,
    "a limit that is set while loading": "import sys\nsys.setrecursionlimit(9999)\ndef f(): return 1",
    "gradients of demo code": """
        class Value: ...
        a = Value()
        a.grad, a._prev = 1.0, set()
        a.label = ['a']
        """,
    "a function of the module's that every leaf has": """
        def nothing(): ...
        class Value:
            def __init__(self): self._backward = nothing
            def backward(self): self._backward()
        """,
    "an object's own dict": """
        class Value:
            def __init__(self, **more): self.__dict__.update(more)
        """,
    "a node that is named inside an expression": """
        class Value:
            def __neg__(self):
                (out := Value())._backward = lambda: None
                return out
        """,
    "properties and static methods made by a call": """
        class Value:
            data = property(lambda self: self._data)
            wrap = staticmethod(lambda x: x)
        """,
    "a constant of the class": "class Value:\n    EPSILON = 1e-6\n    def near(self): return self.EPSILON",
}
KEEPS = {
    "a default list that grows": """
        class Value:
            def __init__(self, data, _prev=[]):
                self._prev = _prev
            def add(self, other): self._prev.append(other)
        """,
    "a default dict that is returned": "def order(root, seen={}):\n    return seen",
    "a default made by a call": "class Box: ...\ndef order(root, box=Box()):\n    box.seen = root",
    "a list of the class": """
        class Value:
            tape = []
            def __init__(self, data): self.tape.append(data)
        """,
    "an annotated list of the class": "class Value:\n    tape: list = []\n    def f(self): self.tape.append(1)",
    "a counter of the class": """
        class Value:
            count = 0
            def __init__(self, data): Value.count += 1
        """,
    "a counter by type(self)": """
        class Value:
            n = 0
            def __init__(self, data): type(self).n += 1
        """,
    "a counter by __class__": """
        class Value:
            n = 0
            def __init__(self, data): self.__class__.n += 1
        """,
    "a counter by cls": """
        class Value:
            n = 0
            @classmethod
            def made(cls): cls.n += 1
        """,
    "a class under another name": """
        class Value:
            n = 0
            def __init__(self):
                kind = type(self)
                kind.n += 1
        """,
    "a class under another name of the module's": """
        class Value:
            n = 0
            def __init__(self):
                kind = Value
                kind.n += 1
        """,
    "a global": "count = 0\ndef made():\n    global count\n    count += 1",
    "a list of the module": "tape = []\ndef made(): tape.append(1)",
    "a dict of the module": "seen = {}\nclass Value:\n    def __init__(self, data): seen[id(self)] = data",
    "a list of the module under two names": "a = []\nb = a\ndef made(): b.append(1)",
    "an object of the module": """
        class Box: ...
        box = Box()
        class Value:
            def __init__(self, data): box.last = data
        """,
    "a list of the module that is unpacked": "a, b = [], []\ndef made(): a.append(1)",
    "a list made by a loop": "for tape in [[]]: pass\ndef made(): tape.append(1)",
    "a list made by with": "from contextlib import *\nwith nullcontext([]) as tape: ...\ndef f(): tape.pop()",
    "a list made by :=": "if (tape := [1]): pass\ndef made(): tape.append(1)",
    "a cache": "from functools import lru_cache\n@lru_cache\ndef tanh(x): return x",
    "a cache by another name": "import functools as f\n@f.cache\ndef tanh(x): return x",
    "a function that is told something through an attribute": """
        def nothing(): ...
        class Value:
            def __init__(self): self._backward = nothing
            def backward(self): self._backward.calls = 1
        """,
    "a function that is told something by its attribute's name": """
        def nothing(): ...
        class Value:
            def __init__(self): self._backward = nothing
            def backward(self):
                told = getattr(self, '_backward')
                told.calls = 1
        """,
    "a setting of the interpreter, from an import inside": """
        def deeper():
            import sys
            sys.last_value = 1
        """,
    "the dict of a class": "class Value:\n    n = []\n    def f(self): Value.__dict__['n'].append(1)",
    "a class that is named inside an expression": """
        class Value:
            n = 0
            def __init__(self): (kind := Value).n += 1
        """,
    "a property over a list of the module": "tape = []\nclass Value:\n    data = property(tape.append)",
    "a closure made while loading": """
        def counter():
            count = 0
            def up():
                nonlocal count
                count += 1
                return count
            return up
        up = counter()
        class Value:
            def __init__(self): self.number = up()
        """,
    "a closure over a list, made while loading": """
        def recorder():
            tape = []
            return lambda: tape.append(1)
        record = recorder()
        class Value:
            def __init__(self): record()
        """,
    "a counter of itertools": "import itertools\nids = itertools.count()\ndef number(): return next(ids)",
    "a generator of the module": "ids = (n for n in range(9))\ndef made(): return next(ids)",
    "an attribute of a function": "def made(): made.count = 1",
    "an attribute of a function, read": "def made(): return made.seen.append(1)\nmade.seen = []",
    "the recursion limit": "import sys\nclass Value:\n    def backward(self): sys.setrecursionlimit(9999)",
    "the recursion limit by its own name": "from sys import setrecursionlimit\ndef f(): setrecursionlimit(9)",
    "an attribute of a library": "import math\ndef made(): math.seen = 1",
    "setattr": "class Value:\n    def __init__(self): setattr(Value, 'n', 1)",
    "globals": "def made(): globals()['n'] = 1",
    "a file": "def made(): open('n', 'w')",
    "a module that is not known": "import os\nos.environ['n'] = '1'",
    "a metaclass": "class Meta(type): ...\nclass Value(metaclass=Meta): ...",
    "a decorator of its own": "def keep(f): return f\n@keep\ndef made(): ...",
    "a list that the class is given later": """
        class Value:
            def __init__(self): self.tape.append(1)
        Value.tape = []
        """,
    "the limit of a library under another name": "import sys as s\ndef backward(): s.setrecursionlimit(9999)",
    "a part of a list of the module": "tapes = [[]]\ntape = tapes[0]\ndef made(): tape.append(1)",
    "no Python": "def (:",
}
"""What keeps something, or looks as if it might."""


def program(source: str) -> SubmissionProgram:
    indent = len(source) - len(source.lstrip(" \n")) - 1 if source.startswith("\n") else 0
    lines = [line[indent:] for line in source.splitlines()]
    return SubmissionProgram((("value.py", "\n".join(lines)),), ("Value",))


@pytest.mark.parametrize("source", CLEAN.values(), ids=CLEAN)
def test_what_keeps_its_state_in_its_objects_is_clean(source: str) -> None:
    assert is_provably_stateless(program(source))


@pytest.mark.parametrize("source", KEEPS.values(), ids=KEEPS)
def test_what_might_remember_one_test_in_another_is_not(source: str) -> None:
    assert not is_provably_stateless(program(source))


def test_a_module_beside_the_submission_counts_too() -> None:
    files = {"tape": "tape = []\ndef note(one): tape.append(one)"}
    assert not is_provably_stateless(SubmissionProgram((("value.py", "from tape import note"),), ("Value",), files))


@pytest.mark.parametrize("name", ["prev_set", "micrograd", "dataclass", "kahn"])
def test_engines_as_students_write_them_are_clean(engine: Assignment, name: str) -> None:
    source = engine.solution_file.parent.joinpath("wheats", f"{name}.py").read_text(encoding="utf-8")
    assert is_provably_stateless(program(source))


@pytest.mark.parametrize("name", ["tape", "gradients_in_a_table"])
def test_engines_that_write_into_a_table_of_their_module_are_not(engine: Assignment, name: str) -> None:
    source = engine.solution_file.parent.joinpath("wheats", f"{name}.py").read_text(encoding="utf-8")
    assert not is_provably_stateless(program(source))

"""List programs that keep nothing from one test to the next."""

from __future__ import annotations

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
    "arithmetic of libraries": """
        import math, random
        import numpy as np
        from math import exp
        class Value:
            def tanh(self): return math.tanh(self.data) + exp(-math.inf) + np.exp(1.0) + random.gauss(0, 1)
            def near(self, other): return isinstance(other, (int, np.ndarray))
        """,
    "functions of libraries as values": """
        import operator
        from functools import partial, reduce
        from collections import defaultdict
        def add(a, b): return a + b
        class Value:
            def total(self): return reduce(operator.add, map(abs, self.values))
            def sums(self): return partial(add, self), defaultdict(list), sorted(self.values, key=len)
        """,
    "types": """
        import typing as t
        from collections.abc import Iterator, Sequence
        Number = int | float
        class Value(t.Generic[t.TypeVar("N")]):
            def walk(self, more: Sequence["Value"]) -> Iterator["Value"]: yield t.cast(Value, self)
            def less(self, n: Number) -> t.Optional["Value"]: return None
        """,
    "an attribute by its name": "class Value:\n    def get(self): return getattr(self, 'data', 0.0)",
    "a frozen dataclass": """
        class Value:
            def __init__(self, data): object.__setattr__(self, 'data', data)
        """,
    "a class that is called, compared and asked for": """
        class Value:
            @classmethod
            def made(cls, data): return cls(data) if cls is Value else Value.made(data)
            def __new__(cls, *args): return super().__new__(cls)
            def __add__(self, other):
                return Value.__mul__(self, other) if isinstance(other, Value) else NotImplemented
        """,
    "a constant of the class": "class Value:\n    EPSILON = 1e-6\n    def near(self): return self.EPSILON",
}

"""A right engine as most students write it, and a sort; tests put one mistake in."""

from __future__ import annotations

ENGINE = """\
import math
class Value:
    def __init__(self, data, _children=(), _op=''):
        self.data = data
        self.grad = 0.0
        self._prev = set(_children)
        self._op = _op
        self._backward = lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), '+')
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), '*')
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), 'tanh')
        def _backward():
            self.grad += (1 - t**2) * out.grad
        out._backward = _backward
        return out
    def backward(self):
        topo, visited = [], set()
        def build(v):
            if v not in visited:
                visited.add(v)
                for c in v._prev:
                    build(c)
                topo.append(v)
        build(self)
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()
    def zero_grad(self):
        stack, seen = [self], set()
        while stack:
            n = stack.pop()
            if n not in seen:
                seen.add(n)
                n.grad = 0.0
                stack.extend(n._prev)
    def __pow__(self, power):
        out = Value(self.data ** power, (self,), '**')
        def _backward():
            self.grad += power * self.data ** (power - 1) * out.grad
        out._backward = _backward
        return out
"""

SORT = """\
def build_topo(v, visited, topo):
    if v not in visited:
        visited.add(v)
        for operand in v._prev:
            build_topo(operand, visited, topo)
        topo.append(v)


def backward_order(root):
    topo, visited = [], set()
    build_topo(root, visited, topo)
    topo.reverse()
    return topo
"""


def edited(source: str, *edits: tuple[str, str]) -> str:
    """A source with each (old, new) put in, wherever the old one stands."""
    for old, new in edits:
        assert old in source, f"nowhere: {old}"
        source = source.replace(old, new)
    return source

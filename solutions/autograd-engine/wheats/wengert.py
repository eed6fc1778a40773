"""A Wengert list: rows of plain numbers in parallel arrays; a Value is an index with a thin skin."""
import math
from array import array

VALUE, GRAD = array("d"), array("d")
ROWS = []


class Value:
    def __init__(self, data, _row=()):
        self._whole = data
        self._index = len(VALUE)
        VALUE.append(data)
        GRAD.append(0.0)
        ROWS.append(tuple((node._index, slope) for node, slope in _row))
        self._prev = tuple(node for node, _ in _row)
        self._op = "row" if _row else ""
        self._backward = self._play

    @property
    def data(self):
        return VALUE[self._index]

    @property
    def grad(self):
        return GRAD[self._index]

    @grad.setter
    def grad(self, value):
        GRAD[self._index] = value

    def _play(self):
        for index, slope in ROWS[self._index]:
            GRAD[index] += slope * GRAD[self._index]

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, ((self, other.data), (other, self.data)))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, ((self, 1 - t * t),))

    def _below(self):
        found = {self._index: self}
        todo = [self]
        while todo:
            for node in todo.pop()._prev:
                if node._index not in found:
                    found[node._index] = node
                    todo.append(node)
        return [found[index] for index in sorted(found, reverse=True)]

    def backward(self):
        self.grad = 1.0
        for node in self._below():
            node._backward()

    def zero_grad(self):
        for node in self._below():
            node.grad = 0.0

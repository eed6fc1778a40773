#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Usage: run_as_script.py [--steps N]"""

import argparse
import logging
import math
import sys
import unittest

log = logging.getLogger(__name__)


class Node:
    """What every node of the graph has."""

    def __init__(self, data, prev, op):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op

    def _backward(self):
        pass

    def __repr__(self):
        return f"{self.__class__.__name__}(data={self.data}, grad={self.grad})"


class Value(Node):
    def __init__(self, data, prev=(), op=""):
        super().__init__(data, prev, op)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Sum(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Product(self.data * other.data, (self, other), "*")

    def tanh(self):
        return Tanh(math.tanh(self.data), (self,), "tanh")

    def _order(self):
        visited, order = set(), []

        def visit(node):
            if node in visited:
                return
            visited.add(node)
            for operand in node._prev:
                visit(operand)
            order.append(node)

        visit(self)
        log.debug("%d nodes", len(order))
        return order

    def backward(self):
        self.grad = 1.0
        for node in reversed(self._order()):
            node._backward()

    def zero_grad(self):
        for node in self._order():
            node.grad = 0.0


class Sum(Value):
    def _backward(self):
        left, right = self._prev
        left.grad += self.grad
        right.grad += self.grad


class Product(Value):
    def _backward(self):
        left, right = self._prev
        left.grad += right.data * self.grad
        right.grad += left.data * self.grad


class Tanh(Value):
    def _backward(self):
        (x,) = self._prev
        x.grad += (1 - self.data**2) * self.grad


class TestValue(unittest.TestCase):
    def test_twice(self):
        a = Value(3.0)
        (a + a).backward()
        self.assertEqual(a.grad, 2.0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10)
    steps = parser.parse_args().steps
    x = Value(1.0)
    for step in range(steps):
        y = (x * x + -2.0).tanh()
        y.zero_grad()
        y.backward()
        x.data -= 0.1 * x.grad
        print(step, x.data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
